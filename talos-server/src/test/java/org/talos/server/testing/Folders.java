// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Changes the data directory of a server that does not run, for tests. Thread-safe. */
public final class Folders {
    private Folders() {}

    /** Copies a directory with all that is in it. */
    public static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
    }

    /** Deletes a directory with all that is in it. */
    public static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : (Iterable<Path>) all.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(each);
            }
        }
    }

    /** The last file, in the order of names, whose name ends so. */
    public static Path last(Path directory, String suffix) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            List<Path> found = all.filter(each -> each.toString().endsWith(suffix))
                    .sorted()
                    .toList();
            assertThat(found).isNotEmpty();
            return found.get(found.size() - 1);
        }
    }

    /** Every file below a directory, with its length and the time of its last change. */
    public static Map<Path, String> state(Path directory) throws IOException {
        Map<Path, String> state = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                state.put(each, Files.size(each) + " " + Files.getLastModifiedTime(each));
            }
        }
        return state;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The console's files as they are in the source tree. Immutable. */
final class ConsoleFiles {
    private static final Path FOLDER =
            Path.of(System.getProperty("talos.root"), "console/src/main/resources/org/talos/console");

    private ConsoleFiles() {}

    /** The text of each file with that ending, by its path in the folder. */
    static Map<String, String> ending(String ending) {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> all = Files.walk(FOLDER)) {
            all.filter(each -> each.toString().endsWith(ending))
                    .forEach(each -> texts.put(FOLDER.relativize(each).toString(), read(each)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return texts;
    }

    /** The text of a file. */
    static String read(String name) {
        return read(FOLDER.resolve(name));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.common.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLibrariesTest {
    @TempDir
    private Path directory;

    private Path first;
    private Path second;

    @BeforeEach
    void make() throws Exception {
        first = Files.createDirectory(directory.resolve("first"));
        second = Files.createDirectory(directory.resolve("second"));
    }

    private static void assertEmpty(Path folder) throws IOException {
        try (var left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void copyIsDeletedOnceTheLibraryIsLoaded() throws Exception {
        Path good = NativeLibraries.load(
                "X", List.of(first, second), folder -> Files.writeString(folder.resolve("libx.so"), "x"));

        assertThat(good).isEqualTo(first);
        assertEmpty(first);
    }

    @Test
    void directoryThatDoesNotAllowItIsPassedOver() throws Exception {
        List<Path> tried = new ArrayList<>();

        Path good = NativeLibraries.load("X", List.of(directory.resolve("missing"), first, second), folder -> {
            tried.add(folder.getParent());
            if (folder.startsWith(first)) {
                Files.writeString(folder.resolve("libx.so"), "x");
                throw new UnsatisfiedLinkError(folder + "/libx.so: failed to map segment from shared object");
            }
        });

        assertThat(good).isEqualTo(second);
        assertThat(tried).containsExactly(first, second);
        assertEmpty(first);
        assertEmpty(second);
    }

    /** Nothing of it is in a directory that somebody has given another name to. */
    @Test
    void linkAndFileOfSuchANameStayAndWhatTheLinkNamesToo() throws Exception {
        Path kept = Files.writeString(second.resolve("kept"), "somebody's own");
        Path link = Files.createSymbolicLink(first.resolve(NativeLibraries.FOLDER + "link"), second);
        Path file = Files.writeString(first.resolve(NativeLibraries.FOLDER + "file"), "a file");
        Path stale = Files.createDirectory(first.resolve(NativeLibraries.FOLDER + "1"));
        Files.writeString(stale.resolve("libx.so"), "x");

        NativeLibraries.deleteStale(first, Instant.MAX);

        assertThat(stale).doesNotExist();
        assertThat(link).isSymbolicLink();
        assertThat(List.of(kept, file)).allMatch(Files::isRegularFile);
    }

    @Test
    void failureNamesEachDirectoryAndWhatToDo() {
        assertThatThrownBy(() -> NativeLibraries.load("X", List.of(first, second), folder -> {
                    throw new UnsatisfiedLinkError("failed to map segment");
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll(
                        "the library of X", first.toString(), second.toString(), "failed to map", "-Djava.io.tmpdir");
    }
}

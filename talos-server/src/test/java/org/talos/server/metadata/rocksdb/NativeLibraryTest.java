// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class NativeLibraryTest {
    private static final Path MAPPINGS = Path.of("/proc/self/maps");

    @Test
    @EnabledOnOs(OS.LINUX) // whose kernel tells what is mapped
    void fileIsDeletedOnceTheLibraryIsLoaded() throws Exception {
        NativeLibrary.load();
        NativeLibrary.load();

        try (Stream<String> mappings = Files.lines(MAPPINGS)) {
            assertThat(mappings.filter(line -> line.contains("librocksdbjni")))
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line).endsWith("(deleted)"));
        }
    }
}

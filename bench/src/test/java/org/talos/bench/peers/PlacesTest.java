// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlacesTest {
    @TempDir
    Path home;

    /** bin/talos compiles to a folder of its own; the jar is where it is, whoever builds. */
    @Test
    void whatRunsIsInJarsWhoeverHasBuiltThem() throws IOException {
        Path target = home.resolve("bench/kafka/target");
        Files.createDirectories(target.resolve("lib"));

        Places places = Places.of(home, "");

        assertThat(places.missing(Product.KAFKA)).isEmpty();
        assertThat(places.missing(Product.ROCKETMQ)).isPresent();
        assertThat(places.classPath(Product.KAFKA).split(File.pathSeparator))
                .containsExactly(target + File.separator + "*", target.resolve("lib") + File.separator + "*");
    }
}

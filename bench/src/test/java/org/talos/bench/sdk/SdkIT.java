// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.BenchRun;

@Tag("full") // measures
@Tag("bench")
@Timeout(240)
class SdkIT {
    @TempDir
    Path home;

    private String run(String line) {
        return BenchRun.of(home, ("bench run " + line).split(" ")).good();
    }

    private List<String> written(String file) throws IOException {
        return Files.readAllLines(BenchRun.report(home).resolve(file));
    }

    @Test
    void theSdkIsMeasuredBesideKafkasClientAndLeavesOnlyAReport() throws IOException {
        Path jars = Path.of(System.getProperty("talos.root")).resolve("bench/kafka");
        Files.createSymbolicLink(Files.createDirectories(home.resolve("bench")).resolve("kafka"), jars);

        String text = run("--sdk --rounds 1 --sdk-threads 1,2 --sdk-sizes 1024 --sdk-mib 1");

        assertThat(text).contains("talos, 1 thread, 1024 B", "kafka, 2 threads, 1024 B", "client CPU s/1000");
        assertThat(written("claims.txt")).hasSize(2 * 2 * 2);
        assertThat(written("figures.csv")).hasSize(2 + 2 * 2 * 2);
        try (Stream<Path> left = Files.list(home.resolve("bench/target"))) {
            assertThat(left.map(each -> each.getFileName().toString())).containsExactly("reports");
        }
    }

    @Test
    void withoutKafkasJarsTheSdkIsMeasuredAlone() throws IOException {
        String text = run("--sdk --rounds 1 --sdk-threads 1 --sdk-sizes 10240 --sdk-mib 1");

        assertThat(text).contains("Talos alone", "talos, 1 thread, 10240 B").doesNotContain("kafka,");
        assertThat(written("claims.txt")).isEmpty();
    }

    @Test
    void tlsIsMeasuredBesideTheSameWithoutIt() throws IOException {
        String text = run("--sdk --sdk-tls --rounds 1 --sdk-threads 1 --sdk-sizes 10240 --sdk-mib 1");

        assertThat(text).contains("talos, 1 thread, 10240 B", "talos-tls, 1 thread, 10240 B");
        assertThat(written("claims.txt")).hasSize(2).allMatch(each -> each.contains("with TLS : without"));
    }
}

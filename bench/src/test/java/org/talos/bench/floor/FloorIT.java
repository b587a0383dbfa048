// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.BenchRun;

@Tag("full") // measures
@Tag("bench")
@Timeout(600)
class FloorIT {
    @TempDir
    Path home;

    private String run(String line) {
        return BenchRun.of(home, ("bench floor " + line).split(" ")).good();
    }

    @Test
    void eachCaseIsMeasuredWithoutErrorsAndLeavesAReportAndNothingElse() throws IOException {
        String text = run("--partitions 3 --size 500 --seconds 1 --warmup 1 --rounds 1");

        assertThat(text).contains("bare", "signed", "flush", "fsync", "rest").doesNotContain("WRONG");
        assertThat(text).contains("  flush : signed, server CPU a request: ", "  fsync : flush, requests a second: ");
        assertThat(text).contains("requests/s of", "rest, round 1");
        try (Stream<Path> left = Files.list(home.resolve("bench/target"))) {
            assertThat(left.map(each -> each.getFileName().toString())).containsExactly("reports");
        }
        assertThat(Files.readAllLines(BenchRun.report(home).resolve("figures.csv")))
                .hasSize(2 + 5 * 2);
        assertThat(Files.readString(BenchRun.report(home).resolve("figures.csv")))
                .contains("ready s");
        assertThat(BenchRun.report(home).resolve("histograms/fsync-1-get.hlog")).isNotEmptyFile();
        assertThat(text).contains(Files.readString(BenchRun.report(home).resolve("floor.txt")));
        assertThat(Files.readString(BenchRun.report(home).resolve("settings.txt")))
                .contains("jetty threads", "header cache", "server options", "commit", "java");
    }

    @Test
    void oneProducerIsMeasuredWithoutConsumers() throws IOException {
        String text =
                run("--producers 1 --partitions 3 --size 500 --seconds 1 --warmup 1 --rounds 1 --cases signed,flush");

        assertThat(text)
                .contains("  flush : signed, mean of one producer's put: ")
                .doesNotContain("WRONG");
        assertThat(Files.readAllLines(BenchRun.report(home).resolve("figures.csv")))
                .hasSize(2 + 2);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.CommandContext;

@Tag("full") // measures
@Tag("bench")
@Timeout(600)
class FloorIT {
    @TempDir
    Path home;

    private String run(String line) {
        var out = new ByteArrayOutputStream();
        var context = new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);

        int code = new FloorCommand(context).commandLine().execute(line.split(" "));

        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(code).as(text).isZero();
        return text;
    }

    private Path report() throws IOException {
        try (Stream<Path> reports = Files.list(home.resolve("bench/target/reports"))) {
            return reports.findFirst().orElseThrow();
        }
    }

    @Test
    void eachCaseIsMeasuredWithoutErrorsAndLeavesAReportAndNothingElse() throws IOException {
        String text = run("--partitions 3 --size 500 --seconds 1 --warmup 1 --rounds 1");

        assertThat(text).contains("bare", "signed", "flush", "fsync", "rest").doesNotContain("WRONG");
        assertThat(text).contains("  flush : signed, server CPU a request: ", "  fsync : flush, requests a second: ");
        try (Stream<Path> left = Files.list(home.resolve("bench/target"))) {
            assertThat(left.map(each -> each.getFileName().toString())).containsExactly("reports");
        }
        assertThat(Files.readAllLines(report().resolve("figures.csv"))).hasSize(2 + 5 * 2);
        assertThat(report().resolve("histograms/fsync-1-get.hlog")).isNotEmptyFile();
        assertThat(text).contains(Files.readString(report().resolve("floor.txt")));
        assertThat(Files.readString(report().resolve("settings.txt")))
                .contains("jetty threads", "header cache", "server options", "commit", "java");
    }

    @Test
    void oneProducerIsMeasuredWithoutConsumers() throws IOException {
        String text =
                run("--producers 1 --partitions 3 --size 500 --seconds 1 --warmup 1 --rounds 1 --cases signed,flush");

        assertThat(text)
                .contains("  flush : signed, mean of one producer's put: ")
                .doesNotContain("WRONG");
        assertThat(Files.readAllLines(report().resolve("figures.csv"))).hasSize(2 + 2);
    }
}

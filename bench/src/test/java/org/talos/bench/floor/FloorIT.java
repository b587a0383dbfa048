// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.Commands;
import org.talos.cli.Surroundings;

@Timeout(120)
class FloorIT {
    @TempDir
    Path home;

    @Test
    void eachCaseIsMeasuredWithoutErrorsAndLeavesAReportAndNothingElse() throws IOException {
        var out = new ByteArrayOutputStream();
        var surroundings = new Surroundings(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);
        String line = "--partitions 3 --size 500 --seconds 1 --warmup 1 --rounds 1";

        int code = Commands.prepared(new FloorCommand(surroundings)).execute(line.split(" "));

        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(code).as(text).isZero();
        assertThat(text).contains("bare", "signed", "flush", "fsync", "rest").doesNotContain("WRONG");
        try (Stream<Path> left = Files.list(home.resolve("bench/target"))) {
            assertThat(left.map(each -> each.getFileName().toString())).containsExactly("reports");
        }
        try (Stream<Path> reports = Files.list(home.resolve("bench/target/reports"))) {
            Path report = reports.findFirst().orElseThrow();
            List<String> csv = Files.readAllLines(report.resolve("floor.csv"));
            assertThat(csv).hasSize(6);
            assertThat(report.resolve("fsync-1.hlog")).isNotEmptyFile();
            assertThat(Files.readString(report.resolve("settings.txt"))).contains("jetty", "commit", "java");
        }
    }
}

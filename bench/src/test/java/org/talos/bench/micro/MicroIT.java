// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.BenchRun;
import org.talos.cli.CommandContext;
import picocli.CommandLine;

/** In this JVM: a fork finds its class path in a way that a test's has not. */
@Tag("full") // measures
@Tag("bench")
@Timeout(240)
class MicroIT {
    private static final String IGNORE_LOCK = "jmh.ignoreLock";
    private static final String SMALL = "--forks 0 --warmups 0 --iterations 1 ";

    @TempDir
    Path home;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter err = new StringWriter();

    /** JMH runs once at a time on a machine; a test measures nothing and need not wait. */
    @BeforeEach
    void ignoreLock() {
        System.setProperty(IGNORE_LOCK, "true");
        System.setProperty(LogOnDisk.DATA_PROPERTY, home.toString());
    }

    @AfterEach
    void restore() {
        System.clearProperty(IGNORE_LOCK);
        System.clearProperty(LogOnDisk.DATA_PROPERTY);
    }

    private int run(String line) {
        var context = new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);
        CommandLine command = new MicroCommand(context).commandLine();
        command.setErr(new PrintWriter(err, true));
        return command.execute(line.split(" "));
    }

    @Test
    void oneBenchmarkLeavesItsTableItsFiguresAndItsSettings() throws IOException {
        int code = run(SMALL + "--millis 100 --allocations Signing.verify");

        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(code).as(text + err).isZero();
        Path report = BenchRun.report(home);
        assertThat(text).contains("Signing.verify", "us/op", "gc.alloc.rate.norm", "report: " + report);
        assertThat(report.resolve("results.txt")).content().contains("Signing.verify");
        JsonNode results =
                new ObjectMapper().readTree(report.resolve("results.json").toFile());
        assertThat(results).hasSize(1);
        assertThat(results.get(0).at("/primaryMetric/score").asDouble()).isPositive();
        assertThat(report.resolve("settings.txt")).content().contains("Signing.verify", "commit", "processors");
    }

    @Test
    void everyBenchmarkRunsWithEachOfItsParametersAndLeavesNoDataBehind() throws IOException {
        int code = run(SMALL + "--millis 1");

        assertThat(code).as(out.toString(StandardCharsets.UTF_8) + err).isZero();
        JsonNode results = new ObjectMapper()
                .readTree(BenchRun.report(home).resolve("results.json").toFile());
        Set<String> names = new TreeSet<>();
        results.forEach(each ->
                names.add(each.get("benchmark").asText().replace(getClass().getPackageName() + ".", "")));
        assertThat(names)
                .containsExactly(
                        "BlockCodec.checkClaims",
                        "BlockCodec.checkContents",
                        "BlockCodec.decode",
                        "BlockCodec.encode",
                        "LogAppend.ofBatch",
                        "LogAppend.one",
                        "LogRead.read",
                        "Signing.bodyMd5",
                        "Signing.sign",
                        "Signing.verify",
                        "SubmitToRun.notWaitedFor",
                        "SubmitToRun.waitedFor");
        assertThat(results).hasSize(4 * 10 + 2 * 2 + 2 + 3 + 2 * 8);
        try (Stream<Path> left = Files.list(home)) {
            assertThat(left).containsExactly(home.resolve("bench"));
        }
        try (Stream<Path> left = Files.list(home.resolve("bench/target"))) {
            assertThat(left).containsExactly(home.resolve("bench/target/reports"));
        }
    }

    @Test
    void patternOfNoBenchmarkIsSaidSo() {
        assertThat(run(SMALL + "Nothing.likeThis")).isEqualTo(1);

        assertThat(err.toString()).contains("no benchmark matches", "Nothing.likeThis");
    }
}

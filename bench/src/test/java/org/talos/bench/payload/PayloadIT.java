// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.BenchRun;
import org.talos.cli.CommandContext;
import picocli.CommandLine;

@Tag("full") // measures
@Tag("bench")
@Timeout(600)
class PayloadIT {
    private static final String SMALL = "--sizes 1,1024 --clients 1,2 --delays 0,1 --seconds 0.1 --warmup 0.1";

    @TempDir
    Path home;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter errors = new StringWriter();

    private int run(String... more) {
        var context = new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);
        CommandLine command = new PayloadCommand(context).commandLine().setErr(new PrintWriter(errors, true));
        Stream<String> data = Stream.of("--data", home.resolve("data").toString());
        return command.execute(Stream.of(Stream.of(SMALL.split(" ")), data, Stream.of(more))
                .flatMap(each -> each)
                .toArray(String[]::new));
    }

    @Test
    void eachCellIsMeasuredWithoutErrorsAndLeavesAReportAndNothingElse() throws IOException {
        int code = run("--server-options", "-Xmx1500m");

        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(code).as(text + errors).isZero();
        assertThat(text)
                .containsPattern("(\\d+) of \\1: 1 ms by")
                .contains("1 ms, 1 MiB, 1 client; published 348/263")
                .doesNotContain("WRONG", "992/870");
        assertThat(BenchRun.report(home).resolve("figures.csv"))
                .content()
                .contains("MB/s of thrift", "0 ms, 1 MiB, 2 clients", "disk");
        assertThat(BenchRun.report(home).resolve("settings.txt"))
                .content()
                .contains("delayed by", "commit")
                .containsPattern("TALOS_HTTP_MAXBODYBYTES +25165824");
        assertThat(home.resolve("data")).isEmptyDirectory();
    }

    @Test
    void sweepWhoseServerDoesNotStartSaysWhereToLookAndLeavesNoData() throws IOException {
        int code = run("--server-options", "-XX:NoSuchOption");

        assertThat(code).isNotZero();
        assertThat(errors.toString()).contains("sweep.log");
        assertThat(BenchRun.report(home).resolve("sweep.log")).content().contains("the server did not start");
        assertThat(home.resolve("data")).isEmptyDirectory();
    }

    @Test
    void sizesThatTheServerCantTakeAreRefused() {
        assertThat(run("--sizes", "184321")).isNotZero();
        assertThat(errors.toString()).contains("--sizes: 184321 (expected: 1..184320)");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.transfer;

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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.CommandContext;
import org.talos.cli.Commands;

@Tag("full") // measures
@Tag("bench")
@Timeout(120)
class TransferIT {
    @TempDir
    Path home;

    @Test
    void forwardingIsMeasuredBesideAPutAndASlowServerWithEachKindOfPools() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        var context = new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);

        int code = Commands.prepared(new TransferCommand(context))
                .execute("--alone --warmup 0.5 --seconds 0.5 --rounds 1 --in-flight 2 --slow-in-flight 60".split(" "));

        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(code).as(text).isZero();
        assertThat(text)
                .contains("straight, local store", "the hop alone", "the hop alone, a pool", "processor us")
                .contains(
                        "one connection for each, one slow",
                        "a pool for each, one slow",
                        "one pool for all, none slow");
        try (Stream<Path> reports = Files.list(home.resolve("bench/target/reports"))) {
            List<String> claims =
                    Files.readAllLines(reports.findFirst().orElseThrow().resolve("claims.txt"));
            assertThat(claims).hasSize(5).noneMatch(line -> line.contains("not measured"));
        }
    }
}

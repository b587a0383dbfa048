// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

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
class HostileIT {
    @TempDir
    Path home;

    @Test
    void serverOutlivesAUserWhoDoesHisWorstAndLosesNothingOfAnother() throws IOException {
        BenchRun run = BenchRun.of(
                home,
                "bench hostile --seconds 10 --alone 5 --warmup 2 --rate 20 --partitions 8 --filling 100 --connections 500"
                        .split(" "));

        assertThat(run.output())
                .contains(
                        "pass  servers that ended: 0",
                        "pass  servers that do not start again with their heap: 0",
                        "pass  connections of attackers with foreign bytes: 0",
                        "pass  reads of known messages with wrong bytes: 0",
                        "attempts to sign in that failed",
                        "live heap, after : before",
                        "P99 of the peaceful user's puts")
                .doesNotContain("bytes are counted", "acknowledged messages are stored");
        for (Attack each : Attack.values()) {
            assertThat(run.output()).contains(each.label());
        }
        try (Stream<Path> left = Files.list(home.resolve("bench/target"))) {
            assertThat(left.map(each -> each.getFileName().toString())).containsExactly("reports");
        }
    }

    @Test
    void attacksThatAreMeasuredOneAfterAnotherHaveARowEach() throws IOException {
        BenchRun run = BenchRun.of(
                home,
                ("bench hostile --each --attacks tiny-blocks,idle --seconds 5 --alone 5 --warmup 2 --rate 20 "
                                + "--partitions 8 --filling 100 --connections 500")
                        .split(" "));

        assertThat(run.output())
                .contains(
                        "attack",
                        "P99 alone ms",
                        "tiny blocks  ",
                        "no key: idle  ",
                        "P99 of the peaceful user's puts, attacked : alone, tiny blocks",
                        "P99 of the peaceful user's puts, attacked : alone, no key: idle")
                .doesNotContain("bytes are counted", "acknowledged messages are stored");
    }
}

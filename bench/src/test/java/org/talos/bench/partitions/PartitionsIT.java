// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.BenchRun;

@Tag("full") // measures
@Tag("bench")
@Timeout(180)
class PartitionsIT {
    @TempDir
    private Path home;

    @Test
    void partitionsAreMadeFilledAndFoundAfterARestart() {
        BenchRun run = BenchRun.of(
                home,
                "bench",
                "partitions",
                "--partitions",
                "31",
                "--topics",
                "3",
                "--first-puts",
                "2",
                "--seconds",
                "1",
                "--server-options",
                "-Xmx256m");

        assertThat(run.code()).as(run.output()).isZero();
        assertThat(run.output())
                .contains(
                        "3 topics of 31 partitions",
                        "for 16, a message each",
                        "until each partition with a message has given it",
                        "bytes for each of 31 partitions");
    }

    @Test
    void fewerPartitionsThanTopicsAreRefused() {
        BenchRun run = BenchRun.of(home, "bench", "partitions", "--partitions", "2", "--topics", "3");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.output()).contains("--partitions: one for each topic or more");
    }
}

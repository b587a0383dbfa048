// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.BenchRun;

@Tag("full") // measures
@Tag("bench")
@Timeout(120)
class ReplayIT {
    @TempDir
    private Path home;

    private BenchRun replay(String line) {
        return BenchRun.of(home, ("bench replay " + line).split(" "));
    }

    @Test
    void tailIsMeasuredBesideAReplayAndAReplayBesideABareReader() throws IOException {
        BenchRun run = replay("--gb 0.02 --partitions 10 --seconds 1 --warmup 0 --rounds 1 --server-options -Xmx512m");

        assertThat(run.code()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("peak, put:", "tail, until got:", "both, read:", "replay, read:", "bare, read:")
                .contains("both : tail, P99 of a put", "replay : bare, MB/s")
                .doesNotContain("FAILED");
        assertThat(Files.readAllLines(BenchRun.report(home).resolve("claims.txt")))
                .hasSize(4);
        assertThat(Files.readString(BenchRun.report(home).resolve("figures.csv")))
                .contains("server CPU s a GB");
        assertThat(home.resolve("bench/target")).isDirectoryNotContaining("glob:**bench-*");
    }

    @Test
    void developmentClusterWithoutHdfsIsRefused() {
        BenchRun run = replay("--devcluster somewhere");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.output()).contains("--devcluster: is for --store HDFS");
    }
}

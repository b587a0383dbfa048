// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

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
@Timeout(300)
class ScaleIT {
    private static final String QUICK = "--warmup 1 --seconds 1 --size 500 --server-options -Xmx512m";

    @TempDir
    private Path home;

    private BenchRun scale(String line) {
        return BenchRun.of(home, ("bench scale " + line).split(" "));
    }

    @Test
    void morePartitionsThanProducersAndFewerAreMeasured() throws IOException {
        BenchRun run = scale("--curves partitions --points 1,4,300 --producers 4 --rounds 1 " + QUICK);

        assertThat(run.code()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("partitions 300, put:", "server CPU us", "bend")
                .doesNotContain("FAILED");
        assertThat(BenchRun.report(home).resolve("charts/partitions.svg")).isNotEmptyFile();
        assertThat(run.output()).contains(Files.readString(BenchRun.report(home).resolve("scale.txt")));
        assertThat(Files.readAllLines(BenchRun.report(home).resolve("figures.csv")))
                .hasSize(2 + 3);
    }

    @Test
    void producersAndSizesGrowAndShrinkInTurn() throws IOException {
        BenchRun run = scale("--curves producers --points 1,5 --partitions 3 --rounds 2 " + QUICK);

        assertThat(run.code()).as(run.output()).isZero();
        assertThat(run.output())
                .containsSubsequence("1 of 2: producers 1,", "1 of 2: producers 5,", "2 of 2: producers 5,");
        assertThat(scale("--curves size --points 100,100000 --rounds 1 " + QUICK)
                        .code())
                .isZero();
    }

    @Test
    void whatIsKeptIsPutAndGotAndFoundAfterARestart() {
        BenchRun run = scale("--curves kept --points 10,20 --partitions 4 --producers 4 --rounds 1 " + QUICK);

        assertThat(run.code()).as(run.output()).isZero();
        assertThat(run.output()).contains("kept 10, put:", "kept 20, get:", "restart s", "from storage share");
    }

    @Test
    void pointsOfSeveralCurvesAreRefused() {
        BenchRun run = scale("--points 1,2");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.output()).contains("--points: are of one curve");
    }
}

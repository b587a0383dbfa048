// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.bench.BenchRun;

/** The experiments and the bench client, each so short that it only shows that it works. */
@Tag("full") // measures
@Tag("bench")
@Timeout(600) // the slower the disk, the more numbers of threads are tried
class ExperimentsIT {
    @TempDir
    private Path home;

    @Test
    void talos216MeasuresEveryCaseAndSaysWhatItClaims() throws Exception {
        BenchRun run = BenchRun.of(
                home, "bench talos216 --stores HDFS --clients 1 --rounds 1 --seconds 1 --warmup 1".split(" "));

        assertThat(run.code()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("2.1.5-120", "2.1.6-120", "2.1.6-new-120", "ours-120", "2.1.6-120 : 2.1.5, QPS");
        Path report = BenchRun.report(home);
        assertThat(Files.readString(report.resolve("settings.txt"))).contains("hdfs append ms mean");
        assertThat(Files.readString(report.resolve("figures.csv"))).contains("queue wait ms P999");
        assertThat(home.resolve("bench/target")).isDirectoryNotContaining("glob:**bench-*");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --stores CLUSTER                 | --stores CLUSTER: give --servers, 2 or more
            --stores LOCAL,SLOW_CLUSTER      | --stores SLOW_CLUSTER: give --servers, 2 or more
            --stores LOCAL --servers 3       | --stores LOCAL is that of one server: leave --servers out
            --puts 100                       | --puts: give --servers, 2 or more
            """)
    void talos216SaysWhatDoesNotFitTogether(String options, String error) throws Exception {
        BenchRun run = BenchRun.of(
                home,
                Stream.concat(Stream.of("bench", "talos216"), Stream.of(options.split(" ")))
                        .toArray(String[]::new));

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.output()).contains(error);
        assertThat(home.resolve("bench")).doesNotExist();
    }

    @Test
    void capacityPredictsAndMeasures() throws Exception {
        BenchRun run = BenchRun.of(home, "bench capacity --seconds 1 --warmup 1".split(" "));

        assertThat(run.code()).as(run.output()).isZero();
        assertThat(run.output()).contains("gzip: measured peak", "plain: measured peak", "predicted : measured peak");
    }

    @Test
    void workersThatAreAutoAreComparedWithFixedNumbersOnThreeStoresAndThroughChanges() throws Exception {
        BenchRun run = BenchRun.of(home, "bench capacity --auto --short --seconds 1 --warmup 1".split(" "));

        assertThat(run.code()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("local, auto : ", "hdfs-like, auto : ", "held-up, auto : ")
                .contains("after local to hdfs-like, auto : ", "after held-up to local, auto : ");
        Path report = BenchRun.report(home);
        assertThat(Files.readAllLines(report.resolve("claims.txt"))).hasSize(18);
        assertThat(Files.readString(report.resolve("settings.txt"))).contains("fixed workers");
        assertThat(home.resolve("bench/target")).isDirectoryNotContaining("glob:**bench-*");
    }

    @Test
    void benchClientPutsAndGetsAtARate() throws Exception {
        BenchRun run = BenchRun.of(
                home, "bench run --partitions 4 --put-rate 20 --seconds 3 --warmup 1 --set HTTP_WORKERS=6".split(" "));

        assertThat(run.code()).as(run.output()).isZero();
        Path report = BenchRun.report(home);
        List<String> figures = Files.readAllLines(report.resolve("figures.csv"));
        List<String> names = List.of(figures.get(1).split(","));
        String put = figures.stream()
                .filter(line -> line.startsWith("run,1,put"))
                .findFirst()
                .orElseThrow();
        // Of the warm-up's, those that a busy machine delays come within what is measured; without a rate it is
        // thousands.
        assertThat(Double.parseDouble(put.split(",")[names.indexOf("QPS")])).isBetween(5.0, 60.0);
        assertThat(Files.readString(report.resolve("settings.txt"))).contains("HTTP_WORKERS");
    }

    @Test
    void putsOverAStreamAreMeasuredBesideThoseByCalls() throws Exception {
        BenchRun run = BenchRun.of(
                home,
                "bench run --transport stream --partitions 4 --size 1024 --rounds 2 --seconds 1 --warmup 1".split(" "));

        assertThat(run.code()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("round 2 of 2: calls", "round 2 of 2: stream", "stream : calls, puts a second");
        Path report = BenchRun.report(home);
        assertThat(Files.readAllLines(report.resolve("figures.csv")))
                .filteredOn(line -> line.contains(",put"))
                .hasSize(4);
        assertThat(Files.readAllLines(report.resolve("claims.txt"))).hasSize(2);
    }

    @Test
    void senselessLoadsAreRefused() {
        assertThat(BenchRun.of(home, "bench run --partitions 0".split(" ")).code())
                .isNotZero();
        BenchRun nothing = BenchRun.of(home, "bench run --put-threads 0 --get-threads 0".split(" "));
        assertThat(nothing.output()).contains("1 or more");
    }
}

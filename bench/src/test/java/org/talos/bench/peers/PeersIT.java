// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.BenchRun;

@Tag("full") // measures
@Tag("bench")
@Timeout(1_200) // four brokers, one after another, beside other tests
class PeersIT {
    @TempDir
    Path home;

    private void haveJars(Product... products) throws IOException {
        Path bench = Files.createDirectories(home.resolve("bench"));
        for (Product each : products) {
            Path module =
                    Path.of(System.getProperty("talos.root")).resolve("bench").resolve(each.label());
            Files.createSymbolicLink(bench.resolve(each.label()), module);
        }
    }

    private BenchRun run(String line) {
        return BenchRun.of(home, ("bench peers " + line).split(" "));
    }

    private void nothingIsLeftButAReport() throws IOException {
        try (Stream<Path> left = Files.list(home.resolve("bench/target"))) {
            assertThat(left.map(each -> each.getFileName().toString())).containsExactly("reports");
        }
    }

    @Test
    void eachCaseIsMeasuredUnderEachLoadWithoutErrorsAndLeavesAReportAndNothingElse() throws IOException {
        haveJars(Product.KAFKA, Product.ROCKETMQ);

        BenchRun run = run("--partitions 3 --size 500 --seconds 1 --warmup 1 --rounds 1 "
                + "--server-options -Xmx512m --cases flush,fsync,kafka,kafka_synced,rocketmq,rocketmq_synced");

        assertThat(run.code()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("many: 3 putting + 3 getting", "one: 1 putting", "in page cache, 1 copy", "on disk, 1 copy")
                .contains("flush : kafka, many, requests a second: ", "fsync : kafka synced, one, requests a second: ")
                .contains("flush : rocketmq, paced, P999 of a put: ")
                .doesNotContain("WRONG");
        List<String> figures = Files.readAllLines(BenchRun.report(home).resolve("figures.csv"));
        assertThat(figures).hasSize(2 + 6 * (2 + 1 + 1 + 2));
        assertThat(BenchRun.report(home).resolve("charts/many_put.svg")).isNotEmptyFile();
        assertThat(run.output()).contains(Files.readString(BenchRun.report(home).resolve("peers.txt")));
        nothingIsLeftButAReport();
    }

    @Test
    void leanClientsPutAndGetTheSameUnderEachLoad() throws IOException {
        haveJars(Product.KAFKA, Product.ROCKETMQ);

        BenchRun run = run("--partitions 3 --size 500 --seconds 1 --warmup 1 --rounds 1 "
                + "--server-options -Xmx512m --clients lean --cases flush,kafka,rocketmq");

        assertThat(run.code()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("left out: nats: lean clients speak Kafka, RocketMQ, and Talos only")
                .contains("flush, lean client", "kafka, lean client", "rocketmq, lean client")
                .doesNotContain("WRONG");
        List<String> figures = Files.readAllLines(BenchRun.report(home).resolve("figures.csv"));
        assertThat(figures).hasSize(2 + 3 * (2 + 1 + 1 + 2));
        nothingIsLeftButAReport();
    }

    @Test
    void brokerThatDoesNotStartEndsTheRunWithItsLastWords() throws IOException {
        haveJars(Product.KAFKA);

        BenchRun run = run("--short --partitions 1 --cases kafka --kafka-broker num.io.threads=0");

        assertThat(run.code()).isNotZero();
        assertThat(run.output()).contains("the server did not start", "num.io.threads");
        nothingIsLeftButAReport();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.bench.BenchRun;

@Timeout(60)
class PeersCommandTest {
    @TempDir
    Path home;

    private BenchRun run(String line) {
        return BenchRun.of(home, ("bench peers " + line).split(" "));
    }

    private void haveJars(Product... products) throws IOException {
        for (Product each : products) {
            Files.createDirectories(home.resolve("bench").resolve(each.label()).resolve("target/lib"));
        }
    }

    @Test
    void whoIsNotThereIsRefusedIfItWasAskedFor() throws IOException {
        haveJars(Product.NATS);

        BenchRun withoutJars = run("--cases flush,kafka_synced");
        BenchRun withoutServer = run("--cases nats");

        assertThat(withoutJars.code()).isNotZero();
        assertThat(withoutJars.output()).contains("kafka: its jars are in the source tree only, once bench is built");
        assertThat(withoutServer.code()).isNotZero();
        assertThat(withoutServer.output()).contains("nats: no nats-server on the path");
    }

    @Test
    void whoIsNotThereIsLeftOutOtherwiseAndAServerThatDoesNotStartEndsTheRun() throws IOException {
        haveJars(Product.NATS);

        BenchRun run = run("--short --server-options -XX:NoSuchOption");

        assertThat(run.code()).isNotZero();
        assertThat(run.output())
                .contains(
                        "left out: kafka: its jars",
                        "left out: rocketmq: its jars",
                        "left out: nats: no nats-server on the path",
                        "the server did not start",
                        "NoSuchOption");
        try (Stream<Path> left = Files.list(home.resolve("bench/target"))) {
            assertThat(left.map(each -> each.getFileName().toString())).containsExactly("reports");
        }
    }

    @Test
    void paceNeedsALoadThatItIsTakenFrom() {
        BenchRun run = run("--loads one,paced");

        assertThat(run.code()).isNotZero();
        assertThat(run.output()).contains("--loads: paced needs many before it, or --rate");
    }

    @Test
    void leanClientsSpeakEachProtocolButThatOfNats() {
        BenchRun asked = run("--clients lean --cases nats");
        BenchRun notAsked = run("--clients lean --short --server-options -XX:NoSuchOption");

        assertThat(asked.code()).isNotZero();
        assertThat(asked.output()).contains("nats: lean clients speak Kafka, RocketMQ, and Talos only");
        assertThat(notAsked.code()).isNotZero();
        assertThat(notAsked.output())
                .contains("left out: nats: lean clients speak Kafka, RocketMQ, and Talos only")
                .contains("left out: rocketmq: its jars", "the server did not start");
    }

    @Test
    void leanClientsOfTalosUseStreams() {
        for (String each : List.of("--clients lean --talos-puts calls", "--cases flush_lean --talos-gets calls")) {
            BenchRun run = run(each);

            assertThat(run.code()).as(each).isNotZero();
            assertThat(run.output()).contains("lean clients use streams only (expected: streams)");
        }
    }

    @Test
    void leanCaseIsTheSameServerUnderAnotherClient() {
        assertThat(PeerCase.KAFKA_SYNCED_LEAN.library()).isEqualTo(PeerCase.KAFKA_SYNCED);
        assertThat(PeerCase.KAFKA_SYNCED_LEAN.product()).isEqualTo(Product.KAFKA);
        assertThat(PeerCase.KAFKA_SYNCED_LEAN.isSynced()).isTrue();
        assertThat(PeerCase.KAFKA_SYNCED_LEAN.label()).isEqualTo("kafka synced, lean client");
        assertThat(PeerCase.KAFKA_SYNCED_LEAN.fileName()).isEqualTo("kafka-synced-lean");
        assertThat(PeerCase.KAFKA_SYNCED.clients()).isEqualTo(Clients.LIBRARY);
        assertThat(PeerCase.FLUSH_LEAN.clients()).isEqualTo(Clients.LEAN);
    }

    @Test
    void numbersOutOfRangeAreRefused() {
        for (String each : List.of("--partitions 0", "--partitions 257", "--size 15", "--rounds 0", "--seconds 0")) {
            BenchRun run = run(each);

            assertThat(run.code()).as(each).isNotZero();
            assertThat(run.output()).contains(each.replace(" ", ": ") + " (expected: ");
        }
    }

    @Test
    void serverOfNatsIsTakenFromThePathOnceItsJarsAreThere() throws IOException {
        Path program = Files.createDirectories(home.resolve("programs")).resolve("nats-server");
        Files.createFile(program);
        assertThat(program.toFile().setExecutable(true)).isTrue();
        String path = home.resolve("nowhere") + ":" + program.getParent();

        assertThat(Places.of(home, path).natsServer()).contains(program);
        assertThat(Places.of(home, path).missing(Product.NATS))
                .hasValueSatisfying(why -> assertThat(why).contains("jars"));
        haveJars(Product.NATS);
        assertThat(Places.of(home, path).missing(Product.NATS)).isEmpty();
        assertThat(Places.of(home, "").missing(Product.TALOS)).isEmpty();
    }

    @Test
    void serversAreToldToSyncWhereTheyPromiseIt() {
        PeersSettings.Tuning tuning =
                new PeersSettings.Tuning(true, true, Map.of(Product.KAFKA, Map.of("num.io.threads", "4")), Map.of());
        Path data = Path.of("/data");

        assertThat(PeerServer.program(PeerCase.KAFKA, tuning, data))
                .containsExactly("org.talos.bench.kafka.KafkaBroker", "/data", "num.io.threads=4");
        assertThat(PeerServer.program(PeerCase.KAFKA_SYNCED, tuning, data)).contains("log.flush.interval.messages=1");
        assertThat(PeerServer.program(PeerCase.ROCKETMQ, tuning, data)).hasSize(2);
        assertThat(PeerServer.program(PeerCase.ROCKETMQ_SYNCED, tuning, data)).contains("flushDiskType=SYNC_FLUSH");
        assertThat(NatsServer.settings(false, 4222, data)).contains("listen: 127.0.0.1:4222");
        assertThat(String.join("", NatsServer.settings(false, 4222, data))).doesNotContain("always");
        assertThat(NatsServer.settings(true, 4222, data)).contains("  sync_interval: always");
    }
}

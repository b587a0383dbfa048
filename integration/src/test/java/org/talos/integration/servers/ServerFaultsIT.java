// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicChange;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.FaultProxy;
import org.talos.devcluster.WithDevCluster;

/**
 * Tests faults of three servers while many clients put: no acknowledged message is lost, doubled, or out of order, and
 * no client sees an error that its own retries would not hide.
 */
@Tag("full") // faults
@Tag("servers")
@WithDevCluster
@Timeout(400)
class ServerFaultsIT {
    private static final int PARTITIONS = 6;
    private static final int MANY = 240;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    private final DevCluster daemons;
    private TestCluster cluster;

    ServerFaultsIT(DevCluster daemons) {
        this.daemons = daemons;
    }

    @AfterEach
    void stop() throws Exception {
        daemons.heal();
        cluster.close();
    }

    private TopicDescription start(Map<String, String> settings) throws Exception {
        cluster = new TestCluster(daemons, directory, settings);
        return cluster.startThree("orders", PARTITIONS);
    }

    private static void put(TalosClient client, TopicDescription topic, int partition, String text)
            throws TalosClientException {
        new SimpleProducer(client, topic, Compression.NONE)
                .put(partition, List.of(OutgoingMessage.of(text.getBytes(StandardCharsets.UTF_8))));
    }

    private boolean refusesAll(String id, TopicDescription topic) throws Exception {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            if (cluster.rest(
                                    id,
                                    "GET",
                                    "/v1/topics/" + topic.name() + "/partitions/" + partition + "/messages?from=0",
                                    "")
                            .statusCode()
                    != 503) {
                return false;
            }
        }
        return true;
    }

    /** A fault that lasts: what happens meanwhile is looked at afterwards. */
    private static void hold(Duration duration) throws InterruptedException {
        assertThat(new CountDownLatch(1).await(duration.toMillis(), TimeUnit.MILLISECONDS))
                .isFalse();
    }

    /** For longer than sessions last and than servers that went away are waited for. */
    @Test
    void zooKeeperIsGoneAndTheSameServersContinueAfterwards() throws Exception {
        TopicDescription topic = start(Map.of("CLUSTER_DELAYREMOVED", "15s"));
        try (ClusterLoad load = ClusterLoad.start(cluster, topic, PATIENCE)) {
            Owners before = cluster.owners(topic);
            daemons.kill(Daemon.ZOOKEEPER);
            for (String id : TestCluster.IDS) {
                await().atMost(Duration.ofSeconds(30)).until(() -> refusesAll(id, topic));
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> isStill(load));

            int then = load.acknowledged();
            hold(Duration.ofSeconds(20));
            assertThat(load.acknowledged()).as("acknowledged without ZooKeeper").isEqualTo(then);
            daemons.start(Daemon.ZOOKEEPER);
            load.awaitMore(20);

            load.stopAndCheck(cluster.all());
            assertThat(cluster.owners(topic).servers()).isEqualTo(before.servers());
        }
        TopicDescription later = new TalosAdmin(cluster.all()).createTopic(NewTopic.of("later", 3));
        put(cluster.all(), later, 2, "HBase works as well");
    }

    private static boolean isStill(ClusterLoad load) throws InterruptedException {
        int before = load.acknowledged();
        hold(Duration.ofSeconds(2));
        return load.acknowledged() == before;
    }

    @Test
    void serverWhoseSessionHasEndedLosesItsPartitionsAndComesBackAsANewMember() throws Exception {
        try (FaultProxy proxy = FaultProxy.before(daemons.address(Daemon.ZOOKEEPER))) {
            cluster = new TestCluster(daemons, directory, Map.of("CLUSTER_DELAYREMOVED", "2s"));
            cluster.set("two", "ZOOKEEPER_CONNECT", TestCluster.address(proxy.address()));
            TopicDescription topic = cluster.startThree("orders", PARTITIONS);
            try (ClusterLoad load = ClusterLoad.start(cluster, topic, PATIENCE)) {
                Owners before = cluster.owners(topic);

                proxy.stall();
                cluster.awaitStatus("one", Map.of("one", "serving 3", "three", "serving 3"));
                load.awaitMore(20); // on all partitions, so the two are served by others
                Owners without = cluster.owners(topic);
                proxy.repair();
                cluster.awaitEven(2);
                load.awaitMore(20);

                load.stopAndCheck(cluster.all());
                assertThat(without.servers()).doesNotContain("two");
                assertThat(cluster.owners(topic).epoch())
                        .isGreaterThan(without.epoch())
                        .isGreaterThan(before.epoch());
            }
        }
    }

    @Test
    void rollingRestartMovesNothingAndNoClientNotices() throws Exception {
        TopicDescription topic = start(Map.of("CLUSTER_DELAYREMOVED", "60s"));
        try (ClusterLoad load = ClusterLoad.start(cluster, topic, PATIENCE)) {
            Owners before = cluster.owners(topic);

            for (String id : List.of("three", "two", "one")) { // who leads is the last
                cluster.stop(id);
                cluster.start(id);
                cluster.awaitEven(2);
                load.awaitMore(10);
            }

            load.stopAndCheck(cluster.all());
            assertThat(cluster.owners(topic)).as("nothing was written").isEqualTo(before);
        }
    }

    @Test
    void serverWhoseClockGoesWrongLosesNothingAndNoMemberAndDoesNotStartAgain() throws Exception {
        cluster = new TestCluster(daemons, directory, Map.of("LOG_RETENTIONINTERVAL", "100ms"));
        AtomicReference<Duration> wrong = new AtomicReference<>(Duration.ZERO);
        cluster.setClock("two", () -> InstantSource.system().instant().plus(wrong.get()));
        TopicDescription topic = cluster.startThree("orders", PARTITIONS);
        new TalosAdmin(cluster.all())
                .alterTopic(
                        topic.name(),
                        TopicChange.NONE.withPartitions(PARTITIONS).withRetention(Duration.ofHours(1)));
        String member = cluster.member("one", topic, "g");
        try (ClusterLoad load = ClusterLoad.start(cluster, topic, PATIENCE)) {
            for (Duration by : List.of(Duration.ofHours(2), Duration.ofHours(-1))) {
                wrong.set(by);
                load.awaitMore(50); // retention looks several times meanwhile: by this clock all is too old
                for (String id : List.of("two", "three")) {
                    assertThat(cluster.rest(id, "POST", member + "/fetch", "{\"maxMessages\": 1}")
                                    .statusCode())
                            .as("a member of the group fetches from " + id)
                            .isEqualTo(200);
                }
            }
            cluster.stop("two");

            assertThatThrownBy(() -> cluster.start("two"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cluster.maxClockDifference")
                    .hasMessageContaining("s behind ZooKeeper's");
            wrong.set(Duration.ZERO);
            cluster.start("two");
            cluster.awaitEven(PARTITIONS / 3);
            load.awaitMore(20);

            load.stopAndCheck(cluster.all());
        }
    }

    /** Openings are many and sessions short, so that whoever opens too much at once would lose its session. */
    @Test
    void allServersRestartedAtOnceServeWhatTheyServedAndLoseNoSession() throws Exception {
        // HDFS sets a whole block aside for each file that is written.
        TopicDescription topic = start(Map.of("CLUSTER_DELAYREMOVED", "120s", "HDFS_BLOCKBYTES", "1MiB"));
        TopicDescription many = new TalosAdmin(cluster.all()).createTopic(NewTopic.of("many", MANY));
        TalosClient client = cluster.all();
        for (int partition = 0; partition < MANY; partition++) {
            put(client, many, partition, "before " + partition);
        }
        try (ClusterLoad load = ClusterLoad.start(cluster, topic, PATIENCE)) {
            Owners before = cluster.owners(many);
            together(cluster::stop);
            together(cluster::start);
            for (int partition = 0; partition < MANY; partition++) {
                assertThat(new SimpleConsumer(client, many, partition).fetch(0, 10))
                        .extracting(FetchedMessage::text)
                        .containsExactly("before " + partition);
            }
            load.awaitMore(20);

            for (String id : TestCluster.IDS) {
                assertThat(cluster.metric(id, "talos_cluster_sessions_lost_total"))
                        .as(id)
                        .isZero();
            }
            assertThat(cluster.owners(many).servers()).isEqualTo(before.servers());
            load.stopAndCheck(cluster.all());
        }
    }

    /** Something that may fail, of one server. */
    @FunctionalInterface
    private interface Step {
        void of(String id) throws Exception;
    }

    private static void together(Step step) {
        CompletableFuture.allOf(TestCluster.IDS.stream()
                        .map(id -> CompletableFuture.runAsync(
                                () -> {
                                    try {
                                        step.of(id);
                                    } catch (Exception e) {
                                        throw new IllegalStateException(id, e);
                                    }
                                },
                                each -> new Thread(each, "restart-" + id).start()))
                        .toArray(CompletableFuture[]::new))
                .join();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosClientException.Outcome;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
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
import org.talos.integration.faults.StoredMessages;
import org.talos.server.Main;
import org.talos.server.testing.ServerProcess;

/** Faults that put in doubt who owns a partition, while many clients put. */
@Tag("full") // faults
@Tag("servers")
@WithDevCluster
@Timeout(400)
class OwnershipFaultsIT {
    private static final int PARTITIONS = 6;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final DevCluster daemons;
    private TestCluster cluster;
    private TopicDescription topic;

    OwnershipFaultsIT(DevCluster daemons) {
        this.daemons = daemons;
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private static SimpleProducer producer(TalosClient client, TopicDescription topic) {
        return new SimpleProducer(client, topic, Compression.NONE);
    }

    private static List<OutgoingMessage> message(String text) {
        return List.of(OutgoingMessage.of(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** "two" hears nothing of ZooKeeper for as long as it may believe that it is a member: half of its 30 s. */
    @Test
    void ofTwoServersThatBelieveToOwnAPartitionTheOldOneAcknowledgesNothing() throws Exception {
        try (FaultProxy proxy = FaultProxy.before(daemons.address(Daemon.ZOOKEEPER))) {
            cluster = new TestCluster(daemons, directory, Map.of("CLUSTER_DELAYREMOVED", "1s"));
            cluster.set("two", "ZOOKEEPER_CONNECT", TestCluster.address(proxy.address()));
            cluster.set("two", "ZOOKEEPER_SESSIONTIMEOUT", "30s");
            topic = cluster.startThree("orders", PARTITIONS);
            try (ClusterLoad load = ClusterLoad.start(cluster, topic, PATIENCE)) {
                int partition = cluster.owners(topic).partitionOf("two");
                proxy.stall();
                try (ZooKeeperNodes nodes = cluster.nodes()) {
                    nodes.remove("two");
                }
                putAt("one", partition);

                LatePuts late = new LatePuts(partition);
                late.putWhile("two");
                proxy.repair();
                cluster.awaitEven(PARTITIONS / 3);
                load.awaitMore(20);

                load.stopAndCheck(cluster.all());
                late.check();
            }
        }
    }

    /** Until it is acknowledged. */
    private void putAt(String id, int partition) throws Exception {
        SimpleProducer producer = producer(cluster.only(id), topic);
        SimpleProducer.Prepared put = producer.prepare(partition, message("by the new owner"));
        await().atMost(SOON)
                .ignoreExceptionsInstanceOf(TalosClientException.class)
                .until(() -> {
                    producer.repeat(put);
                    return true;
                });
    }

    /** Puts to a server that has lost the partition and does not know it. */
    private final class LatePuts {
        private final int partition;
        private final List<String> refused = new ArrayList<>();
        private final List<String> unknown = new ArrayList<>();

        LatePuts(int partition) {
            this.partition = partition;
        }

        /** As long as that server believes that it is a member. */
        void putWhile(String id) throws Exception {
            SimpleProducer producer = producer(cluster.only(id), topic);
            List<String> acknowledged = new ArrayList<>();
            for (int i = 0; cluster.metric(id, "talos_cluster_connected") == 1; i++) {
                String text = "late " + i;
                try {
                    producer.put(partition, message(text));
                    acknowledged.add(text);
                } catch (TalosClientException e) {
                    (e.outcome() == Outcome.DID_NOT_HAPPEN ? refused : unknown).add(text);
                }
            }
            System.out.println("late puts refused=" + refused.size() + " unknown=" + unknown.size());
            assertThat(acknowledged).as("by the old owner").isEmpty();
            assertThat(refused.size() + unknown.size())
                    .as("tries while it believed")
                    .isGreaterThan(2);
        }

        void check() throws Exception {
            List<String> stored = StoredMessages.of(cluster.all(), topic, partition);
            assertThat(stored).doesNotContainAnyElementsOf(refused);
            assertThat(stored).filteredOn(unknown::contains).doesNotHaveDuplicates();
            assertThat(stored).containsOnlyOnce("by the new owner");
        }
    }

    @Test
    void processWhoseIdAnotherOneHasTakenEnds() throws Exception {
        cluster = new TestCluster(daemons, directory);
        try (ServerProcess first = cluster.startProcess("three")) {
            topic = cluster.startThree("orders", PARTITIONS);
            try (ClusterLoad load = ClusterLoad.start(cluster, topic, PATIENCE);
                    ServerProcess second = cluster.startSecondProcess("three")) {
                assertThat(first.awaitEnd()).isEqualTo(Main.WRONG_CONFIGURATION);
                load.awaitMore(20);

                load.stopAndCheck(cluster.all());
                assertThat(second.stop()).isIn(0, 143);
            }
        }
    }

    @Test
    void leaderThatIsKilledInMidAssignmentLeavesTheRestToTheNext() throws Exception {
        cluster = new TestCluster(daemons, directory, Map.of("CLUSTER_DELAYREMOVED", "2s"));
        try (ServerProcess leader = cluster.startProcess("one")) {
            topic = cluster.startThree("orders", PARTITIONS);
            try (ClusterLoad load = ClusterLoad.start(cluster, topic, PATIENCE);
                    ZooKeeperNodes nodes = cluster.nodes()) {
                CompletableFuture<List<TopicDescription>> made = CompletableFuture.supplyAsync(() -> topics(8, 8));
                await().atMost(SOON)
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> nodes.owners().size() > 2);
                Map<String, Owners> before = nodes.owners();
                leader.kill();
                List<TopicDescription> topics = made.join();

                await().atMost(SOON)
                        .untilAsserted(() -> assertThat(nodes.owners().values())
                                .hasSize(topics.size() + 1)
                                .allSatisfy(each -> assertThat(each.servers()).isSubsetOf("two", "three")));
                load.awaitMore(20);

                assertThat(before).as("the leader was not done").hasSizeLessThan(topics.size() + 1);
                Map<String, Owners> after = nodes.owners();
                before.forEach(
                        (id, then) -> assertThat(after.get(id).epoch()).as(id).isGreaterThanOrEqualTo(then.epoch()));
                assertEachPartitionIsServed(topics);
                load.stopAndCheck(cluster.all());
            }
        }
    }

    /** By a server that stays. */
    private List<TopicDescription> topics(int count, int partitions) {
        List<TopicDescription> made = Collections.synchronizedList(new ArrayList<>());
        Stream.iterate(0, i -> i + 1).limit(count).forEach(i -> {
            try {
                made.add(new TalosAdmin(cluster.only("two")).createTopic(NewTopic.of("more" + i, partitions)));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        return made;
    }

    /** By whichever server it is asked for. */
    private void assertEachPartitionIsServed(List<TopicDescription> topics) throws Exception {
        for (TopicDescription each : topics) {
            for (int partition = 0; partition < each.partitions(); partition++) {
                producer(cluster.all(), each).put(partition, message("here"));
                for (String id : List.of("two", "three")) {
                    assertThat(new SimpleConsumer(cluster.only(id), each, partition).fetch(0, 10))
                            .extracting(FetchedMessage::text)
                            .containsExactly("here");
                }
            }
        }
    }
}

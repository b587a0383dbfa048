// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.WithDevCluster;
import org.talos.integration.faults.StoredMessages;
import org.talos.server.http.stream.ReturningClient;
import org.talos.server.testing.ServerProcess;

/** Streams of several servers, while partitions go from one to another: nothing is lost, twice or in another order. */
@WithDevCluster
@Tag("full") // long
@Tag("servers")
@Timeout(300)
class StreamsIT {
    private static final String STREAM = "/v1/topics/orders/stream";
    private static final int PARTITIONS = 6;

    @TempDir
    private Path directory;

    private final DevCluster daemons;
    private TestCluster cluster;

    StreamsIT(DevCluster daemons) {
        this.daemons = daemons;
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private ReturningClient reader(String id, String producer) {
        ReturningClient client = new ReturningClient(() -> cluster.endpoint(id), STREAM + "?producer=" + producer);
        IntStream.range(0, PARTITIONS).forEach(client::subscribe);
        return client;
    }

    /** Puts in turn into all partitions, taking what comes meanwhile. */
    private static void put(ReturningClient client, int from, int to) throws Exception {
        for (int number = from; number < to; number++) {
            client.put(number % PARTITIONS, number, "m" + number);
            client.step(5);
        }
    }

    /** A step takes one message, so that with a pause before each a thousand would take minutes. */
    private static ConditionFactory awaiting() {
        return await().atMost(Duration.ofMinutes(2)).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1));
    }

    private static void awaitRead(ReturningClient client, int count) {
        awaiting().until(() -> {
            client.step(20);
            return client.isAnswered() && read(client) == count;
        });
    }

    private static int read(ReturningClient client) {
        return IntStream.range(0, PARTITIONS)
                .map(partition -> client.messages(partition).size())
                .sum();
    }

    private static void assertInOrder(ReturningClient client, int count) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            List<String> expected = new ArrayList<>();
            for (int number = partition; number < count; number += PARTITIONS) {
                expected.add("m" + number);
            }
            assertThat(client.messages(partition))
                    .extracting(each -> each.substring(each.indexOf(' ') + 1)) // the client has looked at the offset
                    .isEqualTo(expected);
        }
    }

    @Test
    void streamOfADrainedServerIsAskedToMoveAndGoesOnByOneHop() throws Exception {
        cluster = new TestCluster(daemons, directory);
        cluster.startThree("orders", PARTITIONS);
        try (ReturningClient client = reader("one", "p")) {
            put(client, 0, 120);

            assertThat(cluster.rest("two", "PUT", "/v1/cluster/servers/one/drain", "")
                            .statusCode())
                    .isEqualTo(204);
            put(client, 120, 600);
            cluster.awaitStatus("two", Map.of("one", "drained 0", "two", "serving 3", "three", "serving 3"));
            put(client, 600, 720);
            awaitRead(client, 720);

            assertInOrder(client, 720);
            assertThat(client.opened()).as("it has stayed").isEqualTo(1);
            assertThat(client.moves()).as("asked once, and served further on").containsExactly(1);
        }
    }

    @Test
    void streamsOfAKilledServerComeBackToOthersAndItsPartitionsContinueUnderThoseOfOthers() throws Exception {
        cluster = new TestCluster(daemons, directory, Map.of("CLUSTER_DELAYREMOVED", "5s"));
        cluster.start("one");
        cluster.start("two");
        List<ReturningClient> leaving = new ArrayList<>();
        try (ServerProcess three = cluster.startProcess("three");
                ReturningClient client = reader("one", "p")) {
            new TalosAdmin(cluster.only("two")).createTopic(NewTopic.of("orders", PARTITIONS));
            new TalosAdmin(cluster.only("two")).createTopic(NewTopic.of("others", PARTITIONS));
            cluster.awaitEven(2 * PARTITIONS / 3);
            for (int i = 0; i < 100; i++) {
                leaving.add(leaving("three", i % 2 == 0 ? "one" : "two", i));
            }
            put(client, 0, 120);

            three.kill();
            put(client, 120, 240);
            for (int i = 0; i < leaving.size(); i++) {
                leaving.get(i).put(i % PARTITIONS, 2, "two of " + i);
            }
            awaitAnswered(leaving, client);
            awaitRead(client, 240);

            assertInOrder(client, 240);
            assertThat(client.opened()).as("its server lives").isEqualTo(1);
            assertThat(leaving).allSatisfy(each -> {
                assertThat(each.opened()).isEqualTo(2);
                assertThat(List.copyOf(each.offsets().values())).isSorted().hasSize(3);
            });
            assertThat(stored("others")).as("each is there once").isEqualTo(3L * leaving.size());
        } finally {
            leaving.forEach(ReturningClient::close);
        }
    }

    /** A client of one server, and later of the other, with two puts under way. */
    private ReturningClient leaving(String first, String then, int number) throws Exception {
        List<String> ids = List.of(first, then);
        AtomicInteger opened = new AtomicInteger();
        ReturningClient client = new ReturningClient(
                () -> cluster.endpoint(ids.get(Math.min(opened.getAndIncrement(), 1))),
                "/v1/topics/others/stream?producer=p" + number);
        client.step(0);
        client.put(number % PARTITIONS, 0, "zero of " + number);
        client.put(number % PARTITIONS, 1, "one of " + number);
        return client;
    }

    private static void awaitAnswered(List<ReturningClient> clients, ReturningClient another) {
        awaiting().until(() -> {
            another.step(5);
            for (ReturningClient each : clients) {
                each.step(1);
            }
            return clients.stream().allMatch(ReturningClient::isAnswered);
        });
    }

    private long stored(String topic) throws Exception {
        TalosClient client = cluster.all();
        TopicDescription described = new TalosAdmin(client).describeTopic(topic);
        long messages = 0;
        for (int partition = 0; partition < described.partitions(); partition++) {
            messages += StoredMessages.of(client, described, partition).size();
        }
        return messages;
    }
}

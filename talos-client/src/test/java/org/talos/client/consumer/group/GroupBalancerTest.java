// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.described;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ClientConfig;
import org.talos.client.ScriptedServer;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.transport.PartitionRef;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.LockPartitionResponse;
import org.talos.thrift.QueryWorkerResponse;

/** Tests which partitions a member takes and releases, against a server that answers by a script. */
@Timeout(90)
class GroupBalancerTest {
    private static final TopicRef ORDERS = new TopicRef("orders", "me#orders#1", 4);
    private static final Duration SELDOM = Duration.ofHours(1);

    private final Reading reading = new Reading();
    private ScriptedServer server;
    private TalosClient client;

    /** Notes the decisions, and reads nothing. Confined: the test. */
    private static final class Reading implements GroupBalancer.PartitionReading {
        private final Set<PartitionRef> partitions = new TreeSet<>();
        private final List<PartitionRef> released = new ArrayList<>();
        private final List<String> ends = new ArrayList<>();
        private boolean active = true;

        @Override
        public boolean isActive() {
            return active;
        }

        @Override
        public Set<PartitionRef> partitions() {
            return partitions;
        }

        @Override
        public boolean has(PartitionRef partition) {
            return partitions.contains(partition);
        }

        @Override
        public void read(PartitionRef partition) {
            partitions.add(partition);
        }

        @Override
        public void release(PartitionRef partition) {
            released.add(partition);
        }

        @Override
        public void onMembers(List<TopicRef> topics, Map<String, List<PartitionRef>> members) {}

        @Override
        public void onTopics(Set<String> resourceNames) {
            partitions.removeIf(each -> !resourceNames.contains(each.resourceName()));
        }

        @Override
        public void onEnd(TalosClientException why) {
            ends.add(why.code());
        }
    }

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        client = new TalosClient(ClientConfig.of(server.uri(), "AKTEST", "a-secret"));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private GroupBalancer balancer(Duration topicCheckInterval) throws Exception {
        GroupCalls group = new GroupCalls(client.calls(), "shop", "me", true);
        Subscription orders = new Subscription(client.calls(), List.of("orders"), Optional.empty());
        GroupBalancer balancer = new GroupBalancer(client.calls(), group, orders, topicCheckInterval, reading);
        server.then(result(described(ORDERS.partitions())));
        balancer.begin();
        return balancer;
    }

    @Test
    void memberTakesItsShareOfTheFreePartitions() throws Exception {
        GroupBalancer balancer = balancer(SELDOM);
        server.then(result(new QueryWorkerResponse(Map.of("me", List.of(), "other", List.of(0)))));
        server.then(result(new LockPartitionResponse(List.of(1, 2, 3), List.of())));
        server.then(result(new LockPartitionResponse(List.of(1, 2, 3), List.of())));

        balancer.balance();

        assertThat(reading.partitions).hasSize(2).doesNotContain(ORDERS.partition(0));
    }

    @Test
    void partitionThatAnotherMemberHasLockedMeanwhileIsNotRead() throws Exception {
        GroupBalancer balancer = balancer(SELDOM);
        server.then(result(new QueryWorkerResponse(Map.of("me", List.of(), "other", List.of(0, 1, 2)))));
        server.then(result(new LockPartitionResponse(List.of(), List.of(3))));

        balancer.balance();

        assertThat(reading.partitions).isEmpty();
        assertThat(server.asked()).hasSize(3);
    }

    @Test
    void memberReleasesWhatIsMoreThanItsShare() throws Exception {
        GroupBalancer balancer = balancer(SELDOM);
        ORDERS.all().forEach(reading::read);
        server.then(result(new QueryWorkerResponse(Map.of("me", List.of(0, 1, 2, 3), "other", List.of()))));

        balancer.balance();

        assertThat(reading.released).containsExactly(ORDERS.partition(3), ORDERS.partition(2));
    }

    @Test
    void readingEndsWhenNoTopicIsLeft() throws Exception {
        GroupBalancer balancer = balancer(Duration.ZERO);
        ORDERS.all().forEach(reading::read);
        server.then(error(ErrorCode.TOPIC_NOT_EXIST, "it was deleted"));

        balancer.balance();

        assertThat(reading.ends).containsExactly("TOPIC_NOT_EXIST");
        assertThat(reading.partitions).isEmpty();
        assertThat(server.asked()).as("members are not asked for any more").hasSize(2);
    }

    @Test
    void consumerThatHasEndedTakesNothing() throws Exception {
        GroupBalancer balancer = balancer(Duration.ZERO);
        reading.active = false;

        balancer.balance();

        assertThat(server.asked()).as("only the first look-up").hasSize(1);
    }
}

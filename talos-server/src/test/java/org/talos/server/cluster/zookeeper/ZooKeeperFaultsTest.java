// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.cluster.zookeeper.Cluster.DELAY;
import static org.talos.server.cluster.zookeeper.Cluster.TOPIC;
import static org.talos.server.cluster.zookeeper.Cluster.await;
import static org.talos.server.cluster.zookeeper.Cluster.eventually;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.talos.server.cluster.Location;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.cluster.ServerHealth;
import org.talos.server.cluster.zookeeper.Cluster.Server;
import org.talos.server.cluster.zookeeper.access.ZooKeeperUsers;

@ResourceLock(value = ZooKeeperUsers.LOGINS, mode = ResourceAccessMode.READ) // servers that ask nobody
@Timeout(180)
class ZooKeeperFaultsTest {
    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() throws IOException {
        cluster.close();
    }

    @Test
    void expiredSessionIsFollowedByAnother() throws Exception {
        cluster.topics.put(TOPIC, 20);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        Map<String, Set<Integer>> before = cluster.settled(20, a, b);
        long session = a.connection().getSessionId();
        a.notices.clear();

        a.expire(); // of the leader

        eventually(() -> assertThat(a.connection().getSessionId()).isNotEqualTo(session));
        assertThat(cluster.settled(20, a, b)).isEqualTo(before);
        assertThat(a.notices).isEmpty();
        eventually(() -> assertThat(a.isLeading() || b.isLeading()).isTrue());
        b.coordinator.topicChanged(TOPIC, 30); // somebody leads indeed
        cluster.settled(30, a, b);
    }

    /** Stops a server's events at one that another causes, until the returned latch is counted down. */
    private static CountDownLatch holdEvents(Server held, Server by) {
        CountDownLatch standing = new CountDownLatch(1);
        CountDownLatch resume = new CountDownLatch(1);
        held.coordinator.onRowsChanged(() -> {
            standing.countDown();
            await(resume);
        });
        by.coordinator.rowsChanged();
        await(standing);
        return resume;
    }

    @Test
    void serverAwayTooLongIsNotifiedOfLostPartitions() throws Exception {
        cluster.topics.put(TOPIC, 20);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        cluster.settled(20, a, b);
        CountDownLatch rejoin = holdEvents(b, a);

        b.expire();
        eventually(() -> assertThat(b.coordinator.isConnected()).isFalse());
        eventually(() -> assertThat(a.coordinator.admin().status().events())
                .anyMatch(event -> event.text().equals("b is away")));
        cluster.pass(DELAY.plusSeconds(1));
        eventually(() -> assertThat(cluster.owners(a, 20)).containsOnlyKeys("a"));
        assertThat(b.owned).isNotEmpty(); // it has not been notified, but it may not answer with success
        rejoin.countDown();

        cluster.settled(20, a, b);
        assertThat(b.notices).anyMatch(change -> !change.owned());
    }

    @Test
    void serverThatIsBackWhileItsPartitionsAreGivenAwayGetsItsShare() throws Exception {
        cluster.topics.put(TOPIC, 20);
        List<Runnable> beforeWrite = new CopyOnWriteArrayList<>();
        Server a = cluster.join("a", topic -> beforeWrite.forEach(Runnable::run));
        Server b = cluster.join("b");
        cluster.settled(20, a, b);
        CountDownLatch rejoin = holdEvents(b, a);
        b.expire();
        eventually(() -> assertThat(a.coordinator.admin().status().events())
                .anyMatch(event -> event.text().equals("b is away")));

        beforeWrite.add(() -> {
            rejoin.countDown();
            eventually(() -> assertThat(a.view().isServing("b")).isTrue());
        });
        cluster.pass(DELAY.plusSeconds(1));

        eventually(() -> assertThat(b.notices).anyMatch(change -> !change.owned()));
        cluster.settled(20, a, b);
    }

    @Test
    void zooKeeperGoneAndBackMovesNothing() throws Exception {
        cluster.topics.put(TOPIC, 20);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        Map<String, Set<Integer>> before = cluster.settled(20, a, b);
        a.notices.clear();
        b.notices.clear();

        cluster.zooKeeper().stop();
        eventually(() -> assertThat(a.coordinator.isConnected()).isFalse());
        eventually(() -> assertThat(b.coordinator.isConnected()).isFalse());
        assertThat(a.coordinator.address(TOPIC, 0)).as("what may be long over").isEmpty();
        // Until the sessions are over by what the servers know.
        eventually(() ->
                assertThat(a.place(Cluster.of(before, "a").iterator().next())).isInstanceOf(Location.Nowhere.class));
        eventually(() ->
                assertThat(b.place(Cluster.of(before, "b").iterator().next())).isInstanceOf(Location.Nowhere.class));
        cluster.zooKeeper().restart();

        assertThat(cluster.settled(20, a, b)).isEqualTo(before);
        assertThat(a.notices).isEmpty();
        assertThat(b.notices).isEmpty();
    }

    @Test
    void interruptedConnectionStopsNobodyFromAnswering() throws Exception {
        cluster.topics.put(TOPIC, 20);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        Map<String, Set<Integer>> before = cluster.settled(20, a, b);
        int own = Cluster.of(before, "a").iterator().next();
        a.notices.clear();
        b.notices.clear();
        List<String> heard = new CopyOnWriteArrayList<>();
        ((CuratorLink) a.coordinator.link())
                .client()
                .getConnectionStateListenable()
                .addListener((client, state) -> heard.add(state + ": "
                        + (a.coordinator.isConnected() && a.place(own) instanceof Location.Here
                                ? "answers"
                                : "stops")));

        cluster.zooKeeper().restart();
        eventually(() -> assertThat(heard).hasSizeGreaterThan(1));

        assertThat(heard).first().isEqualTo("SUSPENDED: answers");
        assertThat(cluster.settled(20, a, b)).isEqualTo(before);
        assertThat(a.notices).isEmpty();
        assertThat(b.notices).isEmpty();
    }

    /** Curator takes a node for the same one if its version is, which is 0 for each new one. */
    @Test
    void serverThatRegistersAnewWhileAnotherIsCutOffIsKnownByItsNewProcess() throws Exception {
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        Nodes nodes = a.nodes();
        String path = nodes.path(NodeKind.SERVER, "s");
        nodes.create(path, registered("earlier"), CreateMode.EPHEMERAL);
        eventually(() -> assertThat(b.coordinator.isAlive("earlier")).isTrue());

        b.cut();
        eventually(() -> assertThat(b.coordinator.isInTouch()).isFalse());
        assertThat(nodes.delete(path, 0)).isTrue();
        nodes.create(path, registered("later"), CreateMode.EPHEMERAL);
        b.heal();

        eventually(() -> assertThat(b.coordinator.isAlive("later")).isTrue());
        assertThat(b.coordinator.isAlive("earlier")).isFalse();
    }

    private static byte[] registered(String process) {
        return NodeFormat.encode(new Registration(process, false, "s:80", "s:90"));
    }

    @Test
    void stopDoesNotWaitForAZooKeeperThatIsGone() throws Exception {
        Server a = cluster.join("a");
        cluster.zooKeeper().stop();
        eventually(() -> assertThat(a.coordinator.isConnected()).isFalse());

        a.coordinator.leaving();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(a.coordinator::close);

        assertThat(closed).succeedsWithin(Duration.ofSeconds(10));
    }

    @Test
    void leaderKilledInMidAssignmentLeavesTheRestToTheNext() throws Exception {
        for (int topic = 10; topic < 20; topic++) {
            cluster.topics.put("topic" + topic, 3);
        }
        AtomicBoolean killed = new AtomicBoolean();
        Server[] first = new Server[1];
        first[0] = cluster.create("a", topic -> {
            if (topic.equals("topic15") && killed.compareAndSet(false, true)) {
                first[0].coordinator.close();
            }
        });
        first[0].coordinator.start();
        eventually(() -> assertThat(killed).isTrue());

        Server b = cluster.join("b");

        eventually(() -> assertThat(b.coordinator.locate("topic19", 2)).isEqualTo(new Location.Here()));
        assertThat(b.coordinator.locate("topic10", 0)).isInstanceOf(Location.Nowhere.class); // it waits for a
        cluster.pass(DELAY.plusSeconds(1));
        eventually(() -> assertThat(b.owned).hasSize(30));
    }

    @Test
    void ofTwoLeadersOneWrites() throws Exception {
        cluster.topics.put(TOPIC, 4);
        AtomicBoolean hold = new AtomicBoolean();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch resume = new CountDownLatch(1);
        Server a = cluster.join("a", topic -> {
            if (hold.compareAndSet(true, false)) {
                held.countDown();
                await(resume);
            }
        });
        Server b = cluster.join("b");
        cluster.settled(4, a, b);
        long epoch = epoch(b);

        hold.set(true);
        a.coordinator.topicChanged(TOPIC, 5);
        await(held); // a stands between reading and writing …
        Nodes nodes = b.nodes();
        nodes.delete(nodes.leader(), -1);
        eventually(() -> assertThat(b.isLeading()).isTrue());
        eventually(() -> assertThat(epoch(b)).isEqualTo(epoch + 1)); // … while b writes …
        Map<String, Set<Integer>> written = cluster.owners(b, 5);
        resume.countDown(); // … and what a writes now is of the past
        // written by the thread of a's round, once that has ended
        a.coordinator.report(List.of(), ServerHealth.of(Map.of(), 0));
        eventually(() -> assertThat(nodes.names(nodes.traffic())).contains("a"));

        eventually(() -> assertThat(cluster.owners(a, 5)).isEqualTo(written));
        b.coordinator.topicChanged(TOPIC, 6);
        cluster.settled(6, a, b);
        assertThat(epoch(a)).isEqualTo(epoch + 2);
    }

    @Test
    void ofTwoServersWithOneNameTheLaterStays() throws Exception {
        cluster.topics.put(TOPIC, 4);
        Server first = cluster.join("a");
        eventually(() -> assertThat(first.owned).hasSize(4));

        Server second = cluster.join("a");

        eventually(() -> assertThat(first.coordinator.isConnected()).isFalse());
        eventually(() -> assertThat(second.owned).hasSize(4));
        eventually(() -> assertThat(first.place(0)).isInstanceOf(Location.Nowhere.class));
        eventually(() -> assertThat(first.coordinator.replaced()).isCompleted());
        cluster.zooKeeper().restart(); // both connect again
        eventually(() -> assertThat(second.coordinator.isConnected()).isTrue());
        second.coordinator.topicChanged(TOPIC, 5);
        eventually(() -> assertThat(second.owned).hasSize(5));
        assertThat(first.coordinator.isConnected()).isFalse();
        assertThat(second.coordinator.replaced()).isNotCompleted();
    }

    @Test
    void processThatOutlivesALaterOneOfItsNameStopsToo() throws Exception {
        cluster.topics.put(TOPIC, 4);
        Server first = cluster.join("a");
        Server other = cluster.join("b");
        int own = Cluster.of(cluster.settled(4, first, other), "a").iterator().next();
        CountDownLatch rejoin = holdEvents(first, other);
        first.expire();
        Server second = cluster.join("a");
        cluster.settled(4, second, other);
        second.coordinator.close(); // what it has written, the first process does not know

        rejoin.countDown();

        eventually(() -> assertThat(first.coordinator.replaced()).isCompleted());
        assertThat(first.place(own)).isInstanceOf(Location.Nowhere.class);
        assertThat(first.coordinator.isConnected()).isFalse();
        cluster.settled(4, cluster.join("a"), other);
    }

    @Test
    void serversWhoseNodesSomebodyHasDeletedRegisterAgain() throws Exception {
        cluster.topics.put(TOPIC, 4);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        cluster.settled(4, a, b);
        long session = a.connection().getSessionId();

        b.connection().delete("/talos/processes/a", -1);
        b.connection().delete("/talos/processes/b", -1);
        a.expire();

        eventually(() -> assertThat(a.connection().getSessionId()).isNotEqualTo(session));
        cluster.settled(4, a, b);
        assertThat(a.coordinator.replaced()).isNotCompleted();
        b.connection().delete("/talos/cluster/servers/b", -1);
        cluster.settled(4, a, b);
        assertThat(b.coordinator.replaced()).isNotCompleted();
    }

    @Test
    void allRestartedAtOnceFindWhatTheyHad() throws Exception {
        cluster.topics.put(TOPIC, 60);
        Server[] servers = {cluster.join("a"), cluster.join("b"), cluster.join("c")};
        Map<String, Set<Integer>> before = cluster.settled(60, servers);
        for (Server server : servers) {
            server.coordinator.close();
        }

        List<CompletableFuture<Server>> starting = new ArrayList<>();
        for (Server server : servers) {
            starting.add(CompletableFuture.supplyAsync(() -> joined(server.id)));
        }
        List<Server> again = new ArrayList<>();
        for (CompletableFuture<Server> each : starting) {
            again.add(each.get(60, TimeUnit.SECONDS));
        }

        assertThat(cluster.settled(60, again.toArray(Server[]::new))).isEqualTo(before);
        assertThat(again).allSatisfy(server -> assertThat(server.notices).allMatch(OwnershipChange::owned));
    }

    @Test
    @Tag("full") // processor
    @Tag("servers")
    void thousandsOfPartitionsExpireNobody() throws Exception {
        for (int topic = 0; topic < 1_000; topic++) {
            cluster.topics.put("topic" + topic, 10);
        }
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        long ofA = a.connection().getSessionId();
        long ofB = b.connection().getSessionId();

        eventually(() -> {
            assertThat(a.owned.size() + b.owned.size()).isEqualTo(10_000);
            assertThat(b.owned).hasSizeBetween(4_500, 5_500);
        });

        assertThat(a.connection().getSessionId()).isEqualTo(ofA);
        assertThat(b.connection().getSessionId()).isEqualTo(ofB);
        assertThat(a.coordinator.isConnected() && b.coordinator.isConnected()).isTrue();
    }

    @Test
    void whatAnotherVersionHasWrittenIsNotTouched() throws Exception {
        cluster.topics.put(TOPIC, 4);
        Server a = cluster.join("a");
        eventually(() -> assertThat(a.owned).hasSize(4));
        Nodes nodes = a.nodes();
        String path = nodes.path(NodeKind.TOPIC, TOPIC);
        byte[] newer = "{\"v\":2,\"all\":\"a\"}".getBytes(StandardCharsets.UTF_8);
        nodes.put(path, newer);

        eventually(() -> assertThat(a.owned).isEmpty());
        assertThat(a.place(0)).isInstanceOf(Location.Nowhere.class);
        cluster.announceNew(a, "f".repeat(32), 1); // a whole round of the leader
        eventually(() -> assertThat(a.owned).hasSize(1));

        assertThat(nodes.read(path)).isNotNull().extracting(NodeData::data).isEqualTo(newer);
    }

    private Server joined(String id) {
        try {
            return cluster.join(id);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private long epoch(Server says) {
        ClusterView.VersionedOwners topic = says.view().topic(TOPIC);
        return topic == null ? 0 : topic.owners().epoch();
    }
}

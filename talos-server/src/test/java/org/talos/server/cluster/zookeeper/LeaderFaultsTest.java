// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.cluster.zookeeper.Cluster.DELAY;
import static org.talos.server.cluster.zookeeper.Cluster.TOPIC;
import static org.talos.server.cluster.zookeeper.Cluster.eventually;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.talos.server.cluster.ClusterEvent;
import org.talos.server.cluster.ClusterRows.OwnerRow;
import org.talos.server.cluster.PartitionId;
import org.talos.server.cluster.assignment.Handovers;
import org.talos.server.cluster.zookeeper.Cluster.Server;
import org.talos.server.cluster.zookeeper.access.ZooKeeperUsers;

/** States that a leader must not mistake for "nothing to do". */
@ResourceLock(value = ZooKeeperUsers.LOGINS, mode = ResourceAccessMode.READ) // servers that ask nobody
@Timeout(120)
class LeaderFaultsTest {
    private static final String NEW = "f".repeat(32);

    private final Cluster cluster = new Cluster();
    private int rounds;

    @AfterEach
    void close() throws IOException {
        cluster.close();
    }

    /** A whole round of the leader, from its beginning. */
    private void round(Server server) {
        rounds++;
        String topic = String.format(Locale.ROOT, "%032x", rounds);
        cluster.announceNew(server, topic, 1);
        eventually(() -> assertThat(server.view().topic(topic)).isNotNull());
    }

    private static List<String> events(Server says) throws IOException {
        return says.coordinator.admin().status().events().stream()
                .map(ClusterEvent::text)
                .toList();
    }

    @Test
    void topicWhoseRowCannotBeReadKeepsItsOwnersAndIsNamed() throws Exception {
        cluster.topics.put(TOPIC, 4);
        Server a = cluster.join("a");
        eventually(() -> assertThat(a.owned).hasSize(4));

        cluster.topics.remove(TOPIC); // no cache has it any more …
        cluster.rows.unreadable.add("orders"); // … and nobody knows whose row that is
        round(a);
        cluster.pass(Duration.ofMinutes(6));
        eventually(() ->
                assertThat(events(a)).anyMatch(text -> text.contains("cannot be read") && text.contains("orders")));
        round(a);

        assertThat(a.owned).contains(TOPIC + "/0", TOPIC + "/3");
    }

    @Test
    void topicThatOnlyTheCacheMissesKeepsItsOwners() throws Exception {
        cluster.topics.put(TOPIC, 4);
        Server a = cluster.join("a");
        eventually(() -> assertThat(a.owned).hasSize(4));

        cluster.topics.remove(TOPIC);
        cluster.rows.unseen.put(TOPIC, 4);
        round(a);
        long before = cluster.rows.listings.get();
        cluster.pass(Duration.ofMinutes(6));
        eventually(() -> assertThat(cluster.rows.listings).hasValueGreaterThan(before));
        round(a);

        assertThat(a.owned).contains(TOPIC + "/0", TOPIC + "/3");
    }

    @Test
    void topicWhoseRowIsGoneLosesItsOwners() throws Exception {
        cluster.topics.put(TOPIC, 4);
        Server a = cluster.join("a");
        eventually(() -> assertThat(a.owned).hasSize(4));

        cluster.topics.remove(TOPIC);
        round(a);
        assertThat(a.owned).contains(TOPIC + "/0");
        cluster.pass(Duration.ofMinutes(6));

        eventually(() -> assertThat(a.owned).doesNotContain(TOPIC + "/0"));
        eventually(
                () -> assertThat(events(a)).anyMatch(text -> text.contains("no row any more") && text.contains(TOPIC)));
    }

    @Test
    void topicDeletedBeforeALeaderChangeGetsNoOwnersAgain() throws Exception {
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        eventually(() -> assertThat(a.isLeading()).isTrue());
        cluster.rows.gone.add(TOPIC);
        cluster.topics.put(TOPIC, 2); // only the caches have it, which are stale

        Nodes nodes = a.nodes();
        nodes.delete(nodes.leader(), -1);
        round(b);
        round(b);

        assertThat(nodes.read(nodes.path(NodeKind.TOPIC, TOPIC))).isNull();
    }

    @Test
    void lateAnnouncementOfADeletedTopicMakesNothing() throws Exception {
        Server a = cluster.join("a");

        a.coordinator.topicChanged(NEW, 3); // of a topic that another server has deleted meanwhile

        eventually(() -> assertThat(events(a)).anyMatch(text -> text.contains("deleted meanwhile: topic " + NEW)));
        Nodes nodes = a.nodes();
        assertThat(nodes.read(nodes.path(NodeKind.TOPIC, NEW))).isNull();
        eventually(() -> assertThat(nodes.names(nodes.folder(NodeKind.TASK))).isEmpty());
    }

    @Test
    void moveWhoseWriteConflictsIsDoneAfterAll() throws Exception {
        cluster.topics.put(TOPIC, 4);
        AtomicBoolean interfere = new AtomicBoolean();
        Server[] first = new Server[1];
        first[0] = cluster.join("a", topic -> {
            if (interfere.compareAndSet(true, false)) {
                writeAgain(first[0], topic);
            }
        });
        Server b = cluster.join("b");
        int moved = Cluster.of(cluster.settled(4, first[0], b), "a").iterator().next();

        interfere.set(true);
        b.coordinator.admin().move(TOPIC, moved, "b");

        eventually(() -> assertThat(b.owned).contains(TOPIC + "/" + moved));
        eventually(() -> assertThat(events(b)).contains("moved: " + TOPIC + "/" + moved + " to b"));
        assertThat(interfere).isFalse();
    }

    @Test
    void oneTopicWrittenByAnotherHoldsUpNoOtherOfItsBatch() throws Exception {
        AtomicBoolean interfere = new AtomicBoolean();
        Server[] first = new Server[1];
        for (int topic = 10; topic < 20; topic++) {
            cluster.topics.put("topic" + topic, 4);
        }
        first[0] = cluster.join("a", topic -> {
            if (topic.equals("topic15") && interfere.compareAndSet(true, false)) {
                writeAgain(first[0], topic);
            }
        });
        eventually(() -> assertThat(first[0].owned).hasSize(40));

        interfere.set(true);
        for (int topic = 10; topic < 20; topic++) {
            cluster.topics.put("topic" + topic, 5);
        }

        eventually(() -> assertThat(first[0].owned).hasSize(50));
        assertThat(interfere).isFalse();
    }

    /** As another leader: the version is another one afterwards. */
    private static void writeAgain(Server by, String topic) {
        try {
            Nodes nodes = by.nodes();
            String path = nodes.path(NodeKind.TOPIC, topic);
            NodeData found = nodes.read(path);
            nodes.put(path, found == null ? new byte[0] : found.data());
        } catch (KeeperException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void moveThatCannotBeDoneIsToldToTheOperator() throws Exception {
        cluster.topics.put(TOPIC, 4);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        int moved = Cluster.of(cluster.settled(4, a, b), "a").iterator().next();
        cluster.rows.released = false; // so that it waits
        b.coordinator.close();
        eventually(() -> assertThat(a.view().isServing("b")).isFalse());

        Nodes nodes = a.nodes();
        nodes.put(
                nodes.path(NodeKind.TASK, "move-1"),
                LeaderTask.move(TOPIC, moved, "b").encode());
        nodes.put(
                nodes.path(NodeKind.TASK, "move-2"),
                LeaderTask.move(TOPIC, 4, "a").encode());

        eventually(() -> assertThat(events(a)).anyMatch(text -> text.contains("there is no such partition")));
        assertThat(nodes.names(nodes.folder(NodeKind.TASK))).contains("move-1");
        cluster.pass(DELAY.plusSeconds(1));
        eventually(() -> assertThat(events(a)).anyMatch(text -> text.contains("which does not serve")));
        eventually(() -> assertThat(nodes.names(nodes.folder(NodeKind.TASK))).doesNotContain("move-1"));
    }

    /** After an interruption a leader reads all nodes again, in any order. */
    @Test
    void moveIsNotJudgedByOwnersThatAreOlder() throws Exception {
        cluster.topics.put(TOPIC, 4);
        cluster.topics.put(NEW, 4);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        eventually(() -> assertThat(owner(a, TOPIC)).isNotEmpty());
        String owner = owner(a, TOPIC);
        String other = owner.equals("a") ? "b" : "a";
        CountDownLatch deaf = new CountDownLatch(1);
        CountDownLatch hearing = new CountDownLatch(1);
        a.coordinator.onRowsChanged(() -> {
            deaf.countDown();
            Cluster.await(hearing);
        });
        b.coordinator.rowsChanged();
        deaf.await(); // from here on the leader learns of no node …
        Nodes nodes = b.nodes();
        nodes.put(nodes.path(NodeKind.TOPIC, TOPIC), new TopicOwners(99, List.of(other, other, other, other)).encode());
        String later = nodes.path(NodeKind.TASK, "move-1");
        String done = nodes.path(NodeKind.TASK, "move-2");
        nodes.put(later, LeaderTask.move(TOPIC, 0, owner).encode());
        nodes.put(done, LeaderTask.move(NEW, 0, owner(a, NEW)).encode());
        for (String task : List.of(later, done)) { // … but of these
            NodeData made = Objects.requireNonNull(nodes.read(task));
            a.view().set(task, made.data(), made.stat());
        }

        eventually(() -> assertThat(nodes.read(done)).isNull());
        assertThat(nodes.read(later)).isNotNull();
        hearing.countDown();

        eventually(() -> assertThat(nodes.read(later)).isNull());
        eventually(() -> assertThat(owner(b, TOPIC)).isEqualTo(owner));
    }

    /** The owner of partition 0; empty if there is none. */
    private static String owner(Server says, String topic) {
        ClusterView.VersionedOwners known = says.view().topic(topic);
        return known == null ? "" : known.owners().owner(0);
    }

    /** A server that registers again deletes its node and creates it, between any two looks of the leader. */
    @Test
    void serverThatIsGoneInTheMiddleOfARoundKeepsItsPartitions() throws Exception {
        cluster.topics.put(TOPIC, 20);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        Map<String, Set<Integer>> before = cluster.settled(20, a, b);
        a.notices.clear();
        AtomicBoolean gone = new AtomicBoolean();

        cluster.rows.beforeTopics = () -> {
            if (gone.compareAndSet(false, true)) {
                delete(a, a.nodes().path(NodeKind.SERVER, "b"));
                eventually(() -> assertThat(a.view().isServing("b")).isFalse());
            }
        };
        eventually(() -> assertThat(gone).isTrue());
        eventually(() -> assertThat(a.view().isServing("b")).isTrue());
        round(a);

        assertThat(cluster.owners(a, 20)).isEqualTo(before);
        assertThat(a.notices).noneMatch(change -> change.topicId().equals(TOPIC));
    }

    private static void delete(Server by, String path) {
        try {
            by.nodes().delete(path, -1);
        } catch (KeeperException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As that of a newer version: nobody knows whether its server serves, so nobody takes its partitions. */
    @Test
    void serverWhoseNodeCannotBeReadKeepsItsPartitions() throws Exception {
        cluster.topics.put(TOPIC, 20);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        Map<String, Set<Integer>> before = cluster.settled(20, a, b);
        String path = a.nodes().path(NodeKind.SERVER, "b");

        a.nodes().put(path, "{\"v\":99}".getBytes(StandardCharsets.UTF_8));
        eventually(() -> assertThat(events(a)).anyMatch(text -> text.contains(path)));
        cluster.pass(Cluster.DELAY.plusSeconds(1));
        round(a);

        for (Server each : List.of(a, b)) {
            assertThat(each.owned)
                    .filteredOn(partition -> partition.startsWith(TOPIC))
                    .hasSameSizeAs(Cluster.of(before, each.id));
        }
        assertThat(a.coordinator.isAlive(b.process))
                .as("it may be that process")
                .isTrue();
    }

    @Test
    void taskThatCannotBeReadStaysAndIsNamed() throws Exception {
        Server a = cluster.join("a");
        Nodes nodes = a.nodes();
        String path = nodes.path(NodeKind.TASK, "move-of-tomorrow");

        nodes.put(path, "{\"v\":2}".getBytes(StandardCharsets.UTF_8));

        eventually(() -> assertThat(events(a)).anyMatch(text -> text.contains("move-of-tomorrow")));
        round(a);
        assertThat(nodes.read(path)).isNotNull();
    }

    @Test
    void drainGoesInWavesAsTheGiverReleases() throws Exception {
        cluster.topics.put(TOPIC, 300);
        Server a = cluster.join("a");
        eventually(() -> assertThat(a.owned).hasSize(300));
        Server b = cluster.join("b");
        eventually(() -> assertThat(events(b)).contains("load is levelled"));
        Map<String, Set<Integer>> owners = cluster.settled(300, a, b);
        int all = Cluster.of(owners, "a").size();
        cluster.rows.released = false;
        b.notices.clear();

        a.coordinator.admin().drain("a");
        eventually(() -> assertThat(b.notices).hasSize(Handovers.MOST));
        cluster.announceNew(b, NEW, 1); // which goes to b
        eventually(() -> assertThat(b.notices).hasSize(Handovers.MOST + 1));
        cluster.announceNew(b, "e".repeat(32), 1);
        eventually(() -> assertThat(b.notices).as("nobody has released one").hasSize(Handovers.MOST + 2));

        int half = Handovers.MOST / 2;
        b.notices.stream()
                .limit(half)
                .forEach(each -> cluster.rows.owners.put(
                        new PartitionId(each.topicId(), each.partition()), new OwnerRow(2, false)));
        eventually(() -> assertThat(b.notices).hasSize(Handovers.MOST + half + 2));
        cluster.rows.released = true;

        eventually(() -> assertThat(b.notices).hasSize(all + 2));
        eventually(() -> assertThat(events(b)).contains("a is drained: it owns nothing any more"));
    }

    @Test
    void operatorWhoDrainsAllServersIsToldThatNothingIsPlaced() throws Exception {
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        // A server drains only those that it knows.
        eventually(() -> assertThat(b.coordinator.admin().status().servers()).hasSize(2));
        b.coordinator.admin().drain("a");
        b.coordinator.admin().drain("b");

        eventually(() -> assertThat(events(a)).anyMatch(text -> text.startsWith("all servers are drained")));
        cluster.announceNew(a, NEW, 4);

        b.coordinator.admin().resume("b");
        eventually(() -> assertThat(events(a)).contains("partitions are placed again, on b"));
        eventually(() -> assertThat(b.owned).hasSize(4));
        assertThat(events(a))
                .filteredOn(text -> text.startsWith("all servers are drained"))
                .hasSize(1);
    }

    @Test
    void levellingGoesOnUnderTheNextLeader() throws Exception {
        cluster.topics.put(TOPIC, 200);
        Server a = cluster.join("a");
        eventually(() -> assertThat(a.owned).hasSize(200));
        cluster.rows.released = false;
        Server b = cluster.join("b");
        eventually(() -> assertThat(b.owned).hasSize(Handovers.MOST));

        Nodes nodes = b.nodes();
        nodes.delete(nodes.leader(), -1);
        cluster.rows.released = true;

        eventually(() -> assertThat(b.owned).hasSizeBetween(95, 105));
        eventually(() -> assertThat(nodes.names(nodes.folder(NodeKind.TASK))).isEmpty());
        eventually(() -> assertThat(events(a)).contains("load is levelled"));
    }
}

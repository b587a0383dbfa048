// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.cluster.zookeeper.Cluster.DELAY;
import static org.talos.server.cluster.zookeeper.Cluster.TOPIC;
import static org.talos.server.cluster.zookeeper.Cluster.eventually;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.talos.server.cluster.ClusterStatus;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.Location;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.cluster.ServerHealth;
import org.talos.server.cluster.zookeeper.Cluster.Server;
import org.talos.server.cluster.zookeeper.access.ZooKeeperUsers;

@ResourceLock(value = ZooKeeperUsers.LOGINS, mode = ResourceAccessMode.READ) // servers that ask nobody
@Timeout(120)
class ZooKeeperCoordinatorTest {
    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() throws IOException {
        cluster.close();
    }

    @Test
    void allServersAgreeAndEachIsNotifiedOfItsOwnPartitions() throws Exception {
        cluster.topics.put(TOPIC, 30);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        Server c = cluster.join("c");

        Map<String, Set<Integer>> owners = cluster.settled(30, a, b, c);

        assertThat(owners.values()).allSatisfy(own -> assertThat(own).hasSizeBetween(9, 11));
        int ofB = Cluster.of(owners, "b").iterator().next();
        assertThat(a.place(ofB))
                .isInstanceOfSatisfying(
                        Location.There.class,
                        there -> assertThat(there.server().transferAddress()).isEqualTo("b:90"));
        assertThat(b.place(ofB)).isEqualTo(new Location.Here());
        assertThat(c.coordinator.address(TOPIC, ofB)).contains("b:80");
    }

    @Test
    void topicsComeGrowAndGoWhileItRuns() throws Exception {
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        assertThat(a.place(0)).isInstanceOf(Location.Nowhere.class);

        cluster.announceNew(b, TOPIC, 4); // which the leader's metadata does not know yet
        cluster.settled(4, a, b);
        cluster.topics.put(TOPIC, 4);
        b.coordinator.topicChanged(TOPIC, 9);
        cluster.settled(9, a, b);
        cluster.rows.gone.add(TOPIC);
        a.coordinator.topicChanged(TOPIC, 0); // which it knows still
        eventually(() -> assertThat(b.place(0)).isInstanceOf(Location.Nowhere.class));

        eventually(() -> assertThat(a.owned).isEmpty());
        eventually(() -> assertThat(b.owned).isEmpty());
        cluster.topics.remove(TOPIC);
        cluster.announceNew(b, "f".repeat(32), 1);
        eventually(() -> assertThat(a.owned.size() + b.owned.size()).isEqualTo(1));
        assertThat(a.place(0)).isInstanceOf(Location.Nowhere.class);
    }

    @Test
    void serverThatComesTakesItsShareAndNoMore() throws Exception {
        cluster.topics.put(TOPIC, 40);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        Map<String, Set<Integer>> before = cluster.settled(40, a, b);
        a.notices.clear();

        Server c = cluster.join("c");
        eventually(() -> assertThat(c.owned).hasSizeBetween(12, 14));
        Map<String, Set<Integer>> after = cluster.settled(40, a, b, c);

        assertThat(Cluster.of(before, "a")).containsAll(Cluster.of(after, "a"));
        assertThat(Cluster.of(before, "b")).containsAll(Cluster.of(after, "b"));
        assertThat(a.notices).allMatch(change -> !change.owned());
        assertThat(c.notices).allMatch(OwnershipChange::owned);
    }

    /** As a server shows it. */
    private static ClusterStatus.Server shown(Server by, String id) throws IOException {
        return by.coordinator.admin().status().servers().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyServerShowsWhatAnotherSaysOfItselfWhileThatIsThere() throws Exception {
        cluster.topics.put(TOPIC, 20);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        int ofB = Cluster.of(cluster.settled(20, a, b), "b").size();
        assertThat(shown(a, "b").health()).isEmpty();
        ServerHealth health = ServerHealth.of(Map.of("storage", "HDFS does not answer"), 3);

        b.coordinator.report(List.of(), health);

        eventually(() -> assertThat(shown(a, "b").health()).contains(health));
        assertThat(a.coordinator.admin().status().withoutServer()).isZero();
        b.coordinator.close();
        eventually(() -> assertThat(shown(a, "b").health()).isEmpty());
        assertThat(a.coordinator.admin().status().withoutServer()).isEqualTo(ofB);
        Server again = cluster.join("b");
        eventually(() -> assertThat(shown(a, "b").clientAddress()).isEqualTo("b:80"));
        assertThat(shown(a, "b").health()).as("of the process before").isEmpty();
        again.coordinator.report(List.of(), health);
        eventually(() -> assertThat(shown(a, "b").health()).contains(health));
    }

    @Test
    void stoppedServerIsNowhereAtOnceAndMovesAfterTheDelay() throws Exception {
        cluster.topics.put(TOPIC, 20);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        Map<String, Set<Integer>> before = cluster.settled(20, a, b);
        int lost = Cluster.of(before, "b").iterator().next();
        int kept = Cluster.of(before, "a").iterator().next();
        b.notices.clear();

        b.coordinator.leaving();
        eventually(() -> assertThat(a.place(lost)).isInstanceOf(Location.Nowhere.class));
        assertThat(b.place(lost)).isInstanceOf(Location.Nowhere.class);
        assertThat(b.coordinator.isConnected()).isTrue(); // it may end what it has begun
        b.coordinator.close();
        eventually(() -> assertThat(a.coordinator.admin().status().leader()).isEqualTo("a"));
        eventually(() -> assertThat(a.coordinator.admin().status().events())
                .anyMatch(event -> event.text().equals("b is away")));
        cluster.pass(DELAY.minusSeconds(1));
        cluster.announceNew(a, "f".repeat(32), 1); // a whole round of the leader
        eventually(() -> assertThat(a.coordinator.locate("f".repeat(32), 0)).isEqualTo(new Location.Here()));
        assertThat(a.place(lost)).isInstanceOf(Location.Nowhere.class);
        assertThat(a.place(kept)).isEqualTo(new Location.Here());

        cluster.pass(Duration.ofSeconds(2));

        eventually(() -> assertThat(cluster.owners(a, 20)).containsOnlyKeys("a"));
        assertThat(a.coordinator.isAlive(a.process)).isTrue();
        assertThat(a.coordinator.isAlive(b.process))
                .as("its partitions are taken without a wait")
                .isFalse();
        assertThat(b.notices).isEmpty();
        assertThat(b.coordinator.isConnected()).isFalse();
    }

    @Test
    void serverBackWithinTheDelayFindsItsPartitions() throws Exception {
        cluster.topics.put(TOPIC, 20);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        Map<String, Set<Integer>> before = cluster.settled(20, a, b);
        a.notices.clear();

        for (Server each : new Server[] {b, a}) { // a rolling restart
            each.coordinator.leaving();
            each.coordinator.close();
            cluster.pass(DELAY.dividedBy(2));
            Server again = cluster.join(each.id);
            eventually(() ->
                    assertThat(again.owned).hasSize(Cluster.of(before, again.id).size()));
            eventually(() -> assertThat(cluster.owners(again, 20)).isEqualTo(before));
        }

        assertThat(a.notices).isEmpty();
    }

    @Test
    void drainedServerGivesEverythingAndGetsNothingUntilItIsResumed() throws Exception {
        cluster.topics.put(TOPIC, 80);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        cluster.settled(80, a, b);
        a.notices.clear();

        b.coordinator.admin().drain("a");
        eventually(() -> assertThat(cluster.owners(a, 80)).containsOnlyKeys("b"));
        eventually(() -> assertThat(a.owned).isEmpty());
        a.coordinator.close();
        Server again = cluster.join("a");
        again.coordinator.admin().rebalance();
        b.coordinator.topicChanged(TOPIC, 100);
        eventually(() -> assertThat(cluster.owners(b, 100)).containsOnlyKeys("b"));
        assertThat(again.notices).isEmpty();
        assertThat(b.coordinator.admin().status().servers()).hasSize(2);

        b.coordinator.admin().resume("a");
        eventually(() -> assertThat(again.owned).hasSizeBetween(45, 55));
        cluster.settled(100, again, b);
    }

    @Test
    void drainIsMadeKnownToItsServerEachTimeThatItBegins() throws Exception {
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        AtomicInteger ofA = new AtomicInteger();
        AtomicInteger ofB = new AtomicInteger();
        a.coordinator.onDrained(ofA::incrementAndGet);
        b.coordinator.onDrained(ofB::incrementAndGet);

        b.coordinator.admin().drain("a");
        eventually(() -> assertThat(ofA).hasValue(1));
        b.coordinator.admin().resume("a");
        b.coordinator.admin().drain("b");
        eventually(() -> assertThat(ofB).hasValue(1));
        assertThat(ofA).as("its end is none").hasValue(1);
        b.coordinator.admin().drain("a");

        eventually(() -> assertThat(ofA).hasValue(2));
    }

    @Test
    void partitionGoesWhereAnOperatorWantsIt() throws Exception {
        cluster.topics.put(TOPIC, 4);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        int moved = Cluster.of(cluster.settled(4, a, b), "a").iterator().next();

        b.coordinator.admin().move(TOPIC, moved, "b");

        eventually(() -> assertThat(b.place(moved)).isEqualTo(new Location.Here()));
        eventually(() -> assertThat(b.notices).contains(new OwnershipChange(TOPIC, moved, true)));
        assertThatThrownBy(() -> a.coordinator.admin().move(TOPIC, 4, "b")).hasMessageContaining("one that exists");
        assertThatThrownBy(() -> a.coordinator.admin().move(TOPIC, 0, "x")).hasMessageContaining("one that serves");
        assertThatThrownBy(() -> a.coordinator.admin().drain("x")).hasMessageContaining("one of the cluster");
    }

    @Test
    void releasedPartitionsAreMadeKnownToTheirNextOwners() throws Exception {
        cluster.topics.put(TOPIC, 4);
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        Set<Integer> ofA = new TreeSet<>(Cluster.of(cluster.settled(4, a, b), "a"));
        Set<Integer> heard = new ConcurrentSkipListSet<>();
        b.coordinator.onHandovers(new Coordinator.HandoverListener() {
            @Override
            public void released(String topicId, int partition) {
                heard.add(partition);
            }

            @Override
            public void inTouch() {}
        });
        int moved = ofA.iterator().next();
        ofA.remove(moved);
        b.coordinator.admin().move(TOPIC, moved, "b");
        eventually(() -> assertThat(a.owned).hasSize(ofA.size()));

        ofA.forEach(each -> a.coordinator.released(TOPIC, each)); // it owns them: nobody waits for them
        a.coordinator.released(TOPIC, moved);

        eventually(() -> assertThat(heard).containsExactly(moved));
    }

    @Test
    void changedRowsAreAnnouncedToEveryOtherServer() throws Exception {
        Server a = cluster.join("a");
        Server b = cluster.join("b");
        AtomicInteger ofA = new AtomicInteger();
        AtomicInteger ofB = new AtomicInteger();
        a.coordinator.onRowsChanged(ofA::incrementAndGet);
        b.coordinator.onRowsChanged(ofB::incrementAndGet);

        for (int change = 0; change < 10_000; change++) {
            a.coordinator.rowsChanged();
        }
        eventually(() -> assertThat(ofB).hasPositiveValue());
        assertThat(ofA).hasValue(0);
        assertThat(ofB).hasValueLessThan(1_000);
        b.coordinator.rowsChanged();
        eventually(() -> assertThat(ofA).hasPositiveValue());
    }

    @Test
    void withoutZooKeeperItDoesNotStart() throws Exception {
        int port = cluster.zooKeeper().getPort();
        cluster.zooKeeper().stop();

        // Held, or another test's ZooKeeper comes to listen there.
        try (ServerSocket held = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> cluster.join("a"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("zookeeper.connect");
            assertThat(held.isClosed()).isFalse();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.simulation.Scheduler;

/** Tests a server on a connection that fails, in the time of a simulation. */
@Timeout(30)
class SimulatedLinkTest {
    private static final Duration SESSION = Duration.ofSeconds(10);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final String OTHER = "/talos/cluster/servers/s";
    private static final int PARTITIONS = 4;

    private final Random random = new Random(7);
    private final Scheduler scheduler = new Scheduler(random, new ArrayList<>(), SECOND);
    private final SimulatedZooKeeper zooKeeper = new SimulatedZooKeeper(scheduler::nanos);
    private final Map<String, Integer> topics = new HashMap<>();
    private final SimulatedLink link = link("b");
    private final ZooKeeperCoordinator coordinator = coordinator("b", link);

    private SimulatedLink link(String server) {
        return new SimulatedLink(zooKeeper, scheduler.process(server), random, SESSION.toNanos());
    }

    private ZooKeeperCoordinator coordinator(String server, SimulatedLink by) {
        return SimulatedCoordinator.of(
                by,
                by.process(),
                new ClusterMember(server, server + ":80", server + ":90"),
                server + "#1",
                SESSION,
                SESSION,
                new RowsInTests(topics));
    }

    private void pass(long nanos) {
        scheduler.runUntil(scheduler.nanos() + nanos);
    }

    /** Registers another server by a new process of it; returns the session. */
    private long register(String owner) throws KeeperException {
        long session = zooKeeper.connect(SESSION.toNanos());
        byte[] data = NodeFormat.encode(new Registration(owner, false, "s:80", "s:90"));
        assertThat(zooKeeper.create(OTHER, data, CreateMode.EPHEMERAL, session).getVersion())
                .isZero();
        return session;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void serverThatRegistersAnewMeanwhileIsKnownByItsNewProcess(boolean noticed) throws Exception {
        var joined = SimulatedCoordinator.begin(coordinator);
        pass(10 * SECOND);
        assertThat(joined).isCompleted();
        long earlier = register("s#1");
        pass(SECOND);
        assertThat(coordinator.isAlive("s#1")).isTrue();

        link.cut(3 * SECOND, noticed);
        zooKeeper.end(earlier);
        register("s#2");
        pass(10 * SECOND);

        assertThat(coordinator.isInTouch()).isTrue();
        assertThat(coordinator.isAlive("s#2")).isTrue();
        assertThat(coordinator.isAlive("s#1")).isFalse();
    }

    @Test
    void serverThatIsGoneMeanwhileIsKnownNoMore() throws Exception {
        var joined = SimulatedCoordinator.begin(coordinator);
        pass(10 * SECOND);
        assertThat(joined).isCompleted();
        long earlier = register("s#1");
        pass(SECOND);

        link.cut(3 * SECOND, true);
        zooKeeper.end(earlier);
        pass(10 * SECOND);

        assertThat(coordinator.isInTouch()).isTrue();
        assertThat(coordinator.isAlive("s#1")).isFalse();
    }

    /** Servers that own the topic's partitions. */
    private List<String> owners() {
        return IntStream.range(0, PARTITIONS)
                .mapToObj(partition -> zooKeeper.owner("/talos/cluster/topics/" + Cluster.TOPIC, partition))
                .toList();
    }

    @Test
    void newServerGetsItsShareThoughTheWishForThatCannotBeWrittenAtOnce() {
        topics.put(Cluster.TOPIC, PARTITIONS);
        var joined = SimulatedCoordinator.begin(coordinator);
        pass(10 * SECOND);
        assertThat(joined).isCompleted();
        assertThat(owners()).containsOnly("b");

        link.failToCreate("/talos/cluster/tasks/rebalance-for-d");
        var added = SimulatedCoordinator.begin(coordinator("d", link("d")));
        pass(60 * SECOND);

        assertThat(added).isCompleted();
        assertThat(link.isFailureDue()).isFalse();
        assertThat(owners()).containsExactlyInAnyOrder("b", "b", "d", "d");
    }
}

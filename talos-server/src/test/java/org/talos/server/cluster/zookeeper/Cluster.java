// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Location;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.cluster.zookeeper.access.ZooKeeperUsers;
import org.talos.server.config.ZooKeeperConfig;
import org.talos.server.config.ZooKeeperSaslConfig;
import org.talos.server.config.ZooKeeperSaslConfig.Access;
import org.talos.server.config.ZooKeeperSaslConfig.Mechanism;
import org.talos.server.metrics.ClusterMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.time.SystemTime;

/**
 * Servers' coordinators and their ZooKeeper, in this JVM. The leader's time is set by the test. A class that uses it
 * locks {@link ZooKeeperUsers#LOGINS}: a ZooKeeper that starts while another test has users of its own ends the JVM.
 */
final class Cluster implements AutoCloseable {
    static final String TOPIC = "0123456789abcdef0123456789abcdef";
    static final ZooKeeperSaslConfig NO_SASL =
            new ZooKeeperSaslConfig(Mechanism.NONE, "", "", "", "", "", Access.PRIVATE);
    static final Duration DELAY = Duration.ofSeconds(60);

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration SESSION = Duration.ofSeconds(3);
    private static final int TICK_MILLIS = 200; // sessions of 20 ticks at most

    final Map<String, Integer> topics = new ConcurrentHashMap<>(); // what all caches have, and the rows
    final RowsInTests rows = new RowsInTests(topics);
    private final TestingServer zooKeeper;
    private final AtomicLong passedNanos = new AtomicLong();
    private final List<Server> servers = new ArrayList<>();

    Cluster() {
        try {
            zooKeeper = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MILLIS, -1), true);
        } catch (Exception e) {
            throw new IllegalStateException("no ZooKeeper", e);
        }
    }

    /** A server, with the notices it has received. */
    final class Server {
        final String id;
        final String process = UUID.randomUUID().toString();
        final ZooKeeperCoordinator coordinator;
        final List<OwnershipChange> notices = new CopyOnWriteArrayList<>();
        final Set<String> owned = new ConcurrentSkipListSet<>();
        final Metrics metrics = new Metrics(SystemTime.ticker());
        final List<String> wrong = new CopyOnWriteArrayList<>(); // notices that do not alternate

        private Server(String id, ZooKeeperSaslConfig sasl, Consumer<String> beforeWrite, InstantSource clock)
                throws IOException {
            this.id = id;
            ZooKeeperConfig config = config(sasl);
            coordinator = new ZooKeeperCoordinator(
                    config,
                    Duration.ofSeconds(30),
                    new ZooKeeperCoordinator.Identity(new ClusterMember(id, id + ":80", id + ":90"), process),
                    new Leader.Options(DELAY, rows, passedNanos::get, beforeWrite),
                    new ZooKeeperCoordinator.Environment(
                            new CuratorLink(config), new ClusterThreads(), SystemTime.ticker(), clock),
                    new ClusterMetrics(metrics));
            coordinator.onChange(this::heard);
        }

        private void heard(OwnershipChange change) {
            notices.add(change);
            String partition = change.topicId() + "/" + change.partition();
            if (change.owned() ? !owned.add(partition) : !owned.remove(partition)) {
                wrong.add(change.toString());
            }
        }

        Location place(int partition) {
            return coordinator.locate(TOPIC, partition);
        }

        boolean isLeading() throws IOException {
            return coordinator.admin().status().leader().equals(id);
        }

        Nodes nodes() {
            return new Nodes(coordinator.link(), config(NO_SASL).root());
        }

        ClusterView view() {
            return coordinator.view();
        }

        ZooKeeper connection() throws KeeperException {
            return ((CuratorLink) coordinator.link()).connection();
        }

        /** Cuts this server off; its session continues. */
        void cut() throws Exception {
            connection().updateServerList("127.0.0.1:1"); // nobody is there
        }

        /** Lets this server find ZooKeeper again. */
        void heal() throws Exception {
            connection().updateServerList(zooKeeper.getConnectString());
        }

        /** Expires the session, as a long pause does. */
        void expire() throws Exception {
            ZooKeeper own = connection();
            ZooKeeper thief = new ZooKeeper(
                    zooKeeper.getConnectString(), 3_000, event -> {}, own.getSessionId(), own.getSessionPasswd());
            Awaitility.await().atMost(PATIENCE).until(() -> thief.getState().isConnected());
            thief.close();
        }
    }

    private ZooKeeperConfig config(ZooKeeperSaslConfig sasl) {
        return new ZooKeeperConfig(zooKeeper.getConnectString(), "/talos", SESSION, sasl);
    }

    Server join(String id) throws IOException {
        return join(id, topic -> {});
    }

    Server join(String id, Consumer<String> beforeWrite) throws IOException {
        Server server = create(id, beforeWrite);
        server.coordinator.start();
        return server;
    }

    /** Not started. */
    Server create(String id, Consumer<String> beforeWrite) {
        return create(id, beforeWrite, SystemTime.wallClock());
    }

    /** Adds a server with a clock of its own, not started. */
    Server create(String id, InstantSource clock) {
        return create(id, topic -> {}, clock);
    }

    private Server create(String id, Consumer<String> beforeWrite, InstantSource clock) {
        try {
            return create(id, NO_SASL, beforeWrite, clock);
        } catch (IOException e) {
            throw new IllegalStateException("without credentials there is nothing to read", e);
        }
    }

    private Server create(String id, ZooKeeperSaslConfig sasl, Consumer<String> beforeWrite, InstantSource clock)
            throws IOException {
        Server server = new Server(id, sasl, beforeWrite, clock);
        servers.add(server);
        return server;
    }

    /** A server with credentials for ZooKeeper. */
    Server join(String id, ZooKeeperSaslConfig sasl) throws IOException {
        Server server = create(id, sasl, topic -> {}, SystemTime.wallClock());
        server.coordinator.start();
        return server;
    }

    TestingServer zooKeeper() {
        return zooKeeper;
    }

    void pass(Duration time) {
        passedNanos.addAndGet(time.toNanos());
    }

    /** Has a new topic with a row that no cache has read yet, and announces it: a whole round of the leader. */
    void announceNew(Server by, String topicId, int partitions) {
        rows.unseen.put(topicId, partitions);
        by.coordinator.topicChanged(topicId, partitions);
    }

    /** Repeats the check until it passes, for a bounded time. */
    static void eventually(ThrowingRunnable check) {
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).untilAsserted(check);
    }

    /** Waits for a step of the test, for a bounded time. */
    static void await(CountDownLatch latch) {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody came");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The partitions by server, as one server knows them; empty while one of them has no owner. */
    Map<String, Set<Integer>> owners(Server says, int partitions) {
        Map<String, Set<Integer>> owners = new TreeMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            Location place = says.place(partition);
            if (place instanceof Location.Nowhere) {
                return Map.of();
            }
            String owner =
                    place instanceof Location.There there ? there.server().id() : says.id;
            owners.computeIfAbsent(owner, each -> new TreeSet<>()).add(partition);
        }
        return owners;
    }

    /** Waits until all servers agree and were notified of their partitions. Returns the partitions by server. */
    Map<String, Set<Integer>> settled(int partitions, Server... among) {
        eventually(() -> {
            Map<String, Set<Integer>> first = owners(among[0], partitions);
            assertThat(first.keySet()).containsExactlyInAnyOrderElementsOf(ids(among));
            for (Server server : among) {
                assertThat(owners(server, partitions)).isEqualTo(first);
                assertThat(server.owned).hasSameSizeAs(of(first, server.id));
                assertThat(server.coordinator.isConnected()).isTrue();
            }
        });
        for (Server server : servers) {
            assertThat(server.wrong).as("notices of %s alternate", server.id).isEmpty();
        }
        return owners(among[0], partitions);
    }

    /** One server's partitions. */
    static Set<Integer> of(Map<String, Set<Integer>> owners, String id) {
        return owners.getOrDefault(id, Set.of());
    }

    private static List<String> ids(Server... servers) {
        List<String> ids = new ArrayList<>();
        for (Server server : servers) {
            ids.add(server.id);
        }
        return ids;
    }

    @Override
    public void close() throws IOException {
        servers.forEach(server -> server.coordinator.close());
        zooKeeper.close();
    }
}

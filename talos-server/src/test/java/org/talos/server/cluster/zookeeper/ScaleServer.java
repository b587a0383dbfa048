// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.KeeperException;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.metrics.ClusterMetrics;
import org.talos.server.metrics.Metrics;

/**
 * One process of a server: the real leader, assignment, view, registry, notices and session, joined as in
 * {@link ZooKeeperCoordinator}; its partitions are opened and closed by what that costs.
 *
 * <p>Confined: the simulation's thread.
 */
final class ScaleServer {
    static final Duration SESSION = Duration.ofSeconds(20);

    private static final ThreadMXBean PROCESSOR = ManagementFactory.getThreadMXBean();
    private static final long MILLI = 1_000_000;
    private static final long HEARTBEAT = SESSION.toNanos() / 20;
    private static final long ROUND = 500 * MILLI;
    private static final long EVENT_LATENCY = MILLI;
    /** Opening and closing a log whose last owner has sealed it, and one whose owner is gone; so many at once. */
    private static final long OPENING = 50 * MILLI;

    private static final long RECOVERY = 250 * MILLI;
    private static final long CLOSING = 50 * MILLI;
    private static final int OPENINGS = 64;
    private static final int CLOSINGS = 16;
    private static final long RELEASE_POLL = 100 * MILLI;

    final String id;
    final int process; // number of this process, which no other has
    long processorNanos; // of its rounds while it leads
    private final ScaleCluster cluster;
    private final VirtualTime time;
    private final ScaleZooKeeper zooKeeper;
    private final ScaleRows rows;
    private final long sessionId;
    private final Nodes nodes;
    private final ClusterView view;
    private final ClusterSession session;
    private final Registry registry;
    private final Notices notices;
    private final Leader leader;
    private final VirtualTime.Lane work;
    private final Set<String> changedNodes = new LinkedHashSet<>(); // by watches
    private final Set<Integer> owned = new HashSet<>();
    private final Deque<Integer> toOpen = new ArrayDeque<>();
    private final Deque<Integer> toClose = new ArrayDeque<>();
    private int opening;
    private int closing;
    private boolean reading; // nodes that have changed
    private boolean joining;
    private boolean roundDue;
    private boolean connected;
    private boolean ended;

    ScaleServer(ScaleCluster cluster, String id, int process) {
        this.cluster = cluster;
        this.id = id;
        this.process = process;
        time = cluster.time;
        zooKeeper = cluster.zooKeeper;
        rows = cluster.rows;
        sessionId = zooKeeper.newSession();
        work = time.new Lane();
        nodes = new Nodes(zooKeeper.calls(sessionId, () -> connected), "/talos");
        view = new ClusterView(nodes);
        session = new ClusterSession(time::nanos, () -> Instant.ofEpochSecond(0, time.nanos()));
        registry = new Registry(nodes, new ClusterMember(id, id + ":80", id + ":90"), id + "#" + process);
        notices = new Notices(id);
        notices.add(this::onOwnership);
        ClusterMetrics metrics = new ClusterMetrics(new Metrics(time::nanos));
        EventLog events = new EventLog(nodes, () -> Instant.ofEpochSecond(0, time.nanos()));
        leader = new Leader(
                new Leader.Dependencies(nodes, view, session, id, events, new Traffic(nodes), metrics),
                new Leader.Options(ScaleCluster.DELAY_REMOVED, rows, time::nanos, topic -> {}),
                this::changed,
                this::requestRound);
    }

    void start() {
        connect(ConnectionState.CONNECTED);
        every(HEARTBEAT, this::heartbeat);
        every(ROUND, () -> step(leader::round));
    }

    private void every(long nanos, Runnable what) {
        time.after(nanos, () -> {
            if (!ended) {
                what.run();
                every(nanos, what);
            }
        });
    }

    /** A step that waits for ZooKeeper. */
    @FunctionalInterface
    private interface Step {
        void run() throws KeeperException, InterruptedException;
    }

    private void step(Step step) {
        work.run(() -> {
            boolean leads = leader.isLeading();
            long before = PROCESSOR.getCurrentThreadCpuTime();
            try {
                step.run();
            } catch (KeeperException e) {
                cluster.failedSteps++; // the next heartbeat or round repeats it
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            if (leads || leader.isLeading()) {
                processorNanos += PROCESSOR.getCurrentThreadCpuTime() - before;
            }
        });
    }

    // Membership

    void connect(ConnectionState state) {
        connected = state.isConnected();
        session.onConnectionState(state);
        if (state == ConnectionState.RECONNECTED) {
            readAll(() -> {}); // as Curator does
        } else if (!connected) {
            joining = false;
            zooKeeper.unwatch(sessionId);
        }
        heartbeat();
    }

    /** Returns whether this server may answer requests. */
    boolean answers() {
        return !ended && session.mayAnswer();
    }

    private void heartbeat() {
        if (ended) {
            return;
        }
        if (session.shouldJoin()) {
            if (!joining) {
                joining = true;
                step(this::join);
            }
        } else if (connected && session.id() != 0) {
            ClusterSession.Moment asked = session.now();
            long latency = zooKeeper.charge(ScaleZooKeeper.Call.HEARTBEAT, 60);
            time.after(latency, () -> {
                NodeData own = zooKeeper.node(nodes.path(NodeKind.SERVER, id));
                if (connected) {
                    session.answered(asked, own == null ? 0 : own.stat().getEphemeralOwner());
                }
            });
        }
    }

    private void join() throws KeeperException, InterruptedException {
        int interruptions = session.interruptions();
        nodes.prepare();
        readAll(() -> step(() -> register(interruptions)));
    }

    /** Watches all nodes, and reads their names and contents, many at once. */
    private void readAll(Runnable then) {
        zooKeeper.watch(sessionId, this::nodeHasChanged);
        List<String> paths = zooKeeper.below(nodes.cluster());
        long latency = 0;
        for (String path : paths) {
            NodeData node = zooKeeper.node(path);
            latency = zooKeeper.charge(ScaleZooKeeper.Call.LIST, path.length());
            latency =
                    zooKeeper.charge(ScaleZooKeeper.Call.READ, path.length() + (node == null ? 0 : node.data().length));
        }
        time.after(latency, () -> {
            if (connected && !ended) {
                paths.forEach(this::update);
                Set<String> there = new HashSet<>(zooKeeper.below(nodes.cluster()));
                view.retain(there).forEach(this::changed);
                then.run();
            }
        });
    }

    private void register(int interruptions) throws KeeperException, InterruptedException {
        ClusterSession.Moment asked = session.now();
        if (session.shouldJoin() && registry.register(sessionId)) {
            session.joined(sessionId, interruptions, asked, Math.toIntExact(SESSION.toMillis()));
        }
        joining = false;
        requestRound();
    }

    private void nodeHasChanged(String path) {
        if (path.startsWith(nodes.cluster() + "/")) {
            changedNodes.add(path);
            zooKeeper.calls.merge(ScaleZooKeeper.Call.EVENT, 1L, Long::sum);
            if (!reading) {
                reading = true;
                time.after(EVENT_LATENCY, this::readChanged);
            }
        }
    }

    private void readChanged() {
        List<String> paths = List.copyOf(changedNodes);
        changedNodes.clear();
        long latency = 0;
        for (String path : paths) {
            NodeData node = zooKeeper.node(path);
            latency =
                    zooKeeper.charge(ScaleZooKeeper.Call.READ, path.length() + (node == null ? 0 : node.data().length));
        }
        time.after(latency, () -> {
            reading = false;
            if (connected && !ended) {
                paths.forEach(this::update);
                if (!changedNodes.isEmpty()) {
                    reading = true;
                    readChanged();
                }
            }
        });
    }

    private void update(String path) {
        NodeData before = view.node(path);
        NodeData now = zooKeeper.node(path);
        if (now != null ? view.set(path, now.data(), now.stat()) : before != null && view.remove(path, before.stat())) {
            changed(path);
        }
    }

    private void changed(String path) {
        if (view.is(NodeKind.TOPIC, path)) {
            String topic = ClusterView.name(path);
            ClusterView.VersionedOwners owners = view.topic(topic);
            notices.onTopicOwners(topic, owners == null ? null : owners.owners());
        }
        requestRound();
    }

    private void requestRound() {
        if (!roundDue) {
            roundDue = true;
            step(() -> {
                roundDue = false;
                leader.round();
            });
        }
    }

    // Partitions

    private void onOwnership(OwnershipChange change) {
        int partition = rows.number(change.topicId(), change.partition());
        if (change.owned()) {
            owned.add(partition);
            toOpen.add(partition);
            open();
        } else {
            owned.remove(partition);
            rows.stopServing(partition, process);
            toClose.add(partition);
            close();
        }
    }

    /** Opens what waits for it. */
    private void open() {
        int waiting = toOpen.size();
        while (opening < OPENINGS && waiting-- > 0 && !ended) {
            Integer partition = toOpen.poll();
            if (partition != null && owned.contains(partition)) {
                open(partition);
            }
        }
    }

    /** Opens a partition once no living process has it. */
    private void open(int partition) {
        rows.countRow();
        boolean released = rows.isReleased(partition);
        if (!released && rows.owner(partition) != process && cluster.isAlive(rows.owner(partition))) {
            time.after(RELEASE_POLL, () -> {
                toOpen.add(partition);
                open();
            });
            return;
        }
        opening++;
        time.after(released ? OPENING : RECOVERY, () -> {
            opening--;
            if (!ended && owned.contains(partition)) {
                rows.take(partition, process);
                rows.serve(partition, process);
            }
            open();
        });
    }

    private void close() {
        while (closing < CLOSINGS && !toClose.isEmpty()) {
            int partition = toClose.remove();
            closing++;
            time.after(CLOSING, () -> {
                closing--;
                if (!ended) {
                    rows.release(partition, process);
                    close();
                }
            });
        }
    }

    /** Stops in order: others learn of it, all logs are sealed, then the session ends. */
    void stop(Runnable then) {
        session.advance(ClusterSession.State.LEAVING);
        step(() -> {
            registry.announceStop();
            leader.resign();
        });
        owned.forEach(partition -> {
            rows.stopServing(partition, process);
            toClose.add(partition);
        });
        owned.clear();
        close();
        awaitClosed(() -> {
            kill();
            zooKeeper.end(sessionId);
            then.run();
        });
    }

    private void awaitClosed(Runnable then) {
        if (toClose.isEmpty() && closing == 0) {
            then.run();
        } else {
            time.after(RELEASE_POLL, () -> awaitClosed(then));
        }
    }

    /** Ends at once; its session expires later. */
    void kill() {
        session.advance(ClusterSession.State.CLOSED);
        ended = true;
        connected = false;
        work.close();
        zooKeeper.unwatch(sessionId);
        for (int partition = 0; partition < rows.all(); partition++) {
            rows.stopServing(partition, process);
        }
    }

    void expire() {
        zooKeeper.end(sessionId);
    }

    boolean isEnded() {
        return ended;
    }

    boolean isLeading() {
        return !ended && leader.isLeading();
    }

    /** Returns whether it is registered, and what it owns is what it serves. */
    boolean isSettled() {
        return session.isServing() && toOpen.isEmpty() && opening == 0;
    }

    ClusterView view() {
        return view;
    }

    Nodes nodes() {
        return nodes;
    }
}

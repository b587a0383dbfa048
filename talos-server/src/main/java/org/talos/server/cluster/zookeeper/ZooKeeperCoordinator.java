// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.cluster.ClusterClock;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.Location;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.cluster.PartitionTraffic;
import org.talos.server.cluster.ServerHealth;
import org.talos.server.config.ClusterConfig;
import org.talos.server.config.ZooKeeperConfig;
import org.talos.server.metrics.ClusterMetrics;
import org.talos.server.runtime.time.Ticker;

/**
 * Shares partitions among servers through ZooKeeper; docs/formats/cluster.md lists the nodes.
 *
 * <p>ZooKeeper's own threads only record whether the connection is up. Events and ownership notices run on one thread,
 * which never blocks; calls that wait for ZooKeeper run on another.
 *
 * <p>Thread-safe.
 */
public final class ZooKeeperCoordinator implements Coordinator {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperCoordinator.class);
    private static final Location HERE = new Location.Here();
    private static final Location NOT_YET = new Location.Nowhere(Duration.ofMillis(200));
    private static final Location AWAY = new Location.Nowhere(Duration.ofSeconds(1));
    private static final Duration ROUND_INTERVAL = Duration.ofMillis(500);
    private static final Duration LOGIN_INTERVAL = Duration.ofSeconds(5);
    /** Heartbeats within half a session timeout, after which a session without an answer counts as lost. */
    private static final int HEARTBEATS_PER_HALF_SESSION = 10;

    private final ZooKeeperConfig config;
    private final ClusterMember self;
    private final ZooKeeperLink link;
    private final Nodes nodes;
    private final ClusterView view;
    private final ClusterSession session;
    private final Registry registry;
    private final Notices notices;
    private final Leader leader;
    private final Traffic traffic;
    private final ZooKeeperAdmin admin;
    private final ClockCheck clockCheck;
    private final Announcements announcements;
    private final ClusterThreads threads;
    private final ClusterMetrics metrics;
    private final Admission admission;
    private final AtomicBoolean joining = new AtomicBoolean();
    private final AtomicBoolean roundDue = new AtomicBoolean();
    private final AtomicBoolean loginDue = new AtomicBoolean();
    private final CompletableFuture<Void> replaced = new CompletableFuture<>();
    private volatile int generation; // number of the current watch: events of earlier ones are dropped
    private volatile ZooKeeperLink.@Nullable Watch watched; // set by the work thread only

    /**
     * A coordinator that is not connected yet: see {@link #start}.
     *
     * @param cluster time for which partitions of an absent server wait for it, and the allowed error of the server's
     *     clock
     * @param rows of topics and partitions, for the leader
     * @param clock compared with ZooKeeper's, and the source of the events' timestamps
     * @throws IOException the credentials for ZooKeeper cannot be read
     */
    public ZooKeeperCoordinator(
            ZooKeeperConfig config,
            ClusterConfig cluster,
            Identity identity,
            ClusterRows rows,
            Ticker ticker,
            InstantSource clock,
            ClusterMetrics metrics)
            throws IOException {
        this(
                config,
                cluster.maxClockDifference(),
                identity,
                new Leader.Options(cluster.delayRemoved(), rows, ticker, topicId -> {}),
                new Environment(new CuratorLink(config), new ClusterThreads(), ticker, clock),
                metrics);
    }

    ZooKeeperCoordinator(
            ZooKeeperConfig config,
            Duration maxClockDifference,
            Identity identity,
            Leader.Options options,
            Environment env,
            ClusterMetrics metrics) {
        this.metrics = metrics;
        this.config = config;
        self = identity.member;
        admission = new Admission(config);
        link = env.link;
        threads = env.threads;
        nodes = new Nodes(link, config.root());
        view = new ClusterView(nodes);
        session = new ClusterSession(env.ticker, env.clock);
        registry = new Registry(nodes, self, identity.process);
        notices = new Notices(self.id());
        traffic = new Traffic(nodes);
        EventLog events = new EventLog(nodes, env.clock);
        var shared = new Leader.Dependencies(nodes, view, session, self.id(), events, traffic, metrics);
        leader = new Leader(shared, options, path -> threads.onEvents(() -> changed(path)), () -> requestRound());
        admin = new ZooKeeperAdmin(link, nodes, view);
        announcements = new Announcements(link, nodes, view, session, self.id(), identity.process, threads);
        clockCheck = new ClockCheck(nodes, self.id(), env.clock, env.ticker, maxClockDifference, metrics, threads);
    }

    /**
     * This server, as other servers see it. Immutable.
     *
     * @param member its id and addresses
     * @param process names this process, and no other, as the rows of its partitions do
     */
    public record Identity(ClusterMember member, String process) {}

    /** The ZooKeeper link, threads, and clocks, which a simulation replaces. Immutable. */
    record Environment(ZooKeeperLink link, ClusterThreads threads, Ticker ticker, InstantSource clock) {}

    /**
     * Joins the cluster and reads its state. Blocks, for two session timeouts at most.
     *
     * @throws IOException ZooKeeper does not answer, or this server's clock differs from its; the coordinator is closed
     *     then
     */
    public void start() throws IOException {
        try {
            var unused = begin(); // waited for below, with words of its own
            admission.await();
        } catch (IOException e) {
            close();
            throw e;
        }
        LOG.info("joined the cluster server={} zookeeper={} root={}", self.id(), config.connect(), config.root());
    }

    /** Begins to join the cluster; completes once this server is a member, fails as {@link #start} does. */
    CompletableFuture<Void> begin() {
        link.start(this::onConnectionState, this::refused);
        threads.onEventsEvery(config.sessionTimeout().dividedBy(2 * HEARTBEATS_PER_HALF_SESSION), this::heartbeat);
        threads.onWorkEvery(ROUND_INTERVAL, "round", leader::round);
        return admission.decided();
    }

    @Override
    public Location locate(String topicId, int partition) {
        ClusterView.VersionedOwners topic = view.topic(topicId);
        String owner = topic == null ? TopicOwners.NOBODY : topic.owners().owner(partition);
        if (owner.isEmpty()) {
            return NOT_YET;
        }
        if (owner.equals(self.id())) {
            return session.isServing() ? HERE : AWAY;
        }
        return view.serving(owner).<Location>map(Location.There::new).orElse(AWAY);
    }

    @Override
    public Optional<String> address(String topicId, int partition) {
        ClusterView.VersionedOwners topic = view.topic(topicId);
        return topic == null || !session.mayAnswer() // this server's view may be stale
                ? Optional.empty()
                : view.serving(topic.owners().owner(partition)).map(ClusterMember::clientAddress);
    }

    @Override
    public List<ClusterMember> others() {
        return view.othersThan(self.id());
    }

    @Override
    public boolean isConnected() {
        return session.mayAnswer();
    }

    @Override
    public boolean isInTouch() {
        return session.isLive();
    }

    @Override
    public boolean isAlive(String process) {
        return view.isAlive(process);
    }

    @Override
    public boolean hasHeardSince(long nanos) {
        return session.hasHeardSince(nanos);
    }

    /**
     * Returns a future that completes once another process has this server's id. This process serves nothing any more,
     * and must end.
     */
    public CompletionStage<Void> replaced() {
        return replaced.minimalCompletionStage();
    }

    /** The operations of an operator on the cluster. */
    public ClusterAdmin admin() {
        return admin;
    }

    /** Publishes this server's traffic, by which the leader levels load, and its health; to be called at intervals. */
    public void report(List<PartitionTraffic> measured, ServerHealth health) {
        threads.onWork("traffic", () -> traffic.write(self.id(), measured));
        announcements.health(health);
    }

    @Override
    public void topicChanged(String topicId, int partitions) {
        announcements.topicChanged(topicId, partitions);
    }

    @Override
    public void rowsChanged() {
        announcements.rowsChanged();
    }

    @Override
    public void released(String topicId, int partition) {
        announcements.released(topicId, partition);
    }

    @Override
    public void onHandovers(HandoverListener listener) {
        announcements.onHandovers(listener);
    }

    @Override
    public void onRowsChanged(Runnable listener) {
        announcements.onRowsChanged(listener);
    }

    @Override
    public void onDrained(Runnable listener) {
        announcements.onDrained(listener);
    }

    @Override
    public void onChange(Consumer<OwnershipChange> listener) {
        threads.onEvents(() -> notices.add(listener));
    }

    @Override
    public void leaving() {
        if (session.advance(ClusterSession.State.LEAVING)) {
            threads.onWork("announcement of a stop", () -> {
                registry.announceStop();
                leader.resign();
            });
        }
    }

    @Override
    public void close() {
        if (!session.advance(ClusterSession.State.CLOSED)) {
            return;
        }
        threads.close();
        link.close(); // ends the session, which deletes this server's ephemeral nodes
    }

    /** Runs on Curator's thread: sets the flags before any notice is sent. */
    private void onConnectionState(ConnectionState state) {
        boolean lost = session.onConnectionState(state);
        if (!state.isConnected()) {
            joining.set(false);
        }
        if (lost) {
            metrics.sessionLost();
        }
        LOG.info("connection to ZooKeeper state={} wasMember={}", state, lost);
        threads.onEvents(this::heartbeat);
        if (session.isLive()) {
            announcements.inTouch();
        }
    }

    /**
     * ZooKeeper does not accept this server's credentials. One that has been a member continues as without a
     * connection, and tries with a new session: credentials that were right will be so again.
     */
    private void refused() {
        admission.unauthenticated();
        if (loginDue.compareAndSet(false, true)) { // several events tell of one refusal
            threads.onEventsAfter(LOGIN_INTERVAL, () -> threads.onWork("login", this::logInAgain));
        }
    }

    private void logInAgain() {
        loginDue.set(false);
        onConnectionState(ConnectionState.LOST);
        link.beginAnew();
    }

    /** Reads this server's own node to confirm the session, or joins again if the session is lost. */
    private void heartbeat() {
        metrics.setCluster(
                session.mayAnswer(), leader.isLeading(), view.servers().size(), notices.owned());
        if (session.shouldJoin()) {
            if (joining.compareAndSet(false, true)) {
                threads.onWork("joining", this::join);
            }
        } else if (session.isConnected() && session.id() != 0) {
            ClusterSession.Moment asked = session.now();
            link.existsLater(nodes.path(NodeKind.SERVER, self.id()), (stat, code) -> answered(asked, stat, code));
        }
    }

    private void answered(ClusterSession.Moment asked, @Nullable Stat stat, int code) {
        if (code == KeeperException.Code.OK.intValue() && stat != null) {
            session.answered(asked, stat.getEphemeralOwner());
        } else if (code == KeeperException.Code.NONODE.intValue()) {
            session.answered(asked, 0);
        }
    }

    /**
     * Reads all nodes before it registers. So a server that others see knows its partitions, and their previous owners.
     */
    private void join() throws KeeperException, InterruptedException {
        boolean begun = false;
        try {
            if (session.shouldJoin()) {
                int interruptions = session.interruptions();
                nodes.prepare();
                link.protect(nodes.root());
                watch(interruptions);
                begun = true;
            }
        } catch (KeeperException e) {
            admission.failed(e);
            throw e;
        } finally {
            if (!begun) {
                joining.set(false);
            }
        }
    }

    private void register(int interruptions) throws KeeperException, InterruptedException {
        try {
            ClusterSession.Moment asked = session.now();
            ZooKeeperLink.Session current = link.session();
            long sessionId = current.id();
            if (!session.shouldJoin() || !clockCheck.admits(admission)) {
                return;
            }
            if (!registry.register(sessionId)) {
                session.advance(ClusterSession.State.REPLACED);
                LOG.error("another process has this server's id, serving stopped server={}", self.id());
                admission.refuse(new IOException("cluster.serverId: another process with the id " + self.id()
                        + " was started at the same time; give each server an id of its own"));
                replaced.complete(null);
                return;
            }
            int timeout = Math.min(
                    current.timeoutMillis(),
                    Math.toIntExact(config.sessionTimeout().toMillis()));
            if (session.joined(sessionId, interruptions, asked, timeout)) {
                admission.admit();
                announcements.inTouch();
            }
        } catch (KeeperException e) {
            admission.failed(e);
            throw e;
        } finally {
            joining.set(false);
        }
        requestRound();
    }

    @Override
    public ClusterClock clusterClock(InstantSource own) {
        return clockCheck;
    }

    @Override
    public boolean isClockRight() {
        return clockCheck.isRight();
    }

    ZooKeeperLink link() {
        return link;
    }

    ClusterView view() {
        return view;
    }

    /** Reads all nodes and watches them from then on. */
    private void watch(int interruptions) {
        if (watched != null) {
            watched.close();
        }
        int current = generation + 1;
        generation = current;
        ZooKeeperLink.Watch begun = link.watch(nodes.cluster(), new ZooKeeperLink.Watcher() {
            @Override
            public void changed(@Nullable ChildData before, @Nullable ChildData now) {
                threads.onEvents(() -> nodeChanged(current, before, now));
            }

            @Override
            public void initialized() {
                threads.onEvents(() -> allRead(current, interruptions));
            }

            @Override
            public void failed(Exception error) {
                watchFailed(current, error);
            }
        });
        watched = begun;
        begun.start();
    }

    private void watchFailed(int watch, Exception error) {
        threads.onEvents(() -> {
            if (watch == generation) {
                LOG.info("reading the cluster's nodes again reason={}", error.getMessage());
                admission.failed(error);
                session.reread();
                joining.set(false);
            }
        });
    }

    private void nodeChanged(int watch, @Nullable ChildData before, @Nullable ChildData now) {
        if (watch != generation) {
            return;
        }
        if (now != null && view.set(now)) {
            changed(now.getPath());
        } else if (now == null && before != null && view.remove(before.getPath(), before.getStat())) {
            changed(before.getPath());
        }
    }

    private void allRead(int watch, int interruptions) {
        ZooKeeperLink.Watch reading = watched; // before its number: that is set first
        if (watch != generation || reading == null) {
            return;
        }
        if (interruptions != session.interruptions()) {
            joining.set(false); // events may have been missed
            return;
        }
        view.retain(reading.paths()).forEach(this::changed);
        threads.onWork("registration", () -> register(interruptions));
    }

    private void changed(String path) {
        if (session.state() == ClusterSession.State.CLOSED) {
            return;
        }
        if (view.is(NodeKind.TOPIC, path)) {
            String topicId = ClusterView.name(path);
            ClusterView.VersionedOwners topic = view.topic(topicId);
            notices.onTopicOwners(topicId, topic == null ? null : topic.owners());
        } else if (view.is(NodeKind.ROWS, path)) {
            announcements.rowsChanged(ClusterView.name(path));
            return;
        } else if (view.is(NodeKind.DRAIN, path)) {
            announcements.drainChanged(ClusterView.name(path));
        } else if (view.is(NodeKind.RELEASED, path) && !ClusterView.name(path).equals(self.id())) {
            announcements.heard(ClusterView.name(path));
        }
        requestRound();
    }

    /** Runs one round of the leader soon: one for all requests until it begins. */
    private void requestRound() {
        if (roundDue.compareAndSet(false, true)) {
            threads.onWork("round", () -> {
                roundDue.set(false);
                leader.round();
            });
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.Location;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.cluster.PartitionTraffic;
import org.talos.server.config.ClusterConfig;
import org.talos.server.config.ZooKeeperConfig;
import org.talos.server.metrics.ClusterMetrics;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.Ticker;

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
    /** Changes of rows within this time are announced by one write. */
    private static final Duration ROWS_CHANGED_DELAY = Duration.ofMillis(50);

    private static final Duration CLOCK_CHECK_INTERVAL = Duration.ofMinutes(1);
    /** Heartbeats within half a session timeout, after which a session without an answer counts as lost. */
    private static final int HEARTBEATS_PER_HALF_SESSION = 10;

    private final ZooKeeperConfig config;
    private final ClusterMember self;
    private final Ticker ticker;
    private final CuratorFramework client;
    private final Nodes nodes;
    private final ClusterView view;
    private final ClusterSession session;
    private final Registry registry;
    private final Notices notices;
    private final Leader leader;
    private final Traffic traffic;
    private final ZooKeeperAdmin admin;
    private final ClockCheck clockCheck;
    private final List<Runnable> rowsListeners = new CopyOnWriteArrayList<>();
    private final ClusterThreads threads = new ClusterThreads();
    private final ClusterMetrics metrics;
    private final CompletableFuture<Void> started = new CompletableFuture<>();
    private final AtomicBoolean joining = new AtomicBoolean();
    private final AtomicBoolean rowsDue = new AtomicBoolean();
    private final AtomicBoolean roundDue = new AtomicBoolean();
    private volatile int generation; // number of the current watch: events of earlier ones are dropped
    private @Nullable CuratorCache watched; // used by the work thread only

    /**
     * A coordinator that is not connected yet: see {@link #start}.
     *
     * @param cluster how long partitions of a server that went away wait for it, and how wrong its clock may be
     * @param self this server's id and addresses, as other servers see them
     * @param rows of topics and partitions, for the leader
     * @param clock compared with ZooKeeper's, and the source of the events' timestamps
     */
    public ZooKeeperCoordinator(
            ZooKeeperConfig config,
            ClusterConfig cluster,
            ClusterMember self,
            ClusterRows rows,
            Ticker ticker,
            InstantSource clock,
            ClusterMetrics metrics) {
        this(
                config,
                cluster.maxClockDifference(),
                self,
                new Leader.Options(cluster.delayRemoved(), rows, ticker, topicId -> {}),
                ticker,
                clock,
                metrics);
    }

    ZooKeeperCoordinator(
            ZooKeeperConfig config,
            Duration maxClockDifference,
            ClusterMember self,
            Leader.Options options,
            Ticker ticker,
            InstantSource clock,
            ClusterMetrics metrics) {
        this.metrics = metrics;
        this.config = config;
        this.self = self;
        this.ticker = ticker;
        int sessionMillis = Math.toIntExact(config.sessionTimeout().toMillis());
        client = CuratorFrameworkFactory.builder()
                .connectString(config.connect())
                .sessionTimeoutMs(sessionMillis)
                .connectionTimeoutMs(sessionMillis)
                .retryPolicy(new RetryNTimes(3, 100))
                .threadFactory(new NamedThreads("zookeeper"))
                .ensembleTracker(false)
                .build();
        nodes = new Nodes(client, config.root());
        view = new ClusterView(nodes);
        session = new ClusterSession(ticker);
        registry = new Registry(nodes, self);
        notices = new Notices(self.id(), server -> view.servers().containsKey(server));
        traffic = new Traffic(nodes);
        EventLog events = new EventLog(nodes, clock);
        var shared = new Leader.Dependencies(nodes, view, session, self.id(), events, traffic, metrics);
        leader = new Leader(shared, options, path -> threads.onEvents(() -> changed(path)), () -> requestRound());
        admin = new ZooKeeperAdmin(client, nodes, view);
        clockCheck = new ClockCheck(nodes, self.id(), clock, ticker, maxClockDifference, metrics);
    }

    /**
     * Joins the cluster and reads its state. Blocks, for two session timeouts at most.
     *
     * @throws IOException ZooKeeper does not answer, or this server's clock differs from its; the coordinator is closed
     *     then
     */
    public void start() throws IOException {
        client.getConnectionStateListenable().addListener((curator, state) -> connectionIs(state));
        client.start();
        threads.onEventsEvery(config.sessionTimeout().dividedBy(2 * HEARTBEATS_PER_HALF_SESSION), this::heartbeat);
        threads.onWorkEvery(ROUND_INTERVAL, "round", leader::round);
        try {
            started.get(config.sessionTimeout().toMillis() * 2, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            close();
            throw new IOException(
                    e.getCause() == null ? e.getMessage() : e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            close();
            throw new IOException("zookeeper.connect: " + config.connect() + " does not answer, or not in time", e);
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while joining the cluster", e);
        }
        LOG.info("joined the cluster server={} zookeeper={} root={}", self.id(), config.connect(), config.root());
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
        return topic == null || !session.isLive() // what this server knows may be stale
                ? Optional.empty()
                : view.serving(topic.owners().owner(partition)).map(ClusterMember::clientAddress);
    }

    @Override
    public List<ClusterMember> others() {
        return view.othersThan(self.id());
    }

    @Override
    public boolean isConnected() {
        return session.isLive();
    }

    @Override
    public boolean hasHeardSince(long nanos) {
        return session.hasHeardSince(nanos);
    }

    /** The operations of an operator on the cluster. */
    public ClusterAdmin admin() {
        return admin;
    }

    /** Publishes this server's traffic, by which the leader levels load; to be called at intervals. Keeps it. */
    public void reportTraffic(List<PartitionTraffic> measured) {
        threads.onWork("traffic", () -> traffic.write(self.id(), measured));
    }

    @Override
    public void topicChanged(String topicId, int partitions) {
        byte[] task = LeaderTask.topic(topicId, partitions).encode();
        send(nodes.path(NodeKind.TASK, "topic-" + topicId), task);
    }

    @Override
    public void rowsChanged() {
        if (rowsDue.compareAndSet(false, true)) {
            threads.onEventsAfter(ROWS_CHANGED_DELAY, () -> {
                rowsDue.set(false); // first: a later change is announced again
                send(nodes.path(NodeKind.ROWS, self.id()), new byte[0]);
            });
        }
    }

    /** Writes a node without waiting, on Curator's own threads. */
    private void send(String path, byte[] data) {
        if (session.state() == ClusterSession.State.CLOSED) {
            return;
        }
        try {
            client.create()
                    .orSetData()
                    .inBackground((curator, event) -> sent(path, event))
                    .forPath(path, data);
        } catch (Exception e) { // all that Curator declares
            LOG.warn("change not announced to the cluster; others see it later path={}", path, e);
        }
    }

    private static void sent(String path, CuratorEvent event) {
        if (event.getResultCode() != KeeperException.Code.OK.intValue()) {
            LOG.warn(
                    "change not announced to the cluster; others see it later path={} error={}",
                    path,
                    KeeperException.Code.get(event.getResultCode()));
        }
    }

    @Override
    public void onRowsChanged(Runnable listener) {
        rowsListeners.add(listener);
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
        client.close(); // ends the session, which deletes this server's ephemeral nodes
    }

    /** Runs on Curator's thread: sets the flags before any notice is sent. */
    private void connectionIs(ConnectionState state) {
        boolean lost = session.connectionIs(state);
        if (!state.isConnected()) {
            joining.set(false);
        }
        if (lost) {
            metrics.sessionLost();
        }
        LOG.info("connection to ZooKeeper state={} wasMember={}", state, lost);
        threads.onEvents(this::heartbeat);
    }

    /** Reads this server's own node to confirm the session, or joins again if the session is lost. */
    private void heartbeat() {
        metrics.clusterIs(session.isLive(), leader.isLeading(), view.servers().size(), notices.owned());
        if (session.shouldJoin()) {
            if (joining.compareAndSet(false, true)) {
                threads.onWork("joining", this::join);
            }
        } else if (session.isConnected() && session.id() != 0) {
            long asked = ticker.nanos();
            try {
                client.checkExists()
                        .inBackground((curator, event) -> answered(asked, event))
                        .forPath(nodes.path(NodeKind.SERVER, self.id()));
            } catch (Exception e) { // all that Curator declares
                LOG.warn("heartbeat not sent", e);
            }
        }
    }

    private void answered(long asked, CuratorEvent event) {
        Stat stat = event.getStat();
        if (event.getResultCode() == KeeperException.Code.OK.intValue() && stat != null) {
            session.answered(asked, stat.getEphemeralOwner());
        } else if (event.getResultCode() == KeeperException.Code.NONODE.intValue()) {
            session.answered(asked, 0);
        }
    }

    /** Reads all nodes before it registers: a server that others see knows what it owns, and who owned it before. */
    private void join() throws KeeperException, InterruptedException {
        boolean begun = false;
        try {
            if (session.shouldJoin()) {
                int interruptions = session.interruptions();
                nodes.prepare();
                watch(interruptions);
                begun = true;
            }
        } finally {
            if (!begun) {
                joining.set(false);
            }
        }
    }

    private void register(int interruptions) throws KeeperException, InterruptedException {
        try {
            long asked = ticker.nanos();
            ZooKeeper connection = connection();
            long sessionId = connection.getSessionId();
            if (!session.shouldJoin() || !isClockFit()) {
                return;
            }
            if (!registry.register(sessionId)) {
                session.advance(ClusterSession.State.REPLACED);
                LOG.error("another process has this server's id; nothing is served any more server={}", self.id());
                return;
            }
            int timeout = Math.min(
                    connection.getSessionTimeout(),
                    Math.toIntExact(config.sessionTimeout().toMillis()));
            if (session.joined(sessionId, interruptions, asked, timeout)) {
                started.complete(null);
            }
        } finally {
            joining.set(false);
        }
        requestRound();
    }

    /** Checks the clock before the first registration only: a wrong one must not stop a server that serves. */
    private boolean isClockFit() throws KeeperException, InterruptedException {
        if (started.isDone()) {
            return !started.isCompletedExceptionally();
        }
        try {
            clockCheck.require();
            threads.onWorkEvery(CLOCK_CHECK_INTERVAL, "clock", clockCheck::check);
            return true;
        } catch (IOException e) {
            started.completeExceptionally(e);
            return false;
        }
    }

    @Override
    public long clockAheadMillis() {
        return clockCheck.aheadMillis();
    }

    CuratorFramework client() {
        return client;
    }

    ClusterView view() {
        return view;
    }

    ZooKeeper connection() throws KeeperException {
        try {
            return client.getZookeeperClient().getZooKeeper();
        } catch (KeeperException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("no connection to ZooKeeper: " + e.getMessage(), e);
        }
    }

    /** Reads all nodes and watches them from then on. */
    private void watch(int interruptions) {
        if (watched != null) {
            watched.close();
        }
        int current = generation + 1;
        generation = current;
        CuratorCache cache = CuratorCache.builder(client, nodes.cluster())
                .withExceptionHandler(error -> watchFailed(current, error))
                .build();
        watched = cache;
        CuratorCacheListener listener = new CuratorCacheListener() {
            @Override
            public void event(Type type, @Nullable ChildData before, @Nullable ChildData now) {
                threads.onEvents(() -> nodeChanged(current, before, now));
            }

            @Override
            public void initialized() {
                threads.onEvents(() -> allRead(current, cache, interruptions));
            }
        };
        cache.listenable().addListener(listener, Runnable::run); // the listener only queues
        cache.start();
    }

    private void watchFailed(int watch, Exception error) {
        threads.onEvents(() -> {
            if (watch == generation) {
                LOG.info("reading the cluster's nodes again reason={}", error.getMessage());
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

    private void allRead(int watch, CuratorCache cache, int interruptions) {
        if (watch != generation) {
            return;
        }
        if (interruptions != session.interruptions()) {
            joining.set(false); // events may have been missed
            return;
        }
        Set<String> paths = cache.stream().map(ChildData::getPath).collect(Collectors.toSet());
        view.retain(paths).forEach(this::changed);
        threads.onWork("registration", () -> register(interruptions));
    }

    private void changed(String path) {
        if (session.state() == ClusterSession.State.CLOSED) {
            return;
        }
        if (view.is(NodeKind.TOPIC, path)) {
            String topicId = ClusterView.name(path);
            ClusterView.VersionedOwners topic = view.topic(topicId);
            notices.topicIs(topicId, topic == null ? null : topic.owners());
        } else if (view.is(NodeKind.ROWS, path)) {
            if (!ClusterView.name(path).equals(self.id())) {
                rowsListeners.forEach(Runnable::run);
            }
            return;
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

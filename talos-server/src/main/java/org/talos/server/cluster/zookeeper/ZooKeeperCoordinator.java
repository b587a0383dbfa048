// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
 * Shares partitions among servers through a ZooKeeper. What stands in which node is in docs/formats/cluster.md.
 *
 * <p>Nothing runs on ZooKeeper's own threads but noting that the connection is gone, or still there. News and notices
 * have one thread, which never waits; calls that wait for ZooKeeper have another.
 *
 * <p>Thread-safe.
 */
public final class ZooKeeperCoordinator implements Coordinator {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperCoordinator.class);
    private static final Location HERE = new Location.Here();
    private static final Location NOT_YET = new Location.Nowhere(Duration.ofMillis(200));
    private static final Location AWAY = new Location.Nowhere(Duration.ofSeconds(1));
    private static final Duration ROUND = Duration.ofMillis(500);
    /** Changes of rows within it are told together, however many requests change them. */
    private static final Duration ROWS_TOGETHER = Duration.ofMillis(50);

    private static final Duration CLOCK = Duration.ofMinutes(1);
    /** Questions in the time after which an unanswered session counts as gone. */
    private static final int QUESTIONS = 10;

    private final ZooKeeperConfig config;
    private final ClusterMember self;
    private final Ticker ticker;
    private final CuratorFramework client;
    private final Nodes nodes;
    private final ClusterView view;
    private final Membership membership;
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
    private volatile int generation; // of what is watched
    private @Nullable CuratorCache watched; // the work thread's own

    /**
     * Not connected yet.
     *
     * @param cluster how long partitions of a server that went away wait for it, and how wrong its clock may be
     * @param self how others are to see this server
     * @param topics partitions of each topic by its id, as far as the metadata in memory has them; must not block
     * @param clock compared with ZooKeeper's, and for the times of events
     */
    public ZooKeeperCoordinator(
            ZooKeeperConfig config,
            ClusterConfig cluster,
            ClusterMember self,
            Supplier<Map<String, Integer>> topics,
            Ticker ticker,
            InstantSource clock,
            ClusterMetrics metrics) {
        this(
                config,
                cluster.maxClockDifference(),
                self,
                new Leader.Options(cluster.delayRemoved(), topics, ticker, topicId -> {}),
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
        membership = new Membership(ticker);
        registry = new Registry(nodes, self);
        notices = new Notices(self.id(), server -> view.servers().containsKey(server));
        traffic = new Traffic(nodes);
        Leader.Parts parts =
                new Leader.Parts(nodes, view, membership, self.id(), new Events(nodes, clock), traffic, metrics);
        leader = new Leader(parts, options, path -> threads.onNews(() -> changed(path)));
        admin = new ZooKeeperAdmin(client, nodes, view);
        clockCheck = new ClockCheck(nodes, self.id(), clock, ticker, maxClockDifference, metrics);
    }

    /**
     * Joins the cluster and reads how it is. Blocks, for a session's time-out at most.
     *
     * @throws IOException ZooKeeper does not answer, or this server's clock is not its; nothing has been started then
     */
    public void start() throws IOException {
        client.getConnectionStateListenable().addListener((curator, state) -> connectionIs(state));
        client.start();
        threads.onNewsEvery(config.sessionTimeout().dividedBy(2 * QUESTIONS), this::beat);
        threads.onWorkEvery(ROUND, "round", leader::round);
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
    public Location place(String topicId, int partition) {
        ClusterView.Topic topic = view.topic(topicId);
        String owner = topic == null ? TopicOwners.NOBODY : topic.owners().owner(partition);
        if (owner.isEmpty()) {
            return NOT_YET;
        }
        if (owner.equals(self.id())) {
            return membership.isServing() ? HERE : AWAY;
        }
        return view.serving(owner).<Location>map(Location.There::new).orElse(AWAY);
    }

    @Override
    public Optional<String> address(String topicId, int partition) {
        ClusterView.Topic topic = view.topic(topicId);
        return topic == null || !membership.isBelieved() // what this server has heard may be long over
                ? Optional.empty()
                : view.serving(topic.owners().owner(partition)).map(ClusterMember::clientAddress);
    }

    @Override
    public boolean isConnected() {
        return membership.isBelieved();
    }

    @Override
    public boolean hasHeardSince(long nanos) {
        return membership.hasHeardSince(nanos);
    }

    /** What operators may ask. */
    public ClusterAdmin admin() {
        return admin;
    }

    /** How much this server's partitions are used: the leader levels by it. To be called now and then. */
    public void trafficIs(List<PartitionTraffic> measured) {
        List<PartitionTraffic> copy = List.copyOf(measured);
        threads.onWork("traffic", () -> traffic.write(self.id(), copy));
    }

    @Override
    public void topicChanged(String topicId, int partitions) {
        byte[] task = Task.topic(topicId, partitions).encode();
        send(nodes.path(NodeKind.TASK, "topic-" + topicId), task);
    }

    @Override
    public void rowsChanged() {
        if (rowsDue.compareAndSet(false, true)) {
            threads.onNewsAfter(ROWS_TOGETHER, () -> {
                rowsDue.set(false); // first: what changes from here on is told once more
                send(nodes.path(NodeKind.ROWS, self.id()), new byte[0]);
            });
        }
    }

    /** Leaves it to Curator's own threads to write a node. */
    private void send(String path, byte[] data) {
        if (membership.state() == Membership.State.CLOSED) {
            return;
        }
        try {
            client.create()
                    .orSetData()
                    .inBackground((curator, event) -> sent(path, event))
                    .forPath(path, data);
        } catch (Exception e) { // all that Curator declares
            LOG.warn("cluster not told, it finds out by itself later path={}", path, e);
        }
    }

    private static void sent(String path, CuratorEvent event) {
        if (event.getResultCode() != KeeperException.Code.OK.intValue()) {
            LOG.warn(
                    "cluster not told, it finds out by itself later path={} error={}",
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
        threads.onNews(() -> notices.add(listener));
    }

    @Override
    public void leaving() {
        if (membership.advance(Membership.State.LEAVING)) {
            threads.onWork("announcement of a stop", () -> {
                registry.announceStop();
                leader.resign();
            });
        }
    }

    @Override
    public void close() {
        if (!membership.advance(Membership.State.CLOSED)) {
            return;
        }
        threads.close();
        client.close(); // ends the session, and with it this server's nodes
    }

    /** On Curator's thread: the flags first, so that nobody sees a notice before them. */
    private void connectionIs(ConnectionState state) {
        boolean lost = membership.connectionIs(state);
        if (!state.isConnected()) {
            joining.set(false);
        }
        if (lost) {
            metrics.sessionLost();
        }
        LOG.info("connection to ZooKeeper state={} wasMember={}", state, lost);
        threads.onNews(this::beat);
    }

    /** Asks for this server's own node, or joins again if it has none. */
    private void beat() {
        metrics.clusterIs(
                membership.isBelieved(), leader.isLeading(), view.servers().size(), notices.owned());
        if (membership.isToJoin()) {
            if (joining.compareAndSet(false, true)) {
                threads.onWork("joining", this::join);
            }
        } else if (membership.isConnected() && membership.session() != 0) {
            long asked = ticker.nanos();
            try {
                client.checkExists()
                        .inBackground((curator, event) -> answered(asked, event))
                        .forPath(nodes.path(NodeKind.SERVER, self.id()));
            } catch (Exception e) { // all that Curator declares
                LOG.warn("own node not asked for", e);
            }
        }
    }

    private void answered(long asked, CuratorEvent event) {
        Stat stat = event.getStat();
        if (event.getResultCode() == KeeperException.Code.OK.intValue() && stat != null) {
            membership.answered(asked, stat.getEphemeralOwner());
        } else if (event.getResultCode() == KeeperException.Code.NONODE.intValue()) {
            membership.answered(asked, 0);
        }
    }

    /** First reads everything: so a server that others see has heard of all that it is given, and from whom. */
    private void join() throws KeeperException, InterruptedException {
        boolean begun = false;
        try {
            if (membership.isToJoin()) {
                int interruptions = membership.interruptions();
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
            long session = connection.getSessionId();
            if (!membership.isToJoin() || !isFitToBegin()) {
                return;
            }
            if (!registry.register(session)) {
                membership.advance(Membership.State.REPLACED);
                LOG.error(
                        "another process has this server's name, nothing is served here any more server={}", self.id());
                return;
            }
            int timeout = Math.min(
                    connection.getSessionTimeout(),
                    Math.toIntExact(config.sessionTimeout().toMillis()));
            if (membership.joined(session, interruptions, asked, timeout)) {
                started.complete(null);
            }
        } finally {
            joining.set(false);
        }
        soon();
    }

    /** A server that has begun goes on, whatever its clock says: others would have to take what it has. */
    private boolean isFitToBegin() throws KeeperException, InterruptedException {
        if (started.isDone()) {
            return !started.isCompletedExceptionally();
        }
        try {
            clockCheck.require();
            threads.onWorkEvery(CLOCK, "clock", clockCheck::look);
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

    /** Reads and watches everything anew. */
    private void watch(int interruptions) {
        if (watched != null) {
            watched.close();
        }
        int current = generation + 1;
        generation = current;
        CuratorCache cache = CuratorCache.builder(client, nodes.cluster())
                .withExceptionHandler(error -> misread(current, error))
                .build();
        watched = cache;
        CuratorCacheListener listener = new CuratorCacheListener() {
            @Override
            public void event(Type type, @Nullable ChildData before, @Nullable ChildData now) {
                threads.onNews(() -> heard(current, before, now));
            }

            @Override
            public void initialized() {
                threads.onNews(() -> read(current, cache, interruptions));
            }
        };
        cache.listenable().addListener(listener, Runnable::run); // which only queues
        cache.start();
    }

    private void misread(int of, Exception error) {
        threads.onNews(() -> {
            if (of == generation) {
                LOG.info("reads the cluster again reason={}", error.getMessage());
                membership.misread();
                joining.set(false);
            }
        });
    }

    private void heard(int of, @Nullable ChildData before, @Nullable ChildData now) {
        if (of != generation) {
            return;
        }
        if (now != null) {
            if (view.set(now)) {
                changed(now.getPath());
            }
        } else if (before != null && view.remove(before.getPath(), before.getStat())) {
            changed(before.getPath());
        }
    }

    private void read(int of, CuratorCache cache, int interruptions) {
        if (of != generation) {
            return;
        }
        if (interruptions != membership.interruptions()) {
            joining.set(false); // what was read may not be everything
            return;
        }
        Set<String> paths = cache.stream().map(ChildData::getPath).collect(Collectors.toSet());
        view.retain(paths).forEach(this::changed);
        threads.onWork("registration", () -> register(interruptions));
    }

    private void changed(String path) {
        if (membership.state() == Membership.State.CLOSED) {
            return;
        }
        if (view.is(NodeKind.TOPIC, path)) {
            String topicId = ClusterView.name(path);
            ClusterView.Topic topic = view.topic(topicId);
            notices.topicIs(topicId, topic == null ? null : topic.owners());
        } else if (view.is(NodeKind.ROWS, path)) {
            if (!ClusterView.name(path).equals(self.id())) {
                rowsListeners.forEach(Runnable::run);
            }
            return;
        }
        soon();
    }

    /** A round of the leader, once for all that has happened until it begins. */
    private void soon() {
        if (roundDue.compareAndSet(false, true)) {
            threads.onWork("round", () -> {
                roundDue.set(false);
                leader.round();
            });
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.Exceptions;
import org.talos.common.error.TalosException;
import org.talos.server.boot.MetadataRows;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.zookeeper.SimulatedCoordinator;
import org.talos.server.cluster.zookeeper.SimulatedLink;
import org.talos.server.cluster.zookeeper.ZooKeeperCoordinator;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.LogConfig;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.log.TailCache;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.cache.CacheRefresh;
import org.talos.server.metadata.cache.NotifyingMetadataStore;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.partition.ClusterOwnership;
import org.talos.server.partition.DirectoryOptions;
import org.talos.server.partition.PartitionManager;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.GetPool;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.LongWaits;
import org.talos.server.partition.serving.MessageReads;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.partition.serving.PoolTask;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.partition.serving.ReplayPace;
import org.talos.server.partition.serving.SimulatedPartitions;
import org.talos.server.runtime.thread.HandTurnedWheel;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.simulation.SimulatedPool;
import org.talos.server.simulation.SimulatedProcess;
import org.talos.server.simulation.SimulatedTasks;
import org.talos.server.storage.LogId;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.hdfs.SimulatedDfs;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.thrift.ErrorCode;

/**
 * One process of a server, put together as {@code TalosServer} does, from its real parts.
 *
 * <p>Confined: the simulation's thread.
 */
final class SimulatedServer {
    static final Duration SESSION = Duration.ofSeconds(10);
    static final Duration DELAY_REMOVED = Duration.ofSeconds(20);
    static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final Duration CACHE_AGE = Duration.ofSeconds(30);
    private static final long SECOND = 1_000_000_000L;
    private static final LogMetrics LOG_METRICS = new LogMetrics(new Metrics(() -> 0));

    final String id;
    final String owner; // names this process in rows
    final SimulatedProcess process;
    final SimulatedLink link;
    private final World world;
    private final HandTurnedWheel timers;
    private final SimulatedPool requests;
    private final SimulatedPool operators;
    private final SimulatedPool changes;
    private final SimulatedPool upkeep;
    private @Nullable Parts parts;
    private boolean failed;
    private long clockSetNanos = Long.MIN_VALUE / 2;
    private long sessionEndedNanos = Long.MIN_VALUE / 2; // by somebody else
    private boolean stopping;

    SimulatedServer(World world, String id, int incarnation) {
        this.world = world;
        this.id = id;
        owner = id + "#" + incarnation;
        process = world.scheduler().process(id);
        link = new SimulatedLink(world.zooKeeper(), process, world.random(), SESSION.toNanos());
        timers = HandTurnedWheel.of(process::now);
        requests = process.pool("requests", 8, false).light();
        operators = process.pool("operators", 2, false).light();
        changes = process.pool("changes", 2, false);
        upkeep = process.pool("upkeep", 1, true);
    }

    /** Parts of a server once the stores are open. Immutable. */
    private record Parts(
            JournaledSegmentStore store,
            ServedTopics topics,
            PartitionManager manager,
            ZooKeeperCoordinator coordinator,
            SimulatedPartitions local,
            PartitionRoutes routes) {}

    /** Opens the stores and joins the cluster, in a step of its own. */
    void start(LogConfig log, HdfsConfig hdfs) {
        process.pool("main", 1, true).execute(() -> {
            try {
                open(log, hdfs);
            } catch (IOException | StorageException | MetadataException | RuntimeException e) {
                world.scheduler().note(id + " does not start: " + e.getMessage());
                failed = true;
            }
        });
    }

    private void open(LogConfig log, HdfsConfig hdfs) throws IOException, StorageException, MetadataException {
        JournaledSegmentStore store =
                SimulatedDfs.open(world.hdfs(), process, world.faults().of(this), hdfs, log);
        MetadataStore rows = world.rows().view(world.faults().of(this));
        CompletableFuture<ZooKeeperCoordinator> joined = new CompletableFuture<>();
        Topics topics = new Topics(new NotifyingMetadataStore(rows, () -> notify(joined)));
        TopicDirectory directory = TopicDirectory.load(topics);
        Partitions partitions = new Partitions(rows);
        ZooKeeperCoordinator coordinator =
                coordinator(new MetadataRows(topics, directory, partitions, process.pool("rows", 1, false)));
        joined.complete(coordinator);
        PartitionManager manager = new PartitionManager(
                store,
                partitions,
                new DirectoryOptions(directory),
                log,
                logParts(log),
                new PartitionManager.Pools(process.pool("recovery", 8, true), process.pool("closings", 16, true)),
                owner);
        manager.within(new ClusterOwnership(coordinator, DELAY_REMOVED));
        coordinator.onHandovers(manager);
        parts = parts(store, new ServedTopics(this, topics, directory, coordinator, manager));
        join(coordinator, manager, directory);
    }

    private ZooKeeperCoordinator coordinator(MetadataRows rows) {
        return SimulatedCoordinator.of(
                link, process, new ClusterMember(id, id + ":80", id + ":90"), owner, SESSION, DELAY_REMOVED, rows);
    }

    private Parts parts(JournaledSegmentStore store, ServedTopics topics) {
        LongWaits waits = new LongWaits();
        GetPool gets = gets();
        MessageReads reads = reads(topics.manager(), gets, waits);
        SimulatedPartitions local =
                new SimulatedPartitions(topics.manager(), topics.coordinator(), timers.wheel(), gets, reads);
        PartitionRoutes routes = new PartitionRoutes(
                topics.coordinator(), local, reads, member -> world.hop(this, member.id()), process::now, waits);
        return new Parts(store, topics, topics.manager(), topics.coordinator(), local, routes);
    }

    private static void notify(CompletableFuture<ZooKeeperCoordinator> of) {
        var unused = of.thenAccept(ZooKeeperCoordinator::rowsChanged);
    }

    private GetPool gets() {
        SimulatedPool pool = process.pool("gets", 4, false);
        return new GetPool(new SimulatedTasks<>(process, pool, PoolTask::run), new MemoryBudget(1 << 24));
    }

    private MessageReads reads(PartitionManager manager, GetPool gets, LongWaits waits) {
        return new MessageReads(
                manager,
                gets,
                new ReplayPace(process::now, (nanos, task) -> {}, task -> {}, () -> 0, () -> 0, () -> {}),
                timers.wheel(),
                process::now,
                waits);
    }

    private void join(ZooKeeperCoordinator coordinator, PartitionManager manager, TopicDirectory directory) {
        CacheRefresh refresh =
                new CacheRefresh(List.of(new CacheRefresh.Cache("topics", directory::refresh)), process::now);
        SimulatedPool refreshes = process.pool("refresh", 1, false);
        refresh.start(refreshes, CACHE_AGE);
        coordinator.onChange(manager::follow);
        coordinator.onRowsChanged(() -> refresh.request(refreshes));
        var unused = SimulatedCoordinator.begin(coordinator).thenRun(() -> world.joined(this));
        var unusedToo = coordinator.replaced().thenRun(() -> world.onReplaced(this));
        copyRegularly();
    }

    private PartitionLog.Parts logParts(LogConfig log) {
        return new PartitionLog.Parts(
                new PartitionLog.Memory(
                        new TailCache(log.tailCacheBytes()), new DedupeMemory(1 << 20), new SegmentIndexes(1 << 20)),
                new PartitionLog.Pools(
                        process.pool("seals", 8, true),
                        process.pool("segments", 8, true),
                        process.pool("readers", 2, false).light()),
                new SteadyClock(() -> Instant.ofEpochMilli(process.wallMillis()), process::now),
                process::now,
                LOG_METRICS,
                process);
    }

    private void copyRegularly() {
        process.after(SECOND, () -> {
            process.copierRound();
            if (!process.isCalling()) {
                askWhetherReady();
            }
            copyRegularly();
        });
    }

    /** As readiness is asked for, which has the store look after what it has left. */
    private void askWhetherReady() {
        try {
            var unused = up().store.failure();
        } catch (IOException e) {
            world.scheduler().note(id + " is not ready: " + e.getMessage());
        }
    }

    /** Somebody ends its session. It does not know of that before its next heartbeat. */
    void endSession() {
        sessionEndedNanos = process.now();
        link.endSession();
    }

    /** Another process of its id is a member. It does not know of that before its next heartbeat. */
    void overtaken() {
        sessionEndedNanos = process.now();
    }

    /** Returns whether it may still believe in a session, or a node, that somebody has ended. */
    boolean mayBelieveInItsSession() {
        return process.now() - sessionEndedNanos <= SESSION.toNanos() / 2;
    }

    /** Sets the machine's wall clock: so much ahead of the right time. */
    void setClock(long aheadMillis) {
        clockSetNanos = process.now();
        process.setClock(aheadMillis);
    }

    /**
     * Returns whether its machine may be suspended. A wall clock that was set back since the last heartbeat would not
     * show that time, and the monotonic clock does not.
     */
    boolean mayBeSuspended() {
        return process.now() - clockSetNanos > SESSION.toNanos();
    }

    /** Returns whether its stores could not be opened. */
    boolean hasFailed() {
        return failed;
    }

    boolean isUp() {
        return parts != null && !process.isEnded() && !stopping;
    }

    /** Returns whether requests of other servers reach it. */
    boolean isReachable() {
        return parts != null && !process.isEnded();
    }

    Optional<ZooKeeperCoordinator> coordinator() {
        return Optional.ofNullable(parts).map(Parts::coordinator);
    }

    Optional<PartitionManager> manager() {
        return Optional.ofNullable(parts).map(Parts::manager);
    }

    private Optional<Parts> now() {
        return Optional.ofNullable(parts).filter(each -> !process.isEnded());
    }

    private Parts up() {
        return now().orElseThrow(SimulatedPartitions::notServing);
    }

    World world() {
        return world;
    }

    /** Serves a client's put: the answer comes by the deadline, unless the server is killed. */
    CompletableFuture<Long> put(LogId to, Put put) {
        long deadline = process.now() + DEADLINE.toNanos();
        CompletableFuture<Long> answer = new CompletableFuture<>();
        turnAt(deadline);
        process.after(
                world.faults().networkNanos(),
                () -> requests.execute(() -> {
                    if (process.now() > deadline) {
                        answer.completeExceptionally(late());
                        return;
                    }
                    whenFree(to, () -> route(to, put, deadline, answer));
                }));
        return answer;
    }

    private void route(LogId to, Put put, long deadline, CompletableFuture<Long> answer) {
        follow(
                () -> up().routes
                        .to(to)
                        .to()
                        .put(to, put, new ForwardContext("client", deadline))
                        .thenApply(AppendResult::firstOffset),
                answer);
    }

    /** Serves a client's read. The task runs once the request has arrived. */
    CompletableFuture<Slice> read(LogId from, ReadRequest read, Runnable arrived) {
        return get(arrived, forward -> {
            turnAt(process.now() + read.waitNanos());
            return up().routes.to(from).to().read(from, read, forward);
        });
    }

    /** Serves a client that asks for the end of a log. The task runs once the request has arrived. */
    CompletableFuture<LogBounds> bounds(LogId of, Runnable arrived) {
        return get(arrived, forward -> up().routes.bounds(of, forward));
    }

    private <T> CompletableFuture<T> get(Runnable arrived, Function<ForwardContext, CompletionStage<T>> get) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        process.after(
                world.faults().networkNanos(),
                () -> requests.execute(() -> {
                    arrived.run();
                    long deadline = process.now() + DEADLINE.toNanos();
                    turnAt(deadline);
                    follow(() -> get.apply(new ForwardContext("client", deadline)), answer);
                }));
        return answer;
    }

    private static <T> void follow(Supplier<CompletionStage<T>> request, CompletableFuture<T> answer) {
        try {
            var unused = request.get().whenComplete((result, error) -> {
                if (error == null) {
                    answer.complete(result);
                } else {
                    answer.completeExceptionally(Exceptions.unwrap(error));
                }
            });
        } catch (TalosException e) {
            answer.completeExceptionally(e);
        }
    }

    /** Puts of a partition are run one after another. */
    private void whenFree(LogId of, Runnable task) {
        Parts now = parts;
        if (now != null && now.local.isRunning(of)) {
            process.after(1_000_000, () -> requests.execute(() -> whenFree(of, task)));
        } else {
            task.run();
        }
    }

    /** Runs a put of another server. */
    void requestedPut(LogId of, Runnable task) {
        requests.execute(() -> whenFree(of, task));
    }

    /** Runs another request of another server. */
    void requested(Runnable task) {
        requests.execute(task);
    }

    PartitionRequests local() {
        return up().local;
    }

    static TalosException late() {
        return new TalosException(ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN, "the deadline passed");
    }

    /** Deadlines are answered soon after they have passed. */
    TimerWheel.Timeout deadline(long atNanos, Runnable task) {
        turnAt(atNanos);
        return timers.wheel().schedule(atNanos, task);
    }

    /** Runs the timers that are due at a time. */
    void turnAt(long deadline) {
        for (int ticks = 1; ticks <= 3; ticks++) {
            process.at(deadline + ticks * 10_000_000L, timers::turn);
        }
    }

    /** Creates a topic, as a call of a client does. */
    void create(TopicRecord topic, Runnable created) {
        changes.execute(() -> now().ifPresent(parts -> parts.topics.create(topic, created)));
    }

    /** Has a topic get more partitions, as a call of a client does. */
    void grow(TopicRecord topic, int partitions, IntConsumer grown) {
        changes.execute(() -> now().ifPresent(parts -> parts.topics.grow(topic, partitions, grown)));
    }

    /** Deletes a topic, as a call of a client does. */
    void delete(TopicRecord topic) {
        onUpkeep(() -> now().ifPresent(parts -> parts.topics.delete(topic)));
    }

    /** Deletes what a deleted topic has left, once no other server has its partitions. */
    void sweepLater(TopicRecord topic) {
        onUpkeep(() -> now().ifPresent(parts -> parts.topics.sweep(topic)));
    }

    void onUpkeep(Runnable task) {
        upkeep.execute(task);
    }

    /** A request of an operator. */
    @FunctionalInterface
    interface Asked {
        void to(ClusterAdmin admin) throws IOException;
    }

    /** Asks as an operator does. */
    void asked(String what, Asked request) {
        operators.execute(() -> {
            try {
                request.to(up().coordinator.admin());
            } catch (IOException | IllegalArgumentException | TalosException e) {
                world.scheduler().note("refused: " + what + ": " + e.getMessage());
            }
        });
    }

    /** Stops as for a SIGTERM. */
    void stop(Runnable stopped) {
        Parts now = parts;
        if (now == null) {
            return;
        }
        stopping = true;
        now.coordinator.leaving();
        process.after(
                200_000_000,
                () -> process.pool("main", 1, true).execute(() -> {
                    now.manager.close();
                    now.coordinator.close();
                    now.store.close();
                    stopped.run();
                }));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.boot.MetadataRows;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.zookeeper.SimulatedCoordinator;
import org.talos.server.cluster.zookeeper.SimulatedLink;
import org.talos.server.cluster.zookeeper.ZooKeeperCoordinator;
import org.talos.server.config.DispatchConfig;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.LogConfig;
import org.talos.server.config.PoolConfig;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.TailCache;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.cache.CacheRefresh;
import org.talos.server.metadata.cache.NotifyingMetadataStore;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.Partitions;
import org.talos.server.metadata.rows.TopicRecord;
import org.talos.server.metadata.rows.Topics;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.partition.ClusterOwnership;
import org.talos.server.partition.DirectoryOptions;
import org.talos.server.partition.PartitionManager;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.GetPool;
import org.talos.server.partition.serving.LongWaits;
import org.talos.server.partition.serving.MessageReads;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.partition.serving.PoolTask;
import org.talos.server.partition.serving.ReplayPace;
import org.talos.server.partition.serving.SimulatedPartitions;
import org.talos.server.runtime.HandTurnedWheel;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.SteadyClock;
import org.talos.server.runtime.SystemTime;
import org.talos.server.runtime.TimerWheel;
import org.talos.server.simulation.SimulatedPool;
import org.talos.server.simulation.SimulatedProcess;
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
    private static final String HEAVY =
            "seals,segments,closings,recovery,upkeep,segment-copies,journal-deletions,hdfs-fences";
    private static final KeyAffinityExecutor<LogId, PoolTask<LogId>> NO_READS = stopped();

    final String id;
    final String owner; // names this process in rows
    final SimulatedProcess process;
    final SimulatedLink link;
    private final World world;
    private final HandTurnedWheel timers;
    private final SimulatedPool requests;
    private final SimulatedPool operators;
    private final SimulatedPool upkeep;
    private @Nullable Parts parts;
    private boolean failed;
    private boolean stopping;

    SimulatedServer(World world, String id, int incarnation) {
        this.world = world;
        this.id = id;
        owner = id + "#" + incarnation;
        process = world.scheduler().process(id).keepingTime();
        link = new SimulatedLink(world.zooKeeper(), process, world.random(), SESSION.toNanos());
        timers = HandTurnedWheel.of(process::now);
        requests = process.pool("requests", 8, false).light();
        operators = process.pool("operators", 2, false).light();
        upkeep = process.pool("upkeep", 1, true).behind(HEAVY.split(","));
    }

    /** What is there once the stores are open. Immutable. */
    private record Parts(
            JournaledSegmentStore store,
            Topics topics,
            TopicDirectory directory,
            PartitionManager manager,
            ZooKeeperCoordinator coordinator,
            SimulatedPartitions local,
            PartitionRoutes routes) {}

    /** An executor that refuses everything: reads that need one are not simulated. */
    private static KeyAffinityExecutor<LogId, PoolTask<LogId>> stopped() {
        KeyAffinityExecutor<LogId, PoolTask<LogId>> executor = new KeyAffinityExecutor<>(
                new NamedThreads("unused"),
                DispatchConfig.SelectionPolicy.AFFINITY,
                new PoolConfig(1, 1, 1, 1, Duration.ofSeconds(1)),
                GetPool::runBatch,
                SystemTime.ticker(), // its thread asks for it before this class is initialized
                HandTurnedWheel.of(SystemTime.ticker()).wheel(),
                new DispatchMetrics(new Metrics(() -> 0), "unused"));
        executor.close();
        return executor;
    }

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
        ZooKeeperCoordinator coordinator = SimulatedCoordinator.of(
                link,
                process,
                new ClusterMember(id, id + ":80", id + ":90"),
                owner,
                SESSION,
                DELAY_REMOVED,
                new MetadataRows(
                        topics,
                        directory,
                        partitions,
                        process.pool("rows", 1, false).behind("rows")));
        joined.complete(coordinator);
        PartitionManager manager = new PartitionManager(
                store,
                partitions,
                new DirectoryOptions(directory),
                log,
                logParts(log),
                process.pool("recovery", 8, true)
                        .behind("recovery", "hdfs-fences", "segments", "seals", "closings", "segment-copies", "main"),
                process.pool("closings", 16, true)
                        .behind("closings", "seals", "segments", "recovery", "segment-copies", "hdfs-fences"),
                owner);
        manager.within(new ClusterOwnership(coordinator, DELAY_REMOVED));
        coordinator.onHandovers(manager);
        SimulatedPartitions local = new SimulatedPartitions(manager, coordinator, timers.wheel());
        parts = new Parts(store, topics, directory, manager, coordinator, local, routes(manager, coordinator, local));
        join(coordinator, manager, directory);
    }

    private static void notify(CompletableFuture<ZooKeeperCoordinator> of) {
        var unused = of.thenAccept(ZooKeeperCoordinator::rowsChanged);
    }

    private PartitionRoutes routes(
            PartitionManager manager, ZooKeeperCoordinator coordinator, SimulatedPartitions local) {
        LongWaits waits = new LongWaits();
        MessageReads reads = new MessageReads(
                manager,
                new GetPool(NO_READS, new MemoryBudget(1 << 20)),
                new ReplayPace(process::now, (nanos, task) -> {}, task -> {}, () -> 0, () -> 0, () -> {}),
                timers.wheel(),
                process::now,
                waits);
        return new PartitionRoutes(
                coordinator, local, reads, member -> world.hop(this, member.id()), process::now, waits);
    }

    private void join(ZooKeeperCoordinator coordinator, PartitionManager manager, TopicDirectory directory) {
        CacheRefresh refresh =
                new CacheRefresh(List.of(new CacheRefresh.Cache("topics", directory::refresh)), process::now);
        SimulatedPool refreshes = process.pool("refresh", 1, false).behind("refresh");
        refresh.start(refreshes, CACHE_AGE);
        coordinator.onChange(manager::follow);
        coordinator.onRowsChanged(() -> refresh.request(refreshes));
        var unused = SimulatedCoordinator.begin(coordinator);
        copyRegularly();
    }

    private PartitionLog.Parts logParts(LogConfig log) {
        return new PartitionLog.Parts(
                new TailCache(log.tailCacheBytes()),
                new DedupeMemory(1 << 20),
                new SegmentIndexes(1 << 20),
                process.pool("seals", 8, true).behind("segment-copies"),
                process.pool("segments", 8, true).behind("segments"),
                process.pool("readers", 2, false).light(),
                new SteadyClock(() -> Instant.ofEpochMilli(1_000_000_000L + process.now() / 1_000_000), process::now),
                process::now,
                LOG_METRICS,
                process);
    }

    private void copyRegularly() {
        process.after(SECOND, () -> {
            process.copierRound();
            askWhetherReady();
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

    /** Whether its stores could not be opened. */
    boolean hasFailed() {
        return failed;
    }

    boolean isUp() {
        return parts != null && !process.isEnded() && !stopping;
    }

    /** Whether requests of other servers reach it. */
    boolean isReachable() {
        return parts != null && !process.isEnded();
    }

    Optional<ZooKeeperCoordinator> coordinator() {
        return Optional.ofNullable(parts).map(Parts::coordinator);
    }

    Optional<PartitionManager> manager() {
        return Optional.ofNullable(parts).map(Parts::manager);
    }

    private Parts up() {
        Parts now = parts;
        if (now == null || process.isEnded()) {
            throw SimulatedPartitions.notServing();
        }
        return now;
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
        try {
            PartitionRequests target = up().routes.to(to).to();
            var unused = target.put(to, put, new ForwardContext("client", deadline))
                    .whenComplete((result, error) -> {
                        if (error == null) {
                            answer.complete(result.firstOffset());
                        } else {
                            answer.completeExceptionally(cause(error));
                        }
                    });
        } catch (TalosException e) {
            answer.completeExceptionally(e);
        }
    }

    private static Throwable cause(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
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

    /** Runs a request of another server. */
    void requested(LogId of, Runnable task) {
        requests.execute(() -> whenFree(of, task));
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

    private void turnAt(long deadline) {
        for (int ticks = 1; ticks <= 3; ticks++) {
            process.at(deadline + ticks * 10_000_000L, timers::turn);
        }
    }

    /** Creates a topic, as a call of a client does. */
    void create(TopicRecord topic, Runnable created) {
        operators.execute(() -> {
            try {
                if (up().directory.create(topic)) {
                    created.run();
                    up().coordinator.topicChanged(topic.topicId(), topic.partitions());
                }
            } catch (MetadataException | TalosException e) {
                world.scheduler().note("topic not created: " + e.getMessage());
            }
        });
    }

    /** Deletes a topic, as a call of a client does. */
    void delete(TopicRecord topic) {
        upkeep.execute(() -> {
            try {
                if (up().directory.delete(topic.topicId())) {
                    sweep(topic);
                }
            } catch (MetadataException | TalosException e) {
                world.scheduler().note("topic not deleted: " + e.getMessage());
            }
        });
    }

    /** Deletes what a deleted topic has left, once no other server has its partitions; as {@code ServedPartitions}. */
    void sweepLater(TopicRecord topic) {
        upkeep.execute(() -> {
            try {
                if (up().topics.deleted(topic.topicId()).isPresent()) {
                    sweep(topic);
                }
            } catch (MetadataException | TalosException e) {
                world.scheduler().note("topic not swept: " + e.getMessage());
            }
        });
    }

    private void sweep(TopicRecord topic) {
        Parts now = up();
        now.coordinator.topicChanged(topic.topicId(), 0);
        awaitReleased(topic, now, process.now() + DEADLINE.toNanos());
    }

    private void awaitReleased(TopicRecord topic, Parts now, long until) {
        List<LogId> ids = World.ids(topic);
        Map<String, CompletionStage<Boolean>> asked = new HashMap<>();
        for (ClusterMember other : now.coordinator.others()) {
            asked.put(
                    other.id(),
                    world.hop(this, other.id())
                            .bounds(ids, new ForwardContext(id, until))
                            .handle((found, error) -> error == null ? found.isEmpty() : isNotServing(error)));
        }
        var unused = CompletableFuture.allOf(asked.values().stream()
                        .map(CompletionStage::toCompletableFuture)
                        .toArray(CompletableFuture[]::new))
                .thenRun(() -> {
                    boolean released = asked.values().stream()
                            .allMatch(each -> each.toCompletableFuture().join());
                    if (released) {
                        upkeep.execute(() -> deleteNow(topic, now));
                    } else if (process.now() < until) {
                        process.after(20_000_000, () -> awaitReleased(topic, now, until));
                    }
                });
    }

    private static boolean isNotServing(Throwable error) {
        return cause(error) instanceof TalosException e && e.code() == ErrorCode.PARTITION_NOT_SERVING;
    }

    private void deleteNow(TopicRecord topic, Parts now) {
        try {
            now.manager.delete(topic.topicId(), topic.partitions());
            now.topics.removeTombstone(topic.topicId());
            world.scheduler().note("swept " + topic.name());
        } catch (StorageException | MetadataException e) {
            world.scheduler().note("topic not swept: " + e.getMessage());
        }
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
                () -> process.pool("main", 1, true).behind(HEAVY.split(",")).execute(() -> {
                    now.manager.close();
                    now.coordinator.close();
                    now.store.close();
                    stopped.run();
                }));
    }
}

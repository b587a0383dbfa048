// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.Location;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.config.Durability;
import org.talos.server.config.LogConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.dispatch.Priority;
import org.talos.server.log.Block;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.Deletion;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.TailCache;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.topic.DeletedTopic;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.partition.PartitionManager;
import org.talos.server.partition.TopicOptions;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.server.storage.local.LocalSegmentStore;
import org.talos.server.testing.GatedSegmentStore;
import org.talos.thrift.ErrorCode;

/** A topic with partitions on two servers is deleted: nothing of it goes before its logs are closed on both. */
@Timeout(60)
class TopicDeletionTest {
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";
    private static final LogId HERE = new LogId(TOPIC, 0);
    private static final LogId THERE = new LogId(TOPIC, 1);
    private static final DeletedTopic DELETED = new DeletedTopic(TOPIC, "orders", 2);
    private static final ClusterMember OTHER = new ClusterMember("two", "127.0.0.1:8082", "127.0.0.1:9082");
    private static final LogConfig CONFIG = TestConfig.of(LogConfig.class)
            .with("durability", Durability.FLUSH)
            .with("segmentBytes", 64 << 10)
            .with("segmentAge", Duration.ofMinutes(10))
            .with("indexIntervalBytes", 512)
            .with("tailCacheBytes", 1 << 20)
            .with("retentionInterval", Duration.ofSeconds(1))
            .with("dedupeWindow", 100)
            .with("dedupeAge", Duration.ofMinutes(5))
            .with("dedupeBytes", 1 << 20)
            .with("journalFileBytes", 1 << 20)
            .with("maxUnwrittenBytes", 1 << 20)
            .create();

    @TempDir
    private Path data;

    private final Ticker ticker = SystemTime.ticker();
    private final TimerWheel timers = TimerWheel.started(ticker);
    private final ScheduledExecutorService recovery = Executors.newScheduledThreadPool(2);
    private final ExecutorService closings = Executors.newCachedThreadPool();
    private final ExecutorService seals = Executors.newCachedThreadPool();
    private final ExecutorService callers = Executors.newCachedThreadPool();
    private final TwoServers coordinator = new TwoServers();
    private volatile boolean deleted; // as the metadata says
    private volatile boolean connected = true;
    private RocksDbMetadataStore metadata;
    private JournaledSegmentStore local;
    private GatedSegmentStore store;
    private Partitions rows;
    private PartitionManager one;
    private PartitionManager two;
    private PartitionRoutes routes;
    private ServedPartitions served;

    @BeforeEach
    @SuppressWarnings("NullAway") // nothing is put or read by way of the routes: they need no pools
    void open() throws Exception {
        metadata = RocksDbMetadataStore.open(data.resolve("metadata"));
        local = LocalSegmentStore.open(data.resolve("logs"), CONFIG, ticker, (bytes, write, sync) -> {});
        store = new GatedSegmentStore(local);
        rows = new Partitions(metadata);
        one = manager("one");
        two = manager("two");
        LocalPartitions here = new LocalPartitions(
                one, coordinator, new LocalPartitions.Pools(null, null, null), null, null, Priority.NORMAL);
        LocalPartitions there = new LocalPartitions(
                two, coordinator, new LocalPartitions.Pools(null, null, null), null, null, Priority.NORMAL);
        routes = new PartitionRoutes(coordinator, here, null, member -> new Reached(there), ticker, new LongWaits());
        served = new ServedPartitions(one, coordinator, routes, timers, ticker);
        coordinator.topicChanged(TOPIC, 2);
        one.followed(List.of(HERE)).join();
        two.followed(List.of(THERE)).join();
        append(one, HERE, "a");
        append(two, THERE, "b");
    }

    @AfterEach
    void close() throws Exception {
        store.openSeals();
        for (ExecutorService pool : List.of(callers, seals)) {
            pool.shutdown();
            assertThat(pool.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        }
        one.close();
        two.close();
        recovery.shutdownNow();
        closings.shutdownNow();
        timers.close();
        local.close();
        metadata.close();
    }

    private PartitionManager manager(String owner) {
        PartitionLog.Parts parts = new PartitionLog.Parts(
                new PartitionLog.Memory(new TailCache(1 << 20), new DedupeMemory(1 << 20), new SegmentIndexes(1 << 20)),
                new PartitionLog.Pools(seals, Runnable::run, Runnable::run),
                new SteadyClock(SystemTime.wallClock(), ticker),
                ticker,
                new LogMetrics(new Metrics(ticker)),
                new SystemThreads());
        TopicOptions options = new TopicOptions() {
            @Override
            public SegmentOptions of(LogId id) {
                return SegmentOptions.DEFAULT;
            }

            @Override
            public boolean isDeleted(LogId id) {
                return deleted;
            }
        };
        return new PartitionManager(
                store, rows, options, CONFIG, parts, new PartitionManager.Pools(recovery, closings), owner);
    }

    private static void append(PartitionManager manager, LogId id, String bytes) {
        Block block =
                new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.wrap(bytes.getBytes(StandardCharsets.UTF_8)));
        manager.partition(id)
                .log()
                .append(List.of(new Put("p#" + bytes.charAt(0), Put.Origin.UNIQUE, List.of(block))))
                .get(0)
                .firstOffset()
                .join();
    }

    /** Gives each server one partition, and both their notices at once. */
    private final class TwoServers implements Coordinator {
        @Override
        public Location locate(String topicId, int partition) {
            return deleted ? new Location.Nowhere(Duration.ofSeconds(1)) : new Location.There(OTHER);
        }

        @Override
        public List<ClusterMember> others() {
            return List.of(OTHER);
        }

        @Override
        public Optional<String> address(String topicId, int partition) {
            return Optional.empty();
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public void topicChanged(String topicId, int partitions) {
            deleted = partitions == 0;
            one.follow(new OwnershipChange(topicId, 0, !deleted));
            two.follow(new OwnershipChange(topicId, 1, !deleted));
        }

        @Override
        public void rowsChanged() {}

        @Override
        public void onRowsChanged(Runnable listener) {}

        @Override
        public void onChange(Consumer<OwnershipChange> listener) {}

        @Override
        public void close() {}
    }

    /** The way to another server, as long as it can be reached. */
    private final class Reached implements PartitionRequests {
        private final PartitionRequests server;

        Reached(PartitionRequests server) {
            this.server = server;
        }

        @Override
        public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext forward) {
            return server.put(id, put, forward);
        }

        @Override
        public CompletionStage<org.talos.server.log.Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
            return server.read(id, read, forward);
        }

        @Override
        public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext forward) {
            return server.awaitAny(ends, waitNanos, forward);
        }

        @Override
        public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
            return connected
                    ? server.bounds(ids, forward)
                    : CompletableFuture.failedFuture(org.talos.server.log.LogFailures.notServing());
        }

        @Override
        public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
            return server.offsetAtTime(id, timeMillis, forward);
        }

        @Override
        public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext forward) {
            return server.delete(id, deletion, forward);
        }
    }

    private Future<?> deletion() {
        return callers.submit(() -> served.delete(DELETED));
    }

    private void assertNothingIsLeft() throws Exception {
        for (LogId id : List.of(HERE, THERE)) {
            assertThat(rows.find(TOPIC, id.partition())).isEmpty();
            assertThat(local.list(id)).isEmpty();
            assertThat(one.has(id) || two.has(id)).isFalse();
        }
        try (Stream<Path> files = Files.walk(data.resolve("logs"))) {
            assertThat(files.filter(Files::isRegularFile)
                            .filter(file -> file.toString().contains(TOPIC)))
                    .isEmpty();
        }
        assertThat(local.unwrittenBytes()).isZero();
    }

    private static TopicRecord topic() {
        return new TopicRecord("orders", TOPIC, "alice", 2, 2, 60, Map.of(), Map.of(), 0, 0, null, null, List.of());
    }

    @Test
    void boundsOfTheOtherServerAreSeenOnceItWasAsked() {
        assertThat(served.seen(HERE).map(SeenBounds::bounds).map(LogBounds::end))
                .contains(1L);
        assertThat(served.seen(THERE)).isEmpty();

        served.refresh(topic());

        SeenBounds seen = served.seen(THERE).orElseThrow();
        assertThat(seen.bounds().end()).isEqualTo(1);
        assertThat(seen.nanos() - ticker.nanos()).isNotPositive();
    }

    /** By a clock that is a hundred times as fast as ours. */
    @Test
    void openingHasAnEndThoughWhatIsBeforeItHangs() throws Exception {
        append(one, HERE, "c");
        GatedSegmentStore.Gate seal = store.shutSeals();
        one.follow(new OwnershipChange(TOPIC, 0, false));
        seal.awaitCaller(); // the loss, behind which the partition would come back
        Ticker fast = () -> 100 * ticker.nanos();
        TopicRecord topic = topic();
        try (TimerWheel fastTimers = TimerWheel.started(fast)) {
            ServedPartitions impatient = new ServedPartitions(one, coordinator, routes, fastTimers, fast);

            assertThatThrownBy(() -> impatient.open(topic))
                    .isInstanceOfSatisfying(
                            TalosException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PARTITION_NOT_SERVING));
        }
        seal.open();
    }

    @Test
    void whatIsDeletedIsNotSealed() throws Exception {
        deletion().get();

        assertThat(store.done()).doesNotContain("seal").contains("delete");
        assertNothingIsLeft();
    }

    @Test
    void nothingGoesWhileTheOtherServerStillClosesItsLog() throws Exception {
        GatedSegmentStore.Gate seal = store.shutSeals();
        append(two, THERE, "c".repeat(64 << 10)); // full: the next put has it sealed …
        append(two, THERE, "d");
        seal.awaitCaller(); // … which hangs

        Future<?> deletion = deletion();
        await().until(() -> two.serving(THERE).isEmpty());
        assertThat(two.has(THERE)).isTrue();
        await().until(() -> !one.has(HERE)); // all that this server does before it waits for the other
        assertThat(rows.find(TOPIC, 0)).isPresent();
        assertThat(rows.find(TOPIC, 1)).isPresent();
        assertThat(deletion.isDone()).isFalse();

        seal.open();
        deletion.get();

        assertThat(store.done().indexOf("seal")).isLessThan(store.done().indexOf("deleteLog"));
        assertNothingIsLeft();
    }

    @Test
    void nothingGoesWhileThisServerStillClosesItsLog() throws Exception {
        GatedSegmentStore.Gate seal = store.shutSeals();
        append(one, HERE, "c".repeat(64 << 10));
        append(one, HERE, "d");
        seal.awaitCaller();

        Future<?> deletion = deletion();
        await().until(() -> one.serving(HERE).isEmpty() && !two.has(THERE));
        assertThat(store.done()).doesNotContain("deleteLog");
        assertThat(rows.find(TOPIC, 0)).isPresent();

        seal.open();
        deletion.get();

        assertThat(store.done().indexOf("seal")).isLessThan(store.done().indexOf("deleteLog"));
        assertNothingIsLeft();
    }

    @Test
    void logThatWasHandedOverAsItsTopicWasDeletedIsSealedFirst() throws Exception {
        GatedSegmentStore.Gate seal = store.shutSeals();
        two.follow(new OwnershipChange(TOPIC, 1, false)); // the topic is still there
        seal.awaitCaller();

        Future<?> deletion = deletion();
        await().until(() -> !one.has(HERE));
        assertThat(deletion.isDone()).isFalse();
        seal.open();
        deletion.get();

        assertNothingIsLeft();
    }

    @Test
    void serverThatCannotBeReachedIsNotWaitedFor() throws Exception {
        connected = false;

        deletion().get();

        await().until(() -> !two.has(THERE));
        assertThat(rows.find(TOPIC, 1)).isEmpty();
    }

    @Test
    void deletionThatFailedHalfWayIsRepeatedToItsEndAndFurther() throws Exception {
        store.failDeletions(1);

        assertThatThrownBy(() -> deletion().get()).hasCauseInstanceOf(TalosException.class);
        deletion().get();
        deletion().get();

        assertNothingIsLeft();
    }

    @Test
    void serverMayDeleteWhatAnotherIsAboutToDelete() throws Exception {
        GatedSegmentStore.Gate seal = store.shutSeals();
        append(two, THERE, "c".repeat(64 << 10));
        append(two, THERE, "d");
        seal.awaitCaller();
        Future<?> first = deletion();
        await().until(() -> !one.has(HERE));

        seal.open();
        two.delete(TOPIC, 2);
        first.get();

        assertNothingIsLeft();
    }
}

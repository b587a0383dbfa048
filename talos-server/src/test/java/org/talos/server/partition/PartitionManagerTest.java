// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.log.Block;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.EndWait;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.PutTicket;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.partition.PartitionRecord;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.testing.FailingMetadataStore;
import org.talos.server.testing.GatedSegmentStore;
import org.talos.server.testing.MemorySegmentStore;
import org.talos.server.testing.SmallLogs;

@Timeout(60)
class PartitionManagerTest {
    private static final LogId ID = new LogId("0123456789abcdef0123456789abcdef", 0);

    @TempDir
    private Path data;

    private final AtomicInteger withoutThread = new AtomicInteger(); // tasks that are refused before one is taken
    private final ScheduledExecutorService background = new ScheduledThreadPoolExecutor(1) {
        @Override
        public void execute(Runnable task) {
            if (withoutThread.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new RejectedExecutionException("no thread left, on purpose");
            }
            super.execute(task);
        }
    };
    private final ExecutorService closings = Executors.newCachedThreadPool();
    private final ScheduledExecutorService callers = Executors.newScheduledThreadPool(2);
    private final AtomicInteger learnt = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong();
    private FailingMetadataStore store;
    private GatedStore gate;
    private Partitions rows;
    private MemorySegmentStore memory;
    private GatedSegmentStore segments;
    private PartitionManager manager;

    @BeforeEach
    void open() throws Exception {
        store = new FailingMetadataStore(RocksDbMetadataStore.open(data));
        gate = new GatedStore(store);
        rows = new Partitions(gate);
        PartitionLog.Parts parts = SmallLogs.onCallersThread(nanos::get);
        memory = new MemorySegmentStore();
        segments = new GatedSegmentStore(memory);
        manager = new PartitionManager(
                segments,
                rows,
                new Learning(),
                SmallLogs.CONFIG,
                parts,
                new PartitionManager.Pools(background, closings),
                "me");
    }

    @AfterEach
    void close() {
        gate.open.countDown();
        manager.close();
        background.shutdownNow();
        callers.shutdownNow();
        closings.shutdownNow();
        store.close();
    }

    /** Does not know a topic at once, and may fail to learn of it. Thread-safe. */
    private final class Learning implements TopicOptions {
        @Override
        public SegmentOptions of(LogId id) {
            assertThat(learnt.get()).as("asked before it could know").isPositive();
            return SegmentOptions.DEFAULT;
        }

        @Override
        public void learn(LogId id) throws MetadataException {
            if (failures.getAndDecrement() > 0) {
                throw new MetadataException(MetadataException.Reason.UNAVAILABLE, Effect.NONE, "not now");
            }
            learnt.incrementAndGet();
        }
    }

    /** Holds writes back while it is shut. Thread-safe. */
    private static final class GatedStore implements MetadataStore {
        private final MetadataStore real;
        private final CountDownLatch open = new CountDownLatch(1);
        private final CountDownLatch reached = new CountDownLatch(1);
        private final AtomicInteger reads = new AtomicInteger();
        private volatile boolean shut;

        GatedStore(MetadataStore real) {
            this.real = real;
        }

        @Override
        public Optional<Row> get(RowKey key) throws MetadataException {
            reads.incrementAndGet();
            return real.get(key);
        }

        @Override
        public List<Row> scan(RowKey prefix, int limit) throws MetadataException {
            return real.scan(prefix, limit);
        }

        @Override
        public List<Row> scanAfter(RowKey prefix, RowKey after, int limit) throws MetadataException {
            return real.scanAfter(prefix, after, limit);
        }

        @Override
        public OptionalLong compareAndSet(RowKey key, long expectedVersion, byte[] value) throws MetadataException {
            if (shut) {
                reached.countDown();
                try {
                    open.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return real.compareAndSet(key, expectedVersion, value);
        }

        @Override
        public boolean compareAndDelete(RowKey key, long expectedVersion) throws MetadataException {
            return real.compareAndDelete(key, expectedVersion);
        }

        @Override
        public void close() {}
    }

    private CompletableFuture<Void> opening() {
        return CompletableFuture.runAsync(() -> manager.open(List.of(ID)), callers);
    }

    private CompletableFuture<Void> deletion() {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        manager.delete(ID.topicId(), 1);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                callers);
    }

    private Optional<?> row() throws Exception {
        return rows.find(ID.topicId(), ID.partition());
    }

    @Test
    void openedPartitionIsServedUnderItsFirstEpoch() throws Exception {
        opening().join();

        assertThat(manager.partition(ID).log().durableEnd()).isZero();
        assertThat(rows.find(ID.topicId(), 0).orElseThrow().value().epoch()).isEqualTo(1);
        assertThat(manager.summary()).isEqualTo("1 of 1");
    }

    @Test
    void openingForWhichThereWasNoThreadIsTriedAgain() throws Exception {
        withoutThread.set(1);

        opening().join();

        await().until(() -> manager.partition(ID).is(Partition.State.SERVING));
    }

    @Test
    void bytesCountOnceTheyAreAcknowledgedAndWhileThePartitionIsServed() throws Exception {
        opening().join();
        assertThat(manager.acknowledgedBytes()).containsExactly(Map.entry(ID, 0L));

        append().firstOffset().join();
        assertThat(manager.acknowledgedBytes()).containsExactly(Map.entry(ID, (long) "message".length()));

        manager.follow(change(false));
        manager.followed(List.of(ID)).join();
        assertThat(manager.acknowledgedBytes()).isEmpty();
    }

    private void failAppend() {
        memory.holdFlushes();
        PutTicket lost = append("p#2");
        memory.failWaiting(MemorySegmentStore.failure(Reason.UNAVAILABLE, Effect.UNKNOWN, "no space left"));
        assertThatThrownBy(() -> lost.firstOffset().join()).hasCauseInstanceOf(TalosException.class);
    }

    @Test
    void failedLogIsReadUpToWhatWasAcknowledgedUntilItIsOpenAgain() throws Exception {
        opening().join();
        append().firstOffset().join();
        segments.failListing(Integer.MAX_VALUE);

        failAppend();
        await().until(() -> manager.partition(ID).is(Partition.State.FAILED));

        PartitionLog failed = manager.partition(ID).readable();
        assertThat(failed.durableEnd()).isEqualTo(1);
        assertThat(failed.read(0, new BlockLimits(10, 1000)).blocks()).hasSize(1);
        assertThatThrownBy(() -> manager.partition(ID).log()).isInstanceOf(TalosException.class);
        CountDownLatch woken = new CountDownLatch(1);
        failed.await(new EndWait(1, woken::countDown));
        segments.failListing(0);
        await().until(() -> manager.serving(ID).isPresent());
        assertThat(manager.partition(ID).readable())
                .isSameAs(manager.partition(ID).log())
                .isNotSameAs(failed);
        assertThat(woken.await(10, TimeUnit.SECONDS))
                .as("who waits looks at the next log")
                .isTrue();
        append().firstOffset().join();
    }

    @Test
    void partitionThatIsClosedAfterAFailureIsReadNoMore() throws Exception {
        opening().join();
        append().firstOffset().join();
        segments.failListing(Integer.MAX_VALUE);
        failAppend();
        await().until(() -> manager.partition(ID).is(Partition.State.FAILED));
        Partition partition = manager.partition(ID);
        CountDownLatch woken = new CountDownLatch(1);
        partition.readable().await(new EndWait(1, woken::countDown));

        manager.follow(change(false));
        manager.followed(List.of(ID)).join();

        assertThatThrownBy(partition::readable).isInstanceOf(TalosException.class);
        assertThat(woken.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void openingThatStillWaitsForAThreadDoesNotBringADeletedPartitionBack() throws Exception {
        CountDownLatch free = new CountDownLatch(1);
        var unused = background.submit(() -> {
            free.await();
            return true;
        });
        CompletableFuture<Void> opening = opening();
        await().until(() -> manager.summary().equals("0 of 1"));

        deletion().join();
        free.countDown();
        opening.join();

        assertThat(row()).isEmpty();
        assertThatThrownBy(() -> manager.partition(ID)).isInstanceOf(TalosException.class);
    }

    @Test
    void openingInProgressDoesNotBringADeletedPartitionBack() throws Exception {
        gate.shut = true;
        CompletableFuture<Void> opening = opening();
        gate.reached.await();
        CompletableFuture<Void> deletion = deletion();
        await().until(() -> manager.partition(ID).is(Partition.State.CLOSED));

        gate.open.countDown();
        opening.join();
        deletion.join();

        assertThat(row()).isEmpty();
    }

    @Test
    void failedOpeningIsTriedAgain() throws Exception {
        store.failAfter(0, false);

        opening().join();

        await().until(() -> manager.summary().equals("1 of 1"));
    }

    @Test
    void partitionOfATopicThatIsNotKnownYetIsOpenedOnceItIs() throws Exception {
        failures.set(2);

        opening().join();
        assertThat(learnt).hasValue(0);

        await().until(() -> manager.summary().equals("1 of 1"));
        assertThat(learnt).hasValue(1);
    }

    private void takenBy(String owner) throws Exception {
        Versioned<PartitionRecord> row = rows.find(ID.topicId(), 0).orElseThrow();
        PartitionRecord next = new PartitionRecord(
                row.value().epoch() + 1, owner, 0, row.value().segments());
        rows.save(ID.topicId(), 0, next, row.version()).orElseThrow();
    }

    private PutTicket append() {
        return append("p#1");
    }

    private PutTicket append(String sequenceId) {
        Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.wrap("message".getBytes(UTF_8)));
        return manager.partition(ID)
                .log()
                .append(List.of(new Put(sequenceId, Put.Origin.UNIQUE, List.of(block))))
                .get(0);
    }

    @Test
    void partitionThatAnotherProcessHasTakenIsReleased() throws Exception {
        opening().join();
        takenBy("another");

        assertThatThrownBy(() -> append().firstOffset().join()).hasCauseInstanceOf(TalosException.class);

        await().until(() -> manager.partition(ID).is(Partition.State.FAILED));
        assertThat(rows.find(ID.topicId(), 0).orElseThrow().value().owner()).isEqualTo("another");
        assertThatThrownBy(() -> manager.partition(ID).log()).isInstanceOf(TalosException.class);
        await().until(() -> manager.readable(ID).isEmpty());
    }

    @Test
    void partitionThatWasAnothersForAWhileIsTakenBackWhenItIsSaidToBeThisServers() throws Exception {
        ScriptedOwnership cluster = new ScriptedOwnership();
        opening().join();
        cluster.ours = false;
        manager.within(cluster);
        nanos.set(7);
        takenBy("another");
        assertThatThrownBy(() -> append().firstOffset().join()).hasCauseInstanceOf(TalosException.class);
        await().until(() -> manager.partition(ID).is(Partition.State.FAILED));

        cluster.ours = true;

        await().until(() -> manager.summary().equals("1 of 1"));
        assertThat(cluster.since)
                .as("what was heard before the loss says nothing")
                .isEqualTo(7);
        PartitionRecord row = rows.find(ID.topicId(), 0).orElseThrow().value();
        assertThat(row.owner()).isEqualTo("me");
        assertThat(row.epoch()).isEqualTo(3);
        append().firstOffset().join();
    }

    @Test
    void partitionThatThisProcessTookWithoutHearingOfItIsServed() throws Exception {
        opening().join();
        takenBy("me");

        assertThatThrownBy(() -> append().firstOffset().join()).hasCauseInstanceOf(TalosException.class);

        await().until(() -> rows.find(ID.topicId(), 0).orElseThrow().value().epoch() == 3
                && manager.summary().equals("1 of 1"));
    }

    @Test
    void partitionsAreOpenedAndReleasedAsTheCoordinatorSays() throws Exception {
        manager.follow(change(true));
        await().until(() -> manager.summary().equals("1 of 1"));
        append().firstOffset().join();

        manager.follow(change(false));
        manager.followed(List.of(ID)).join();

        assertThat(manager.serving(ID)).isEmpty();
        PartitionRecord row = rows.find(ID.topicId(), 0).orElseThrow().value();
        assertThat(row.owner()).as("released").isEmpty();
        assertThat(row.segments())
                .allSatisfy(segment -> assertThat(segment.sealed()).isTrue());
    }

    @Test
    void serverThatStopsWritesNoRowOfAPartitionInWhichNothingIsToBeSealed() throws Exception {
        opening().join();
        Versioned<PartitionRecord> row = rows.find(ID.topicId(), 0).orElseThrow();

        manager.close();

        assertThat(rows.find(ID.topicId(), 0)).contains(row);
    }

    @Test
    void changesOfAPartitionAreFollowedOneAfterAnother() throws Exception {
        manager.follow(change(true));
        manager.followed(List.of(ID)).join();
        manager.follow(change(false));
        manager.follow(change(true));
        manager.followed(List.of(ID)).join();

        assertThat(manager.summary()).isEqualTo("1 of 1");
        assertThat(rows.find(ID.topicId(), 0).orElseThrow().value().epoch()).isEqualTo(2);
    }

    /** Its segment would else be sealed while the store is closed, and the next owner had to recover it. */
    @Test
    void stopWaitsForALogThatIsBeingClosedForAnotherServer() throws Exception {
        manager.follow(change(true));
        manager.followed(List.of(ID)).join();
        append().firstOffset().join();
        GatedSegmentStore.Gate seal = segments.shutSeals();
        manager.follow(change(false));
        seal.awaitCaller();

        Thread stopping = new Thread(manager::close);
        stopping.start();
        await().until(() -> stopping.getState() != Thread.State.RUNNABLE);
        assertThat(segments.done()).isEmpty();
        assertThat(stopping.isAlive()).isTrue();
        seal.open();
        stopping.join();

        assertThat(rows.find(ID.topicId(), 0).orElseThrow().value().segments())
                .allSatisfy(segment -> assertThat(segment.sealed()).isTrue());
    }

    @Test
    void deletionWaitsForALogThatIsBeingClosed() throws Exception {
        manager.follow(change(true));
        manager.followed(List.of(ID)).join();
        append().firstOffset().join();
        GatedSegmentStore.Gate seal = segments.shutSeals();
        manager.follow(change(false));
        seal.awaitCaller();

        Thread deleting = new Thread(() -> deletion().join());
        deleting.start();
        await().until(() -> deleting.getState() != Thread.State.RUNNABLE);
        assertThat(segments.done()).isEmpty();
        assertThat(row()).isPresent();
        seal.open();
        deleting.join();

        assertThat(segments.done()).startsWith("seal").endsWith("deleteLog");
        assertThat(row()).isEmpty();
    }

    private static OwnershipChange change(boolean owned) {
        return new OwnershipChange(ID.topicId(), ID.partition(), owned);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.log.Block;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.PutTicket;
import org.talos.server.log.TailCache;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.PoolMetrics;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.testing.GatedSegmentStore;
import org.talos.server.testing.MemorySegmentStore;
import org.talos.server.testing.SmallLogs;

/** All threads that seal hang: what recovers, and what says how the server is, continues. */
@Timeout(60)
class BackgroundPoolsTest {
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";
    private static final int SEAL_THREADS = 8;

    @TempDir
    private Path data;

    private final Ticker ticker = SystemTime.ticker();
    private final MemorySegmentStore memory = new MemorySegmentStore();
    private final GatedSegmentStore store = new GatedSegmentStore(memory);
    private BackgroundPools pools;
    private RocksDbMetadataStore metadata;
    private PartitionManager manager;

    @BeforeEach
    void open() throws Exception {
        Metrics metrics = new Metrics(ticker);
        pools = new BackgroundPools(ConfigLoader.load(Map.of()), ticker, new PoolMetrics(metrics));
        metadata = RocksDbMetadataStore.open(data);
        manager = new PartitionManager(
                store,
                new Partitions(metadata),
                id -> SegmentOptions.DEFAULT,
                SmallLogs.CONFIG,
                new PartitionLog.Parts(
                        new PartitionLog.Memory(
                                new TailCache(1 << 20), new DedupeMemory(1 << 20), new SegmentIndexes(1 << 20)),
                        new PartitionLog.Pools(pools.seals(), pools.segments(), pools.readers()),
                        new SteadyClock(SystemTime.wallClock(), ticker),
                        ticker,
                        new LogMetrics(metrics),
                        new SystemThreads()),
                new PartitionManager.Pools(pools.recovery(), pools.closings()),
                "me");
    }

    @AfterEach
    void close() throws Exception {
        store.openSeals();
        manager.close();
        pools.close();
        metadata.close();
    }

    private void follow(int partition, boolean owned) {
        manager.follow(new OwnershipChange(TOPIC, partition, owned));
        manager.followed(List.of(id(partition))).join();
    }

    private static LogId id(int partition) {
        return new LogId(TOPIC, partition);
    }

    private PutTicket append(int partition, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.wrap(bytes));
        return manager.partition(id(partition))
                .log()
                .append(List.of(new Put("p#" + text.charAt(0), Put.Origin.UNIQUE, List.of(block))))
                .get(0);
    }

    /** Fills a segment of this number of partitions, and begins the next. */
    private void hangAllSeals() {
        store.shutSeals();
        for (int partition = 0; partition < SEAL_THREADS; partition++) {
            follow(partition, true);
            append(partition, "a".repeat(64 << 10)).firstOffset().join();
            append(partition, "b").firstOffset().join();
        }
        await().until(() -> pools.seals().running() == SEAL_THREADS);
    }

    private void reopensAfterAFailedAppend(int partition) {
        PartitionLog before = manager.partition(id(partition)).log();
        memory.holdFlushes();
        append(partition, "c");
        memory.failWaiting(new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "lost", null));
        await().until(() ->
                manager.serving(id(partition)).filter(log -> log != before).isPresent());
    }

    @Test
    void sealsThatHangHoldUpNeitherRecoveryNorHandoverNorHealth() throws Exception {
        hangAllSeals();

        follow(SEAL_THREADS, true);
        append(SEAL_THREADS, "a").firstOffset().join();
        reopensAfterAFailedAppend(SEAL_THREADS);
        reopensAfterAFailedAppend(0); // whose own segment hangs

        follow(SEAL_THREADS, false);
        assertThat(manager.has(id(SEAL_THREADS))).isFalse();

        Readiness readiness = new Readiness(ticker);
        readiness.watch("storage", Optional::empty);
        readiness.check(pools.health()).get(10, TimeUnit.SECONDS);
        assertThat(readiness.reasons()).isEmpty();

        CountDownLatch others = new CountDownLatch(2);
        pools.upkeep().execute(others::countDown);
        pools.refresh().execute(others::countDown);
        others.await();
    }

    @Test
    void closingThatHangsHoldsUpNoOpening() throws Exception {
        follow(0, true);
        append(0, "a").firstOffset().join();
        GatedSegmentStore.Gate seal = store.shutSeals();
        manager.follow(new OwnershipChange(TOPIC, 0, false));
        seal.awaitCaller();
        assertThat(manager.serving(id(0))).isEmpty();

        follow(1, true);

        append(1, "a").firstOffset().join();
        assertThat(manager.has(id(0))).isTrue();
        seal.open();
        manager.followed(List.of(id(0))).join();
        assertThat(manager.has(id(0))).isFalse();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.talos.server.config.Durability;
import org.talos.server.config.LogConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.log.time.Retention;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;
import org.talos.server.testing.MemorySegmentStore;

/** One partition's log over memory, with a clock and a background that a test moves by hand. Confined: one test. */
final class LogFixture {
    static final LogId ID = new LogId("0123456789abcdef0123456789abcdef", 0);
    static final BlockLimits ALL = new BlockLimits(Integer.MAX_VALUE, Long.MAX_VALUE);

    final MemorySegmentStore store = new MemorySegmentStore();
    SegmentStore opened = store; // in front of it
    final MemoryCatalog catalog = new MemoryCatalog();
    UnaryOperator<SegmentStore> around = each -> each; // what the log is to see of the store
    final Queue<Runnable> background = new ArrayDeque<>();
    Executor openings = Runnable::run;
    Executor readers = Runnable::run;
    boolean refusesSeals;
    long millis = 1_000_000;
    long clockOffMillis;
    String clockRightSince = "";
    long tailCacheBytes = 1 << 20;
    int dedupeWindow = 100;
    long dedupeBytes;
    Supplier<DedupeMemory> dedupeMemory = () -> new DedupeMemory(dedupeBytes);
    long segmentBytes = 64 << 10;
    int failures;
    Runnable onClock = () -> {};
    Runnable onTicker = () -> {};
    TailCache tailCache = new TailCache(tailCacheBytes);
    SegmentIndexes indexes = new SegmentIndexes(1 << 20);

    PartitionLog open() throws StorageException {
        LogConfig config = TestConfig.of(LogConfig.class)
                .with("durability", Durability.FSYNC)
                .with("segmentBytes", segmentBytes)
                .with("segmentAge", Duration.ofMinutes(10))
                .with("indexIntervalBytes", 512)
                .with("tailCacheBytes", tailCacheBytes)
                .with("retentionInterval", Duration.ofSeconds(1))
                .with("dedupeWindow", dedupeWindow)
                .with("dedupeAge", Duration.ofMinutes(5))
                .with("dedupeBytes", dedupeBytes)
                .with("journalFileBytes", 64 << 10)
                .with("maxUnwrittenBytes", 1 << 20)
                .with("clockRightSince", clockRightSince)
                .create();
        tailCache = new TailCache(tailCacheBytes);
        PartitionLog.Parts parts = new PartitionLog.Parts(
                new PartitionLog.Memory(tailCache, dedupeMemory.get(), indexes),
                new PartitionLog.Pools(
                        this::inBackground, task -> openings.execute(task), task -> readers.execute(task)),
                new SteadyClock(this::now, this::nanos),
                this::nanos,
                new LogMetrics(new Metrics(() -> millis * 1_000_000)),
                new SystemThreads());
        return PartitionLog.open(
                ID,
                around.apply(opened),
                catalog.takeOver(),
                () -> SegmentOptions.DEFAULT,
                config,
                parts,
                () -> failures++);
    }

    private Instant now() {
        onClock.run();
        return Instant.ofEpochMilli(millis + clockOffMillis);
    }

    private long nanos() {
        onTicker.run();
        return millis * 1_000_000;
    }

    private void inBackground(Runnable task) {
        if (refusesSeals) {
            throw new RejectedExecutionException("full");
        }
        background.add(task);
    }

    /** Applies retention by its clock. */
    void retain(PartitionLog log, long maxAgeMillis, long maxBytes) {
        assertThat(log.retain(new Retention(millis, maxAgeMillis, maxBytes, false)))
                .isEqualTo(Retention.Signs.NONE);
    }

    /** Runs what was left to the background. */
    void settle() {
        for (Runnable task = background.poll(); task != null; task = background.poll()) {
            task.run();
        }
    }

    static Block block(int messages, String bytes) {
        return new Block(
                messages, 0, 7, ByteBuffer.allocate(0), ByteBuffer.wrap(bytes.getBytes(StandardCharsets.UTF_8)));
    }

    static Put put(String sequenceId, Block... blocks) {
        return new Put(sequenceId, Put.Origin.UNIQUE, Arrays.asList(blocks));
    }

    static Put put(String bytes) {
        return put("p#" + bytes, block(1, bytes));
    }

    /** Fills the active segment to its bound. */
    static Put large(String id) {
        return put(id, block(1, id + "x".repeat(64 << 10)));
    }

    static PutTicket append(PartitionLog log, Put put) {
        return log.append(List.of(put)).get(0);
    }

    /** Every block from an offset on, as text. */
    static List<String> texts(PartitionLog log, long from) {
        List<String> texts = new ArrayList<>();
        long next = from;
        while (next < log.durableEnd()) {
            for (StoredBlock block : log.read(next, ALL).blocks()) {
                texts.add(StandardCharsets.UTF_8.decode(block.bytes()).toString());
                next = block.endOffset();
            }
        }
        return texts;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.config.Durability;
import org.talos.server.log.Block;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.MemoryCatalog;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.PutTicket;
import org.talos.server.log.TailCache;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentRows;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.server.testing.MemorySegmentStore.Gate;
import org.talos.thrift.ErrorCode;

/** Logs over a store that takes bytes faster than its segments can be written. */
@Timeout(30)
class BackPressureTest {
    private static final int MOST_OF_THE_MEMORY = 700 << 10;

    private final LosingDisk disk = new LosingDisk(Stores.MOUNTED);
    private final AtomicLong nanos = new AtomicLong();
    private final ExecutorService openings = Executors.newCachedThreadPool();
    private final Gate segments = new Gate();
    private JournaledSegmentStore store;
    private PartitionLog log;

    @BeforeEach
    void open() throws StorageException {
        store = LocalSegmentStore.open(
                Stores.ROOT,
                Stores.config(Durability.FSYNC),
                nanos::get,
                (bytes, write, sync) -> {},
                SegmentRows.NONE,
                disk,
                new SystemThreads());
        log = open(Stores.LOG);
        append(log, 1).firstOffset().join(); // its segment is there
    }

    @AfterEach
    void close() {
        segments.open();
        disk.heal();
        log.close();
        store.close();
        openings.shutdown();
    }

    private PartitionLog open(LogId id) throws StorageException {
        PartitionLog.Parts parts = new PartitionLog.Parts(
                new PartitionLog.Memory(new TailCache(1 << 20), new DedupeMemory(1 << 20), new SegmentIndexes(1 << 20)),
                new PartitionLog.Pools(openings, openings, openings),
                new SteadyClock(() -> Instant.ofEpochMilli(0), nanos::get),
                nanos::get,
                new LogMetrics(new Metrics(nanos::get)),
                new SystemThreads());
        return PartitionLog.open(
                id,
                store,
                new MemoryCatalog().takeOver(),
                () -> SegmentOptions.DEFAULT,
                Stores.config(Durability.FSYNC),
                parts,
                () -> {});
    }

    private static PutTicket append(PartitionLog log, int bytes) {
        Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.allocate(bytes));
        return log.append(List.of(new Put("", Put.Origin.UNIQUE, List.of(block))))
                .get(0);
    }

    private void gate(String operation, String suffix, Gate gate) {
        disk.fault((each, path) -> {
            if (isOf(path, ".log") && each.equals("write")) {
                segments.pass();
            }
            if (isOf(path, suffix) && each.equals(operation)) {
                gate.pass();
            }
        });
    }

    private static boolean isOf(Path path, String suffix) {
        return path.toString().endsWith(suffix);
    }

    @Test
    void putThatWaitsForMemoryHoldsNoAcknowledgementUp() throws Exception {
        Gate journal = new Gate();
        gate("sync", ".journal", journal);
        PutTicket first = append(log, MOST_OF_THE_MEMORY);
        journal.awaitCaller();

        CompletableFuture<PutTicket> second = CompletableFuture.supplyAsync(() -> append(log, MOST_OF_THE_MEMORY));
        CompletableFuture<PutTicket> third = second.thenApplyAsync(ticket -> append(log, 1));
        journal.open();

        assertThat(first.firstOffset().get(3, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(third.get(3, TimeUnit.SECONDS).firstOffset()).isNotDone();
        segments.open();
        assertThat(second.join().firstOffset().join()).isEqualTo(2);
        assertThat(third.join().firstOffset().join()).isEqualTo(3);
    }

    @Test
    void putThatFindsNoMemoryInTimeIsRefused() throws Exception {
        gate("none", ".journal", segments);
        append(log, MOST_OF_THE_MEMORY).firstOffset().join();
        PutTicket second = append(log, MOST_OF_THE_MEMORY);
        PutTicket third = append(log, 1);

        nanos.addAndGet(Duration.ofSeconds(6).toNanos());

        for (PutTicket refused : List.of(second, third)) {
            assertThatThrownBy(() -> refused.firstOffset().join())
                    .cause()
                    .isInstanceOfSatisfying(
                            TalosException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.EXCESSIVE_PENDING_MESSAGE));
        }
        segments.open();
        assertThat(append(log, 1).firstOffset().join()).isEqualTo(2);
    }

    /** Many puts may be appended at once. */
    @Test
    void appendOfMoreBytesThanAnIntCountsIsRefusedAndTheNextIsTaken() throws Exception {
        SegmentWriter writer = store.create(new SegmentName(new LogId("0".repeat(32), 0), 0, 1));
        ByteBuffer mebibyte = ByteBuffer.allocate(1 << 20);

        assertThatThrownBy(() ->
                        writer.append(Collections.nCopies(4_096, mebibyte)).join())
                .cause()
                .isInstanceOfSatisfying(StorageException.class, e -> {
                    assertThat(e.reason()).isEqualTo(StorageException.Reason.BUSY);
                    assertThat(e.effect()).isEqualTo(Effect.NONE);
                });
        writer.append(List.of(ByteBuffer.allocate(1))).get(3, TimeUnit.SECONDS);
        assertThat(writer.length()).isEqualTo(1);
        writer.close();
    }

    @Test
    void segmentThatCannotBeWrittenLeavesMemoryToOthers() throws Exception {
        PartitionLog other = open(new LogId("0".repeat(32), 0));
        append(other, 1).firstOffset().join();
        disk.fault((each, path) -> {
            if (each.equals("write") && path.toString().contains(Stores.LOG.topicId()) && isOf(path, ".log")) {
                throw new IOException("made to fail");
            }
        });
        for (int i = 0; i < 100; i++) {
            append(log, 32 << 10);
        }

        for (int i = 0; i < 100; i++) {
            append(other, 8 << 10).firstOffset().get(5, TimeUnit.SECONDS);
        }
        other.close();
    }
}

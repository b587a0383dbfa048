// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.Effect;
import org.talos.server.cluster.OwnershipChange;
import org.talos.server.log.Block;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.PutTicket;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.partition.PartitionRecord;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.testing.FailingMetadataStore;
import org.talos.server.testing.GatedSegmentStore;
import org.talos.server.testing.HandDrivenScheduler;
import org.talos.server.testing.MemorySegmentStore;
import org.talos.server.testing.SmallLogs;

/** A server's partitions over stores that fail when a test says so, by a hand-driven scheduler. Confined: one test. */
abstract class HandoverFixture {
    static final LogId ID = new LogId("0123456789abcdef0123456789abcdef", 0);

    @TempDir
    Path data;

    final HandDrivenScheduler time = new HandDrivenScheduler();
    final ScriptedOwnership cluster = new ScriptedOwnership();
    final AtomicInteger failing = new AtomicInteger();
    volatile Throwable failure = new IllegalStateException("made to fail");
    final Deque<Optional<Boolean>> existence = new ArrayDeque<>(); // what is answered first; empty: a failure
    boolean exists = true;
    volatile Executor closings = Runnable::run;
    final MemorySegmentStore memory = new MemorySegmentStore();
    FailingMetadataStore store;
    GatedSegmentStore segments;
    Partitions rows;
    PartitionManager manager;

    @BeforeEach
    void open() throws Exception {
        store = new FailingMetadataStore(RocksDbMetadataStore.open(data));
        rows = new Partitions(store);
        PartitionLog.Parts parts = SmallLogs.onCallersThread(time::nanos);
        segments = new GatedSegmentStore(memory);
        manager = new PartitionManager(
                segments,
                rows,
                new Failing(),
                SmallLogs.CONFIG,
                parts,
                new PartitionManager.Pools(time, task -> closings.execute(task)),
                "me");
        manager.within(cluster);
    }

    @AfterEach
    void close() {
        manager.close();
        store.close();
    }

    /** Fails to learn of a topic as often as it is asked to, and knows whether it exists. Thread-safe. */
    private final class Failing implements TopicOptions {
        @Override
        public SegmentOptions of(LogId id) {
            return SegmentOptions.DEFAULT;
        }

        @Override
        public void learn(LogId id) {
            if (failing.getAndDecrement() > 0) {
                if (failure instanceof Error error) {
                    throw error;
                }
                throw new IllegalStateException(failure);
            }
        }

        @Override
        public boolean exists(LogId id) throws MetadataException {
            Optional<Boolean> answer = existence.isEmpty() ? Optional.of(exists) : existence.remove();
            return answer.orElseThrow(() -> new MetadataException(Reason.UNAVAILABLE, Effect.NONE, "made not to know"));
        }
    }

    /** Has the pool that closes partitions no thread, and start none. */
    void lackThreads() {
        closings = task -> {
            throw new RejectedExecutionException("made to have no thread");
        };
    }

    PartitionRecord row() throws MetadataException {
        return rows.find(ID.topicId(), 0).orElseThrow().value();
    }

    void follow(boolean owned) {
        manager.follow(new OwnershipChange(ID.topicId(), ID.partition(), owned));
        time.run();
    }

    /** Another process has it. */
    void heldBy(String owner, boolean alive) throws MetadataException {
        PartitionRecord held = new PartitionRecord(7, owner, 0, List.of());
        long before = rows.find(ID.topicId(), 0).map(Versioned::version).orElse(0L);
        rows.save(ID.topicId(), 0, held, before).orElseThrow();
        if (alive) {
            cluster.alive.add(owner);
        }
    }

    void released() throws MetadataException {
        Versioned<PartitionRecord> row = rows.find(ID.topicId(), 0).orElseThrow();
        PartitionRecord value = row.value();
        PartitionRecord next = new PartitionRecord(value.epoch(), "", value.startOffset(), value.segments());
        rows.save(ID.topicId(), 0, next, row.version()).orElseThrow();
    }

    PutTicket append() {
        Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.wrap("message".getBytes(UTF_8)));
        return manager.partition(ID)
                .log()
                .append(List.of(new Put("p#1", Put.Origin.UNIQUE, List.of(block))))
                .get(0);
    }

    void assertNotTakenFrom(String owner) throws MetadataException {
        assertThat(row().owner()).isEqualTo(owner);
        assertThat(manager.serving(ID)).isEmpty();
    }

    void assertServed() throws MetadataException {
        assertThat(row().owner()).isEqualTo("me");
        assertThat(manager.summary()).isEqualTo("1 of 1");
    }
}

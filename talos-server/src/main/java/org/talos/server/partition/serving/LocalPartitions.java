// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.Coordinator;
import org.talos.server.dispatch.Priority;
import org.talos.server.log.Block;
import org.talos.server.log.Deletion;
import org.talos.server.log.LogFailures;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.metrics.TrafficMetrics;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.storage.LogId;

/**
 * Requests about the partitions that this server serves. While it is cut off from its cluster, it serves none.
 *
 * <p>Thread-safe.
 */
public final class LocalPartitions implements PartitionRequests {
    private final PartitionManager partitions;
    private final Coordinator coordinator;
    private final PutPool puts;
    private final GetPool gets;
    private final MessageReads reads;
    private final DiskSpace disk;
    private final TrafficMetrics metrics;
    private final Priority priority;

    /** The pools that run the requests. Immutable. */
    public record Pools(PutPool puts, GetPool gets, MessageReads reads) {}

    public LocalPartitions(
            PartitionManager partitions,
            Coordinator coordinator,
            Pools pools,
            DiskSpace disk,
            TrafficMetrics metrics,
            Priority priority) {
        this.partitions = partitions;
        this.coordinator = coordinator;
        puts = pools.puts;
        gets = pools.gets;
        reads = pools.reads;
        this.disk = disk;
        this.metrics = metrics;
        this.priority = priority;
    }

    /** Returns the same with priority: for requests that have already waited on another server. */
    public LocalPartitions forOthers() {
        return new LocalPartitions(partitions, coordinator, new Pools(puts, gets, reads), disk, metrics, Priority.HIGH);
    }

    private <T> CompletionStage<T> guarded(Supplier<CompletionStage<T>> work) {
        if (!coordinator.isConnected()) {
            return CompletableFuture.failedFuture(LogFailures.notServing());
        }
        try {
            return work.get();
        } catch (TalosException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext forward) {
        return guarded(() -> {
            DiskSpace.Shortage shortage = disk.shortage();
            return shortage == null
                    ? counted(put, () -> puts.submit(id, put, priority, forward))
                    : CompletableFuture.failedFuture(LogFailures.diskFull(shortage.sentence()));
        });
    }

    private CompletionStage<AppendResult> counted(Put put, Supplier<CompletionStage<AppendResult>> submission) {
        long begun = metrics.begin();
        CompletionStage<AppendResult> stored = submission.get();
        var unused = stored.whenComplete((result, error) -> {
            if (error == null) {
                long messages = 0;
                long bytes = 0;
                for (Block block : put.blocks()) {
                    messages += block.messages();
                    bytes += block.bytes().remaining();
                }
                metrics.stored(begun, messages, bytes);
            }
        });
        return stored;
    }

    @Override
    public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
        return guarded(() -> {
            long begun = metrics.begin();
            boolean waits = read.waitNanos() > 0 && (read.minBytes() > 1 || !hasMessages(id, read.offset()));
            CompletionStage<Slice> found = reads.read(id, read, forward);
            var unused = found.whenComplete((slice, error) -> {
                if (error == null) {
                    count(id, waits ? TrafficMetrics.WAITED : begun, slice);
                }
            });
            return found;
        });
    }

    /** Returns whether a read from there finds something; the special offsets are below all others. */
    private boolean hasMessages(LogId id, long offset) {
        return partitions
                .readable(id)
                .filter(log -> log.durableEnd() > Math.max(offset, log.startOffset()))
                .isPresent();
    }

    private void count(LogId id, long begun, Slice slice) {
        long messages = 0;
        for (StoredBlock block : slice.blocks()) {
            messages += block.block().messages();
        }
        metrics.got(id.topicId(), begun, messages, slice.bytes());
    }

    @Override
    public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext forward) {
        return guarded(() -> reads.awaitAny(ends, waitNanos, forward).thenApply(over -> found(ends)));
    }

    private Set<LogId> found(Map<LogId, Long> ends) {
        Set<LogId> found = new HashSet<>();
        ends.forEach((id, offset) -> {
            if (partitions
                    .readable(id)
                    .filter(log -> log.durableEnd() <= offset)
                    .isEmpty()) {
                found.add(id);
            }
        });
        return found;
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
        return guarded(() -> {
            Map<LogId, LogBounds> found = new HashMap<>();
            for (LogId id : ids) {
                if (partitions.has(id)) { // checked first: a partition that is closed in between is not left out
                    found.put(
                            id,
                            partitions.readable(id).map(LocalPartitions::bounds).orElse(LogBounds.NOT_SERVED));
                }
            }
            return CompletableFuture.completedFuture(found);
        });
    }

    static LogBounds bounds(PartitionLog log) {
        return new LogBounds(log.startOffset(), log.durableEnd(), log.bytes(), log.newestGap());
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
        return guarded(() -> gets.run(
                id,
                priority,
                forward.deadlineNanos(),
                () -> partitions.partition(id).readable().offsetAtTime(timeMillis)));
    }

    @Override
    public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext forward) {
        return guarded(() -> gets.run(
                id,
                priority,
                forward.deadlineNanos(),
                () -> partitions.partition(id).log().delete(deletion)));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.Coordinator;
import org.talos.server.dispatch.Priority;
import org.talos.server.log.LogFailures;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.storage.LogId;

/**
 * Requests about the partitions that this server serves. While it is cut off from its cluster it serves none.
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
    private final Priority priority;

    public LocalPartitions(
            PartitionManager partitions,
            Coordinator coordinator,
            PutPool puts,
            GetPool gets,
            MessageReads reads,
            DiskSpace disk,
            Priority priority) {
        this.partitions = partitions;
        this.coordinator = coordinator;
        this.puts = puts;
        this.gets = gets;
        this.reads = reads;
        this.disk = disk;
        this.priority = priority;
    }

    /** Like this one, with priority: for requests that have waited on another server already. */
    public LocalPartitions forOthers() {
        return new LocalPartitions(partitions, coordinator, puts, gets, reads, disk, Priority.HIGH);
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
                    ? puts.submit(id, put, priority, forward)
                    : CompletableFuture.failedFuture(LogFailures.diskFull(shortage.sentence()));
        });
    }

    @Override
    public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
        return guarded(() -> reads.read(id, read, forward));
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
        return guarded(() -> {
            Map<LogId, LogBounds> found = new HashMap<>();
            for (LogId id : ids) {
                if (partitions.has(id)) { // asked first: one that is closed in between is not left out
                    found.put(
                            id,
                            partitions.readable(id).map(LocalPartitions::bounds).orElse(LogBounds.NOT_SERVED));
                }
            }
            return CompletableFuture.completedFuture(found);
        });
    }

    static LogBounds bounds(PartitionLog log) {
        return new LogBounds(log.startOffset(), log.durableEnd(), log.bytes());
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
        return guarded(() -> gets.run(
                id,
                priority,
                forward.deadlineNanos(),
                () -> partitions.partition(id).readable().offsetAtTime(timeMillis)));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.Coordinator;
import org.talos.server.dispatch.Priority;
import org.talos.server.log.LogFailures;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.TimerWheel;
import org.talos.server.storage.LogId;

/**
 * As {@link LocalPartitions}, without threads of its own: puts are run where they come from, by the real
 * {@link PutPool.Runner}.
 *
 * <p>Confined: the simulation's thread.
 */
public final class SimulatedPartitions implements PartitionRequests {
    private final PartitionManager partitions;
    private final Coordinator coordinator;
    private final PutPool.Runner runner;
    private final Set<LogId> running = new HashSet<>();

    /** The partitions of one server. */
    public SimulatedPartitions(PartitionManager partitions, Coordinator coordinator, TimerWheel timers) {
        this.partitions = partitions;
        this.coordinator = coordinator;
        runner = new PutPool.Runner(partitions, coordinator, timers, Optional.empty());
    }

    /** Whether a put of the partition is being run: another one has to wait for it. */
    public boolean isRunning(LogId id) {
        return running.contains(id);
    }

    @Override
    public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext forward) {
        if (!coordinator.isConnected()) {
            return CompletableFuture.failedFuture(LogFailures.notServing());
        }
        PutPool.PutTask task = new PutPool.PutTask(id, put, Priority.NORMAL, forward);
        running.add(id);
        try {
            runner.run(List.of(task));
        } catch (RuntimeException e) {
            task.failed(e);
        } finally {
            running.remove(id);
        }
        return task.result();
    }

    @Override
    public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
        throw new UnsupportedOperationException("nobody asks for it");
    }

    @Override
    public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext forward) {
        throw new UnsupportedOperationException("nobody asks for it");
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
        if (!coordinator.isConnected()) {
            return CompletableFuture.failedFuture(LogFailures.notServing());
        }
        Map<LogId, LogBounds> found = new HashMap<>();
        for (LogId id : ids) {
            if (partitions.has(id)) {
                found.put(
                        id, partitions.serving(id).map(LocalPartitions::bounds).orElse(LogBounds.NOT_SERVED));
            }
        }
        return CompletableFuture.completedFuture(found);
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
        throw new UnsupportedOperationException("nobody asks for it");
    }

    /** A refusal that has surely done nothing. */
    public static TalosException notServing() {
        return LogFailures.notServing();
    }
}

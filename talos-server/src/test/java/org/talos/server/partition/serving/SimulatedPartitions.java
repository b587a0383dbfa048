// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

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
import org.talos.server.log.Deletion;
import org.talos.server.log.LogFailures;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.TrafficMetrics;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.storage.LogId;

/**
 * The real {@link LocalPartitions} for reads. Puts run without a pool of their own where they come from, by the real
 * {@link PutPool.Runner}.
 *
 * <p>Confined: the simulation's thread.
 */
public final class SimulatedPartitions implements PartitionRequests {
    private static final TrafficMetrics METRICS = new TrafficMetrics(new Metrics(() -> 0), () -> 0);

    private final Coordinator coordinator;
    private final PutPool.Runner runner;
    private final LocalPartitions reading;
    private final Set<LogId> running = new HashSet<>();

    /** The partitions of one server, for puts and for what reads no messages. */
    @SuppressWarnings("NullAway") // nothing is read
    public SimulatedPartitions(PartitionManager partitions, Coordinator coordinator, TimerWheel timers) {
        this(partitions, coordinator, timers, null, null);
    }

    /** The partitions of one server. */
    @SuppressWarnings("NullAway") // puts do not go through the pool of the real one
    public SimulatedPartitions(
            PartitionManager partitions, Coordinator coordinator, TimerWheel timers, GetPool gets, MessageReads reads) {
        this.coordinator = coordinator;
        reading = new LocalPartitions(
                partitions,
                coordinator,
                new LocalPartitions.Pools(null, gets, reads),
                DiskSpace.none(),
                METRICS,
                Priority.NORMAL);
        runner = new PutPool.Runner(partitions, coordinator, timers, Optional.empty());
    }

    /** Returns whether a put of the partition is being run: another one has to wait for it. */
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
        return reading.read(id, read, forward);
    }

    @Override
    public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext forward) {
        return reading.awaitAny(ends, waitNanos, forward);
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
        return reading.bounds(ids, forward);
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
        return reading.offsetAtTime(id, timeMillis, forward);
    }

    @Override
    public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext forward) {
        return reading.delete(id, deletion, forward);
    }

    /** A refusal that has certainly done nothing. */
    public static TalosException notServing() {
        return LogFailures.notServing();
    }
}

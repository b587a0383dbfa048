// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The capacity of the last minute. What threads were seen to use for each operation is a part of what the process used:
 * the rest (parsing, the journal, collecting garbage) is given to the operations in the same proportion, so that the
 * costs of all requests add up to what the process really took.
 *
 * <p>Thread-safe.
 */
final class CapacityModel {
    /** Share of the processors that a server should be planned to use. */
    static final double UTILISATION = 0.9;

    private static final int SNAPSHOTS = 7;
    private static final long FEWEST_REQUESTS = 100;

    private final int processors;
    private final Deque<Snapshot> snapshots = new ArrayDeque<>();
    private volatile Map<Operation, Capacity> capacities = Map.of();

    CapacityModel(int processors) {
        this.processors = processors;
    }

    /**
     * What has been counted of an operation since the start. Immutable.
     *
     * @param seenCpuSeconds of its requests together, as far as it was seen
     */
    record Counted(long requests, double responseSeconds, double seenCpuSeconds) {
        private Counted minus(Counted before) {
            return new Counted(
                    requests - before.requests,
                    responseSeconds - before.responseSeconds,
                    seenCpuSeconds - before.seenCpuSeconds);
        }
    }

    /** All that has been counted at a moment. Immutable. */
    record Snapshot(Map<Operation, Counted> operations, double processCpuSeconds) {}

    /** Takes what is counted now in, and forgets what is older than a minute; to be called every ten seconds. */
    synchronized void add(Snapshot now) {
        snapshots.addLast(now);
        if (snapshots.size() > SNAPSHOTS) {
            snapshots.removeFirst();
        }
        capacities = between(snapshots.getFirst(), now);
    }

    private Map<Operation, Capacity> between(Snapshot first, Snapshot last) {
        Map<Operation, Counted> counted = new EnumMap<>(Operation.class);
        double seen = 0;
        for (Map.Entry<Operation, Counted> each : last.operations.entrySet()) {
            Counted before = Objects.requireNonNull(first.operations.get(each.getKey()));
            Counted during = each.getValue().minus(before);
            counted.put(each.getKey(), during);
            seen += during.seenCpuSeconds;
        }
        double whole = last.processCpuSeconds - first.processCpuSeconds;
        double scale = seen > 0 ? Math.max(1, whole / seen) : 0;
        Map<Operation, Capacity> result = new EnumMap<>(Operation.class);
        counted.forEach((operation, of) -> result.put(operation, capacity(of, scale)));
        return result;
    }

    /** Of a few requests nothing is said: the background would be their cost. */
    private Capacity capacity(Counted of, double scale) {
        return of.requests < FEWEST_REQUESTS
                ? Capacity.UNKNOWN
                : Capacity.of(
                        of.responseSeconds / of.requests,
                        of.seenCpuSeconds * scale / of.requests,
                        processors,
                        UTILISATION);
    }

    Capacity of(Operation operation) {
        return capacities.getOrDefault(operation, Capacity.UNKNOWN);
    }
}

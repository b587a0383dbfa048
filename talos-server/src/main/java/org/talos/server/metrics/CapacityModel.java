// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * Computes each operation's capacity from the last minute. The processor time measured for the operations is a part of
 * the process's: the rest (parsing, the journal, garbage collection) is shared out in the same proportion, so that the
 * costs of all requests add up to the processor time of the process.
 *
 * <p>Thread-safe.
 */
final class CapacityModel {
    /** The utilisation that a server should be planned for. */
    static final double UTILISATION = 0.9;

    private static final int SNAPSHOTS = 7;
    private static final long FEWEST_REQUESTS = 100;

    private final int processors;
    private final Deque<Snapshot> snapshots = new ArrayDeque<>();
    private volatile Map<Operation, Measured> measured = Map.of();

    CapacityModel(int processors) {
        this.processors = processors;
    }

    /**
     * An operation's totals since the start. Immutable.
     *
     * @param measuredCpuSeconds measured processor time of its requests
     */
    record Usage(long requests, double responseSeconds, double measuredCpuSeconds) {
        private Usage minus(Usage before) {
            return new Usage(
                    requests - before.requests,
                    responseSeconds - before.responseSeconds,
                    measuredCpuSeconds - before.measuredCpuSeconds);
        }
    }

    /**
     * The last minute of an operation. Immutable.
     *
     * @param responseSeconds of a request
     */
    record Measured(long requests, double responseSeconds, Capacity capacity) {
        static final Measured NOTHING = new Measured(0, 0, Capacity.UNKNOWN);
    }

    /** The totals at one time. Immutable. */
    record Snapshot(Map<Operation, Usage> operations, double processCpuSeconds) {}

    /** Adds the present totals and drops those older than a minute; to be called every ten seconds. */
    synchronized void add(Snapshot now) {
        snapshots.addLast(now);
        if (snapshots.size() > SNAPSHOTS) {
            snapshots.removeFirst();
        }
        measured = between(snapshots.getFirst(), now);
    }

    private Map<Operation, Measured> between(Snapshot first, Snapshot last) {
        Map<Operation, Usage> usage = new EnumMap<>(Operation.class);
        double sum = 0;
        for (Map.Entry<Operation, Usage> each : last.operations.entrySet()) {
            Usage before = Objects.requireNonNull(first.operations.get(each.getKey()));
            Usage during = each.getValue().minus(before);
            usage.put(each.getKey(), during);
            sum += during.measuredCpuSeconds;
        }
        double whole = last.processCpuSeconds - first.processCpuSeconds;
        double scale = sum > 0 ? Math.max(1, whole / sum) : 0;
        Map<Operation, Measured> result = new EnumMap<>(Operation.class);
        usage.forEach((operation, of) -> result.put(
                operation,
                new Measured(of.requests, of.responseSeconds / Math.max(1, of.requests), capacity(of, scale))));
        return result;
    }

    /** Unknown for few requests: background work would count as their cost. */
    private Capacity capacity(Usage of, double scale) {
        return of.requests < FEWEST_REQUESTS
                ? Capacity.UNKNOWN
                : Capacity.of(
                        of.responseSeconds / of.requests,
                        of.measuredCpuSeconds * scale / of.requests,
                        processors,
                        UTILISATION);
    }

    Capacity of(Operation operation) {
        return measured(operation).capacity();
    }

    Measured measured(Operation operation) {
        return measured.getOrDefault(operation, Measured.NOTHING);
    }

    int processors() {
        return processors;
    }
}

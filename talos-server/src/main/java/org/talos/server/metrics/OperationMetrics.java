// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Histogram;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The cost of requests by operation, and the machine's capacity for them. Processor time is measured for every 16th
 * request only, since reading it costs about a microsecond.
 *
 * <p>Thread-safe.
 */
public final class OperationMetrics {
    /** The processor time of a request that is not measured. */
    public static final long NOT_SEEN = -1;

    private static final int MEASURED_EVERY = 16;
    private static final int CLOCK_NOISE_BITS = 6; // the lowest bits of some clocks never change
    private static final double NANOS = 1e9;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Map<Operation, Counts> operations = new EnumMap<>(Operation.class);
    private final CapacityModel model = new CapacityModel(Runtime.getRuntime().availableProcessors());

    /** The counters of one operation. Thread-safe. */
    private static final class Counts {
        private final Histogram response;
        private final LongAdder count = new LongAdder();
        private final LongAdder nanos = new LongAdder();
        private final LongAdder measured = new LongAdder();
        private final LongAdder measuredNanos = new LongAdder();

        Counts(Histogram response) {
            this.response = response;
        }
    }

    /** Registers the metrics. */
    public OperationMetrics(Metrics metrics) {
        for (Operation each : Operation.values()) {
            operations.put(
                    each,
                    new Counts(metrics.histogram(
                            "talos_operation_seconds",
                            each.label(),
                            Unit.SECONDS,
                            "From a request's headers to the end of its answer, of those that did not fail.")));
        }
        for (Operation each : Operation.values()) {
            metrics.gauge(
                    "talos_capacity_cpu_seconds",
                    each.label(),
                    "Processor time of a request, its share of the process's included; last minute.",
                    () -> model.of(each).cpuSeconds());
        }
        for (Operation each : Operation.values()) {
            metrics.gauge(
                    "talos_capacity_wait_seconds",
                    each.label(),
                    "The rest of a request's response time; last minute.",
                    () -> model.of(each).waitSeconds());
        }
        for (Operation each : Operation.values()) {
            metrics.gauge(
                    "talos_capacity_best_threads",
                    each.label(),
                    "Threads that reach the capacity if each runs a request from begin to end.",
                    () -> model.of(each).bestThreads());
        }
        for (Operation each : Operation.values()) {
            metrics.gauge(
                    "talos_capacity_max_per_second",
                    each.label(),
                    "Requests a second that the processors can serve if there are no others.",
                    () -> model.of(each).maxPerSecond());
        }
    }

    /** A thread and its processor time when it began to work for a request. Immutable. */
    public record Mark(Thread thread, long cpuNanos) {
        private static Mark now() {
            return new Mark(Thread.currentThread(), THREADS.getCurrentThreadCpuTime());
        }
    }

    /** Starts measuring this thread's work for a request; null for the requests that are not measured. */
    public static @Nullable Mark mark(long arrivedNanos) {
        return (arrivedNanos >> CLOCK_NOISE_BITS) % MEASURED_EVERY == 0 ? Mark.now() : null;
    }

    /** Starts measuring again, perhaps on another thread, if the request is measured. */
    public static @Nullable Mark markAgain(long measuredNanos) {
        return measuredNanos == NOT_SEEN ? null : Mark.now();
    }

    /** Processor time that this thread has used since the mark; 0 if the mark is another thread's. */
    public static long cpuSince(@Nullable Mark mark) {
        if (mark == null) {
            return NOT_SEEN;
        }
        return mark.thread == Thread.currentThread() ? THREADS.getCurrentThreadCpuTime() - mark.cpuNanos : 0;
    }

    /**
     * Records an answered request.
     *
     * @param measuredCpuNanos processor time of its threads, or {@link #NOT_SEEN}
     */
    public void answered(Operation operation, long nanos, long measuredCpuNanos) {
        Counts of = of(operation);
        of.response.update(nanos);
        of.count.increment();
        of.nanos.add(nanos);
        if (measuredCpuNanos != NOT_SEEN) {
            of.measured.increment();
            of.measuredNanos.add(measuredCpuNanos);
        }
    }

    /**
     * The last minute of an operation, and the capacity of the processors if it were the only one. Immutable.
     *
     * @param operation its name
     * @param responseSeconds of a request
     * @param cpuSeconds processor time of a request; 0, as are the next ones, if there were too few to tell
     * @param waitSeconds the rest of its response time
     * @param bestThreads {@code responseSeconds / cpuSeconds × processors × utilisation}
     * @param mostPerSecond {@code processors × utilisation / cpuSeconds}
     */
    public record OfOperation(
            String operation,
            long requests,
            double responseSeconds,
            double cpuSeconds,
            double waitSeconds,
            double bestThreads,
            double mostPerSecond) {}

    /** Each operation's last minute. */
    public List<OfOperation> lastMinute() {
        return operations.keySet().stream()
                .map(operation -> {
                    CapacityModel.Measured of = model.measured(operation);
                    Capacity capacity = of.capacity();
                    return new OfOperation(
                            operation.name().toLowerCase(Locale.ROOT),
                            of.requests(),
                            of.responseSeconds(),
                            capacity.cpuSeconds(),
                            capacity.waitSeconds(),
                            capacity.bestThreads(),
                            capacity.maxPerSecond());
                })
                .toList();
    }

    /** Returns the number of processors for which capacity is computed. */
    public int processors() {
        return model.processors();
    }

    /** The utilisation of the processors that capacity is computed for, 0 to 1. */
    public static double utilisation() {
        return CapacityModel.UTILISATION;
    }

    private Counts of(Operation operation) {
        Counts of = operations.get(operation);
        if (of == null) {
            throw new IllegalStateException("no metrics of " + operation);
        }
        return of;
    }

    /** Updates the capacity from the counters; to be called every ten seconds. */
    public void refresh() {
        Map<Operation, CapacityModel.Usage> now = new EnumMap<>(Operation.class);
        operations.forEach((operation, of) -> {
            long count = of.count.sum();
            double each = of.measuredNanos.sum() / NANOS / Math.max(1, of.measured.sum());
            now.put(operation, new CapacityModel.Usage(count, of.nanos.sum() / NANOS, each * count));
        });
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            model.add(new CapacityModel.Snapshot(now, system.getProcessCpuTime() / NANOS));
        }
    }
}

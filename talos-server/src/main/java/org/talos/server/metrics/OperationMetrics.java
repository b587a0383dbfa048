// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Histogram;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What requests cost, by operation, and how many of them the machine could do. Processor time is asked for every 16th
 * request only, since asking costs about a microsecond.
 *
 * <p>Thread-safe.
 */
public final class OperationMetrics {
    /** The processor time of a request that was not looked at. */
    public static final long NOT_SEEN = -1;

    private static final int SEEN_EVERY = 16;
    private static final int CLOCK_NOISE_BITS = 6; // the lowest bits of some clocks never change
    private static final double NANOS = 1e9;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Map<Operation, Of> operations = new EnumMap<>(Operation.class);
    private final CapacityModel model = new CapacityModel(Runtime.getRuntime().availableProcessors());

    /** What is counted of one. Thread-safe. */
    private static final class Of {
        private final Histogram response;
        private final LongAdder count = new LongAdder();
        private final LongAdder nanos = new LongAdder();
        private final LongAdder seen = new LongAdder();
        private final LongAdder seenNanos = new LongAdder();

        Of(Histogram response) {
            this.response = response;
        }
    }

    /** The operations' metrics. */
    public OperationMetrics(Metrics metrics) {
        for (Operation each : Operation.values()) {
            operations.put(
                    each,
                    new Of(metrics.histogram(
                            "talos_operation_seconds",
                            each.label(),
                            Unit.SECONDS,
                            "From a request's headers to the end of its answer, of those that did not fail.")));
        }
        for (Operation each : Operation.values()) {
            metrics.gauge(
                    "talos_capacity_cpu_seconds",
                    each.label(),
                    "Processor time of a request, all that the process used shared out; last minute.",
                    () -> model.of(each).cpuSeconds());
        }
        for (Operation each : Operation.values()) {
            metrics.gauge(
                    "talos_capacity_wait_seconds",
                    each.label(),
                    "The rest of a request's time; last minute.",
                    () -> model.of(each).waitSeconds());
        }
        for (Operation each : Operation.values()) {
            metrics.gauge(
                    "talos_capacity_best_threads",
                    each.label(),
                    "Threads that would use the processors best if each ran a request from begin to end.",
                    () -> model.of(each).bestThreads());
        }
        for (Operation each : Operation.values()) {
            metrics.gauge(
                    "talos_capacity_max_per_second",
                    each.label(),
                    "Requests a second that the processors have time for, if there were no others.",
                    () -> model.of(each).maxPerSecond());
        }
    }

    /** Where a thread was when it began to work for a request. Immutable. */
    public record Mark(Thread thread, long cpuNanos) {
        private static Mark now() {
            return new Mark(Thread.currentThread(), THREADS.getCurrentThreadCpuTime());
        }
    }

    /** Begins to look at what this thread does for a request; null for most requests. */
    public static @Nullable Mark mark(long arrivedNanos) {
        return (arrivedNanos >> CLOCK_NOISE_BITS) % SEEN_EVERY == 0 ? Mark.now() : null;
    }

    /** Goes on to look at a request that is looked at, perhaps on another thread. */
    public static @Nullable Mark markAgain(long seenNanos) {
        return seenNanos == NOT_SEEN ? null : Mark.now();
    }

    /** Processor time that this thread has used since the mark; none if the mark is another's. */
    public static long cpuSince(@Nullable Mark mark) {
        if (mark == null) {
            return NOT_SEEN;
        }
        return mark.thread == Thread.currentThread() ? THREADS.getCurrentThreadCpuTime() - mark.cpuNanos : 0;
    }

    /**
     * A request has been answered.
     *
     * @param seenCpuNanos what threads used for it, or {@link #NOT_SEEN}
     */
    public void answered(Operation operation, long nanos, long seenCpuNanos) {
        Of of = of(operation);
        of.response.update(nanos);
        of.count.increment();
        of.nanos.add(nanos);
        if (seenCpuNanos != NOT_SEEN) {
            of.seen.increment();
            of.seenNanos.add(seenCpuNanos);
        }
    }

    private Of of(Operation operation) {
        Of of = operations.get(operation);
        if (of == null) {
            throw new IllegalStateException("no metrics of " + operation);
        }
        return of;
    }

    /** Takes what has been counted into the capacity; to be called every ten seconds. */
    public void refresh() {
        Map<Operation, CapacityModel.Counted> now = new EnumMap<>(Operation.class);
        operations.forEach((operation, of) -> {
            long count = of.count.sum();
            double each = of.seenNanos.sum() / NANOS / Math.max(1, of.seen.sum());
            now.put(operation, new CapacityModel.Counted(count, of.nanos.sum() / NANOS, each * count));
        });
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            model.add(new CapacityModel.Snapshot(now, system.getProcessCpuTime() / NANOS));
        }
    }
}

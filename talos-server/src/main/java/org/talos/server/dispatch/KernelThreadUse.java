// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.talos.server.dispatch.ThreadTimes.Reading;

/**
 * The system's counters of the workers' threads, read at the beginning and at the end of a period. Confined: one
 * thread.
 */
final class KernelThreadUse implements ProcessorUse {
    /** Number of threads that are read, at about 10 µs each. They are a sample of all. */
    private static final int MOST_ASKED = 64;

    private final Supplier<List<ThreadTimes>> threads;
    private Map<ThreadTimes, Reading> before = Map.of();

    /** @param threads of the workers; none, if the system has no counters for them */
    KernelThreadUse(Supplier<List<ThreadTimes>> threads) {
        this.threads = threads;
    }

    @Override
    public void sample() {} // the system counts all the time

    @Override
    public void begin() {
        before = read(threads.get());
    }

    @Override
    public Optional<Use> end(double nanos, int workers) {
        Map<ThreadTimes, Reading> now = read(threads.get());
        double onProcessor = 0;
        double forProcessor = 0;
        int asked = 0;
        int known = 0; // of these, the time spent waiting for a processor
        for (Map.Entry<ThreadTimes, Reading> each : now.entrySet()) {
            Reading earlier = before.get(each.getKey());
            if (earlier != null) {
                Reading later = each.getValue();
                asked++;
                onProcessor += later.onProcessorNanos() - earlier.onProcessorNanos();
                if (later.forProcessorNanos() != Reading.UNKNOWN) {
                    known++;
                    forProcessor += later.forProcessorNanos() - earlier.forProcessorNanos();
                }
            }
        }
        before = now;
        if (asked == 0) {
            return Optional.empty();
        }
        return Optional.of(new Use(
                onProcessor * workers / nanos / asked,
                known == 0 ? Double.NaN : forProcessor * workers / nanos / known));
    }

    private static Map<ThreadTimes, Reading> read(List<ThreadTimes> threads) {
        Map<ThreadTimes, Reading> readings = new HashMap<>();
        int step = 1 + (threads.size() - 1) / MOST_ASKED;
        for (int i = 0; i < threads.size(); i += step) {
            ThreadTimes thread = threads.get(i);
            thread.read().ifPresent(reading -> readings.put(thread, reading));
        }
        return readings;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth.quota;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the passed amount, and its recent rate per second: since the oldest sample that is kept.
 *
 * <p>Thread-safe. Counting takes no lock.
 */
final class PassedCounts {
    /** The number of samples, one a second: the mean is of ten seconds. */
    private static final int SAMPLES = 10;

    private final LongAdder puts = new LongAdder();
    private final LongAdder gets = new LongAdder();
    private final LongAdder putBytes = new LongAdder();
    private final LongAdder getBytes = new LongAdder();

    @GuardedBy("this")
    private final Deque<CountSample> samples = new ArrayDeque<>();

    /** The counts at an instant. Immutable. */
    private record CountSample(long nanos, long puts, long gets, long putBytes, long getBytes) {}

    PassedCounts(long nowNanos) {
        samples.add(new CountSample(nowNanos, 0, 0, 0, 0));
    }

    void put(long bytes) {
        puts.increment();
        putBytes.add(bytes);
    }

    void get() {
        gets.increment();
    }

    void got(long bytes) {
        getBytes.add(bytes);
    }

    private CountSample now(long nowNanos) {
        return new CountSample(nowNanos, puts.sum(), gets.sum(), putBytes.sum(), getBytes.sum());
    }

    /** To be called each second. */
    synchronized void look(long nowNanos) {
        if (samples.size() == SAMPLES) {
            samples.removeFirst();
        }
        samples.addLast(now(nowNanos));
    }

    synchronized RateUse use(long nowNanos) {
        CountSample first = samples.getFirst();
        CountSample now = now(nowNanos);
        double seconds = (now.nanos - first.nanos) / (double) TimeUnit.SECONDS.toNanos(1);
        return seconds <= 0
                ? RateUse.NONE
                : new RateUse(
                        (now.puts - first.puts) / seconds,
                        (now.gets - first.gets) / seconds,
                        (now.putBytes - first.putBytes) / seconds,
                        (now.getBytes - first.getBytes) / seconds);
    }
}

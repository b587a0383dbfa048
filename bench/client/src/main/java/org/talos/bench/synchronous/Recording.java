// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Counts what the threads of a load have done, and how long it took within the measured time. Thread-safe. */
final class Recording {
    private static final int DIGITS = 3;

    private final Histogram puts = new ConcurrentHistogram(DIGITS);
    private final Histogram gets = new ConcurrentHistogram(DIGITS);
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicReference<@Nullable String> firstFailure = new AtomicReference<>();
    private volatile boolean measuring;

    /** From now on latencies are recorded, or not any more. */
    void measure(boolean now) {
        measuring = now;
    }

    /** A message was acknowledged. */
    void put(long nanos) {
        acknowledged.incrementAndGet();
        if (measuring) {
            puts.recordValue(Math.max(0, nanos));
        }
    }

    /** A message that is the next one of its partition was got. */
    void got(long nanos) {
        received.incrementAndGet();
        if (measuring) {
            gets.recordValue(Math.max(0, nanos));
        }
    }

    /** A put or a get failed, or brought what it should not have. */
    void failed(String what) {
        failed.incrementAndGet();
        firstFailure.compareAndSet(null, what);
    }

    /** Nanoseconds from when a put was called, or due, to its acknowledgement. */
    Histogram puts() {
        return puts;
    }

    /** Nanoseconds from when a put was called, or due, to when its message was got. */
    Histogram gets() {
        return gets;
    }

    /**
     * Returns the counts of all messages, including those of the warm-up.
     *
     * @param stored messages that the server says it has
     */
    LoadCounts counts(long stored) {
        return new LoadCounts(
                acknowledged.get(), received.get(), stored, failed.get(), Optional.ofNullable(firstFailure.get()));
    }
}

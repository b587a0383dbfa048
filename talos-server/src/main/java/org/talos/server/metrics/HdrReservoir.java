// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Reservoir;
import com.codahale.metrics.Snapshot;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.talos.server.runtime.Ticker;

/**
 * A reservoir of the last minute that keeps every value, in intervals of ten seconds: tails are not sampled away, and
 * any number of readers see the same.
 *
 * <p>Thread-safe. Recording takes no lock.
 */
final class HdrReservoir implements Reservoir {
    private static final int INTERVALS = 6;
    private static final long INTERVAL_NANOS = 10_000_000_000L;
    private static final int SIGNIFICANT_DIGITS = 2;

    private final Ticker ticker;
    private final Recorder recorder = new Recorder(SIGNIFICANT_DIGITS);

    @GuardedBy("this")
    private final Deque<Histogram> intervals = new ArrayDeque<>();

    @GuardedBy("this")
    private Histogram current = new Histogram(SIGNIFICANT_DIGITS);

    @GuardedBy("this")
    private long currentSinceNanos;

    HdrReservoir(Ticker ticker) {
        this.ticker = ticker;
        currentSinceNanos = ticker.nanos();
    }

    @Override
    public void update(long value) {
        recorder.recordValue(Math.max(0, value));
    }

    @Override
    public int size() {
        return getSnapshot().size();
    }

    @Override
    public synchronized Snapshot getSnapshot() {
        current.add(recorder.getIntervalHistogram());
        roll();
        Histogram all = current.copy();
        intervals.forEach(all::add);
        return new HdrSnapshot(all);
    }

    @GuardedBy("this")
    private void roll() {
        long now = ticker.nanos();
        if (now - currentSinceNanos >= INTERVAL_NANOS * INTERVALS) {
            intervals.clear(); // nobody has looked for longer than the window
        }
        if (now - currentSinceNanos >= INTERVAL_NANOS) {
            intervals.addLast(current);
            while (intervals.size() >= INTERVALS) {
                intervals.removeFirst();
            }
            current = new Histogram(SIGNIFICANT_DIGITS);
            currentSinceNanos = now;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import com.codahale.metrics.Reservoir;
import com.codahale.metrics.Snapshot;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.talos.server.runtime.time.Ticker;

/**
 * A reservoir of all values of the last minute, in histograms of ten seconds, and of all since the start: no value is
 * sampled away, and readers do not disturb each other.
 *
 * <p>The classic histogram of prometheus-metrics 1.10 has no quantiles of the last minute, and an observation costs 1.5
 * to 2 times as much.
 *
 * <p>Thread-safe. Recording takes no lock.
 */
public final class HdrReservoir implements Reservoir {
    /** The significant digits of all histograms here. */
    static final int SIGNIFICANT_DIGITS = 2;

    private static final int INTERVALS = 6;
    private static final long INTERVAL_NANOS = 10_000_000_000L;

    private final Ticker ticker;
    private final Recorder recorder = new Recorder(SIGNIFICANT_DIGITS);
    private final Queue<Source> sources = new ConcurrentLinkedQueue<>();

    @GuardedBy("this")
    private final Deque<Histogram> intervals = new ArrayDeque<>();

    @GuardedBy("this")
    private final Histogram sinceStart = new Histogram(SIGNIFICANT_DIGITS);

    private final LongAdder sum = new LongAdder();

    @GuardedBy("this")
    private Histogram current = new Histogram(SIGNIFICANT_DIGITS);

    @GuardedBy("this")
    private long currentSinceNanos;

    /** An empty one. */
    public HdrReservoir(Ticker ticker) {
        this.ticker = ticker;
        currentSinceNanos = ticker.nanos();
    }

    @Override
    public void update(long value) {
        long recorded = Math.max(0, value);
        recorder.recordValue(recorded);
        sum.add(recorded);
    }

    /** Where further values are until somebody reads. */
    interface Source {
        /** Moves its values to both; returns their sum. */
        long moveTo(Histogram one, Histogram other);
    }

    /** Reads a source with all others from now on. */
    void readAlso(Source source) {
        sources.add(source);
    }

    @Override
    public int size() {
        return getSnapshot().size();
    }

    @Override
    public synchronized Snapshot getSnapshot() {
        drainRecorder();
        Histogram all = current.copy();
        intervals.forEach(all::add);
        return new HdrSnapshot(all);
    }

    /** All values since the start, and their sum. The histogram is a copy, which belongs to the caller. */
    public record Cumulative(Histogram values, long sum) {}

    /** Returns the present counts. */
    public synchronized Cumulative cumulative() {
        drainRecorder();
        return new Cumulative(sinceStart.copy(), sum.sum());
    }

    @GuardedBy("this")
    private void drainRecorder() {
        Histogram latest = recorder.getIntervalHistogram();
        current.add(latest);
        sinceStart.add(latest);
        for (Source each : sources) {
            sum.add(each.moveTo(current, sinceStart));
        }
        roll();
    }

    @GuardedBy("this")
    private void roll() {
        long now = ticker.nanos();
        if (now - currentSinceNanos >= INTERVAL_NANOS * INTERVALS) {
            intervals.clear(); // no reader for longer than the window
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

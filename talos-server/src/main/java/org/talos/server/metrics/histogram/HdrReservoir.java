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
import java.util.concurrent.locks.ReentrantLock;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.talos.server.runtime.Ticker;

/**
 * A reservoir of all values of the last minute, in histograms of ten seconds, and of all since the start: no value is
 * sampled away, and readers do not disturb each other.
 *
 * <p>Thread-safe. Recording takes no lock, but for a {@link Writer} now and then.
 */
public final class HdrReservoir implements Reservoir {
    private static final int INTERVALS = 6;
    private static final long INTERVAL_NANOS = 10_000_000_000L;
    private static final int SIGNIFICANT_DIGITS = 2;
    /** A writer of so many new values takes them to those of all, unless somebody else does so just now. */
    private static final int GATHERED_FROM = WriterValues.ROOM / 2;

    private final Ticker ticker;
    private final Recorder recorder = new Recorder(SIGNIFICANT_DIGITS);
    private final Queue<WriterValues> writers = new ConcurrentLinkedQueue<>();
    private final ReentrantLock gathering = new ReentrantLock();

    @GuardedBy("gathering")
    private final Histogram gathered = new Histogram(SIGNIFICANT_DIGITS); // the writers' latest

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

    /** For a thread that records much, for as long as the reservoir is used. */
    public Writer writer() {
        Writer writer = new Writer();
        writers.add(writer.values);
        return writer;
    }

    /** Records the values of one thread. Confined: the thread, or one after another, if the later one knows of that. */
    public final class Writer {
        private final WriterValues values = new WriterValues();

        /** Records a value; one below 0 as 0. */
        public void update(long value) {
            int latest = values.add(Math.max(0, value));
            if (latest >= WriterValues.ROOM) {
                gathering.lock();
            } else if (latest < GATHERED_FROM || !gathering.tryLock()) {
                return;
            }
            try {
                gather(values);
            } finally {
                gathering.unlock();
            }
        }
    }

    @GuardedBy("gathering")
    private void gather(WriterValues values) {
        Histogram to = gathered;
        sum.add(values.takeTo(to::recordValue));
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

    /** As of now. */
    public synchronized Cumulative cumulative() {
        drainRecorder();
        return new Cumulative(sinceStart.copy(), sum.sum());
    }

    @GuardedBy("this")
    private void drainRecorder() {
        Histogram latest = recorder.getIntervalHistogram();
        current.add(latest);
        sinceStart.add(latest);
        drainWriters();
        roll();
    }

    @GuardedBy("this")
    private void drainWriters() {
        gathering.lock();
        try {
            writers.forEach(this::gather);
            current.add(gathered);
            sinceStart.add(gathered);
            gathered.reset();
        } finally {
            gathering.unlock();
        }
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

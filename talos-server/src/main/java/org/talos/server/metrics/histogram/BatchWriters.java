// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.HdrHistogram.Histogram;

/**
 * Writers of measurements of batches. Each keeps its latest values in a ring of its own until its reservoirs are read,
 * or the ring is half full. So recording costs a few nanoseconds, however many threads measure. One ring for all three,
 * since a virtual worker may continue on another processor, which fetches it from the first one's cache.
 *
 * <p>Thread-safe.
 */
public final class BatchWriters {
    private final ReentrantLock gathering = new ReentrantLock();
    private final Queue<BatchRing> rings = new ConcurrentLinkedQueue<>();
    // What these three hold is guarded by the lock.
    private final Gathered waits = new Gathered();
    private final Gathered runs = new Gathered();
    private final Gathered sizes = new Gathered();
    private final BatchRecorder gathered = BatchRecorder.to(waits::add, runs::add, sizes::add);

    /**
     * Writers of three reservoirs.
     *
     * @param waits of tasks, until their start, in nanoseconds
     * @param runs of batches, in nanoseconds
     * @param sizes of batches, in tasks
     */
    public BatchWriters(HdrReservoir waits, HdrReservoir runs, HdrReservoir sizes) {
        waits.readAlso((one, other) -> moved(this.waits, one, other));
        runs.readAlso((one, other) -> moved(this.runs, one, other));
        sizes.readAlso((one, other) -> moved(this.sizes, one, other));
    }

    /**
     * For a thread that records much, for as long as the reservoirs are used. Confined: the thread, or one after
     * another, if the later one knows of that.
     */
    public BatchRecorder writer() {
        BatchRing ring = new BatchRing();
        rings.add(ring);
        return new Writer(ring);
    }

    private long moved(Gathered values, Histogram one, Histogram other) {
        gathering.lock();
        try {
            rings.forEach(this::gather);
            return values.moveTo(one, other);
        } finally {
            gathering.unlock();
        }
    }

    @GuardedBy("gathering")
    private void gather(BatchRing ring) {
        ring.takeTo(gathered);
    }

    /** Values that no ring has any more and no reader yet. Confined: the holder of the lock. */
    private static final class Gathered {
        private final Histogram histogram = new Histogram(HdrReservoir.SIGNIFICANT_DIGITS);
        private long sum;

        void add(long value) {
            histogram.recordValue(value);
            sum += value;
        }

        long moveTo(Histogram one, Histogram other) {
            one.add(histogram);
            other.add(histogram);
            histogram.reset();
            long moved = sum;
            sum = 0;
            return moved;
        }
    }

    private final class Writer implements BatchRecorder {
        private final BatchRing ring;

        Writer(BatchRing ring) {
            this.ring = ring;
        }

        @Override
        public void started(long waitedNanos) {
            added(ring.started(waitedNanos));
        }

        @Override
        public void ran(int tasks, long nanos) {
            added(ring.ran(tasks, nanos));
        }

        /** When its ring is half full, it moves its values to the common ones, unless another thread is doing so. */
        private void added(int untaken) {
            if (BatchRing.isFull(untaken)) {
                gathering.lock();
            } else if (untaken < BatchRing.ROOM / 2 || !gathering.tryLock()) {
                return;
            }
            try {
                gather(ring);
            } finally {
                gathering.unlock();
            }
        }
    }
}

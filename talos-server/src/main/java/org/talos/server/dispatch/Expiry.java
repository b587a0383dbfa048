// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Ticker;

/**
 * Scans a pool for tasks whose deadline passed while they waited, at the earliest of the known deadlines. One timer
 * serves all tasks: nearly every task leaves its queue long before its deadline, and a timer for each would cost more
 * than the queue. Scans take at most a ninth of the timer's time, whatever the number of waiting tasks and their
 * deadlines. With too many, tasks expire late.
 *
 * <p>Thread-safe.
 */
final class Expiry {
    /** The delay after a scan that has failed. */
    private static final long AGAIN_NANOS = 1_000_000_000;
    /** A scan is followed by a pause of this multiple of its length. */
    private static final long PAUSES = 8;

    private final TimerWheel timers;
    private final Ticker ticker;
    private final Supplier<OptionalLong> endOverdue;
    private volatile @Nullable Scan next; // changed under this object's lock

    @GuardedBy("this")
    private long pauseEndNanos;

    /**
     * Nothing waits.
     *
     * @param endOverdue ends the waiting tasks whose deadline has passed, and returns the earliest deadline of the
     *     others; called on the timer's thread
     */
    Expiry(TimerWheel timers, Ticker ticker, Supplier<OptionalLong> endOverdue) {
        this.timers = timers;
        this.ticker = ticker;
        this.endOverdue = endOverdue;
        pauseEndNanos = ticker.nanos();
    }

    /** A scheduled scan of the tasks. Confined: the lock of its expiry, except for its deadline, which is final. */
    private static final class Scan {
        private final long deadlineNanos;
        private TimerWheel.@Nullable Timeout timeout;

        Scan(long deadlineNanos) {
            this.deadlineNanos = deadlineNanos;
        }
    }

    /** Notes that a task has been queued; called once it is visible in its queue. */
    void queued(long deadlineNanos) {
        if (isEarlier(deadlineNanos, next)) {
            scanAt(deadlineNanos);
        }
    }

    private static boolean isEarlier(long deadlineNanos, @Nullable Scan scan) {
        return scan == null || deadlineNanos - scan.deadlineNanos < 0;
    }

    private synchronized void scanAt(long deadlineNanos) {
        Scan set = next;
        if (isEarlier(deadlineNanos, set)) {
            Scan scan = new Scan(deadlineNanos);
            long time = deadlineNanos - pauseEndNanos < 0 ? pauseEndNanos : deadlineNanos;
            scan.timeout = timers.schedule(time, () -> scan(scan));
            next = scan; // only now: without memory for a timer, the next task tries again
            if (set != null && set.timeout != null) {
                set.timeout.cancel();
            }
        }
    }

    private void scan(Scan due) {
        synchronized (this) {
            if (next == due) {
                next = null; // before the scan: a task queued from now on, perhaps unseen, schedules another one
            }
        }
        long start = ticker.nanos();
        OptionalLong earliest = OptionalLong.of(start + AGAIN_NANOS); // if it fails: some tasks may have no other scan
        try {
            earliest = endOverdue.get();
        } finally {
            pauseAfter(start);
            earliest.ifPresent(this::queued);
        }
    }

    private synchronized void pauseAfter(long startNanos) {
        long now = ticker.nanos();
        pauseEndNanos = now + PAUSES * (now - startNanos);
    }
}

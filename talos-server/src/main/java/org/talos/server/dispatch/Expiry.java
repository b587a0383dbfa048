// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;

/**
 * Has a pool looked through for tasks whose deadline has passed while they waited: at the earliest of the deadlines
 * that are known. One timer serves all tasks, since nearly every one leaves its queue long before its deadline, and a
 * timer of its own would cost it more than its queue does. Looks take at most a ninth of the timer's time, however many
 * wait and whatever their deadlines: then tasks end late.
 *
 * <p>Thread-safe.
 */
final class Expiry {
    /** After a look that has failed. */
    private static final long AGAIN_NANOS = 1_000_000_000;
    /** A look is followed by a pause of so many times its length. */
    private static final long PAUSES = 8;

    private final TimerWheel timers;
    private final Ticker ticker;
    private final Supplier<OptionalLong> endOverdue;
    private volatile @Nullable Look next; // changed under this object's lock

    @GuardedBy("this")
    private long pauseEndNanos;

    /**
     * Nothing waits.
     *
     * @param endOverdue ends the tasks that wait although their deadline has passed, and gives the earliest deadline of
     *     those that go on waiting; called on the timer's thread
     */
    Expiry(TimerWheel timers, Ticker ticker, Supplier<OptionalLong> endOverdue) {
        this.timers = timers;
        this.ticker = ticker;
        this.endOverdue = endOverdue;
        pauseEndNanos = ticker.nanos();
    }

    /** A look at the tasks that is to come. Confined: the lock of its expiry, but for its deadline, which stays. */
    private static final class Look {
        private final long deadlineNanos;
        private TimerWheel.@Nullable Timeout timeout;

        Look(long deadlineNanos) {
            this.deadlineNanos = deadlineNanos;
        }
    }

    /** A task has been queued; called once it can be seen in its queue. */
    void queued(long deadlineNanos) {
        if (isEarlier(deadlineNanos, next)) {
            lookAt(deadlineNanos);
        }
    }

    private static boolean isEarlier(long deadlineNanos, @Nullable Look look) {
        return look == null || deadlineNanos - look.deadlineNanos < 0;
    }

    private synchronized void lookAt(long deadlineNanos) {
        Look set = next;
        if (isEarlier(deadlineNanos, set)) {
            Look look = new Look(deadlineNanos);
            long time = deadlineNanos - pauseEndNanos < 0 ? pauseEndNanos : deadlineNanos;
            look.timeout = timers.schedule(time, () -> look(look));
            next = look; // only now: without memory for a timer, whoever comes next tries again
            if (set != null && set.timeout != null) {
                set.timeout.cancel();
            }
        }
    }

    private void look(Look due) {
        synchronized (this) {
            if (next == due) {
                next = null; // before it looks: who is queued from now on, and perhaps not seen, has another one set
            }
        }
        long start = ticker.nanos();
        OptionalLong earliest = OptionalLong.of(start + AGAIN_NANOS); // if it fails: some may have no other look
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

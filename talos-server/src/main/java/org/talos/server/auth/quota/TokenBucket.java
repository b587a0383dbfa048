// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth.quota;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A limit of the average rate: the generic cell rate algorithm (ITU-T I.371, annex A) as a virtual clock. Each amount
 * moves the virtual clock forward by the time that the amount takes at the rate. While the virtual clock is ahead of
 * the real one, nothing passes. So one large amount passes whole, and the next requests wait for it: at most
 * {@code rate × (time + burst)} and one more amount pass.
 *
 * <p>Thread-safe, without a lock.
 */
public final class TokenBucket {
    private static final Duration BURST = Duration.ofSeconds(1);
    private static final long LONGEST_DEBT_NANOS = TimeUnit.HOURS.toNanos(1);

    private final double nanosForOne;
    private final long burstNanos;
    private final AtomicLong paidUntil;

    /** A full bucket with a burst of one second. */
    TokenBucket(long perSecond, long nowNanos) {
        this(perSecond, BURST, nowNanos);
    }

    /**
     * A bucket that is full.
     *
     * @param perSecond more than 0
     * @param burst for which the rate passes at once
     */
    public TokenBucket(long perSecond, Duration burst, long nowNanos) {
        nanosForOne = (double) TimeUnit.SECONDS.toNanos(1) / perSecond;
        burstNanos = burst.toNanos();
        paidUntil = new AtomicLong(nowNanos - burstNanos);
    }

    /** Nanoseconds until something passes again; 0 if it does now. */
    public long waitNanos(long nowNanos) {
        return Math.max(0, paidUntil.get() - nowNanos);
    }

    /**
     * Counts an amount that has passed, or that became known only afterwards. If many such amounts come at once, at
     * most an hour's worth counts, so that the debt is bounded.
     */
    public void take(long amount, long nowNanos) {
        long cost = (long) Math.min(amount * nanosForOne, (double) LONGEST_DEBT_NANOS);
        paidUntil.updateAndGet(
                before -> Math.min(Math.max(before, nowNanos - burstNanos) + cost, nowNanos + LONGEST_DEBT_NANOS));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth.quota;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A rate that is held on average: the generic cell rate algorithm (ITU-T I.371, annex A) as a virtual clock. What is
 * taken moves the clock on by the time that the rate needs for it; while it is ahead of the real one nothing more
 * passes. So one large amount passes whole, and is paid for by the next requests: at most {@code rate × (time + 1 s)}
 * and one amount more pass.
 *
 * <p>Thread-safe, without a lock.
 */
final class TokenBucket {
    private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_DEBT_NANOS = TimeUnit.HOURS.toNanos(1);

    private final double nanosForOne;
    private final AtomicLong paidUntil;

    /**
     * A bucket that is full.
     *
     * @param perSecond more than 0
     */
    TokenBucket(long perSecond, long nowNanos) {
        nanosForOne = (double) TimeUnit.SECONDS.toNanos(1) / perSecond;
        paidUntil = new AtomicLong(nowNanos - BURST_NANOS);
    }

    /** Nanoseconds until something passes again; 0 if it does now. */
    long waitNanos(long nowNanos) {
        return Math.max(0, paidUntil.get() - nowNanos);
    }

    /**
     * Takes what has passed, or what has come out only afterwards. Of many that come out together so much counts as is
     * paid for in an hour: a debt has an end.
     */
    void take(long amount, long nowNanos) {
        long cost = (long) Math.min(amount * nanosForOne, (double) LONGEST_DEBT_NANOS);
        paidUntil.updateAndGet(
                before -> Math.min(Math.max(before, nowNanos - BURST_NANOS) + cost, nowNanos + LONGEST_DEBT_NANOS));
    }
}

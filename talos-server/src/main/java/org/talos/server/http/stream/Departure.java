// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.util.concurrent.TimeUnit;

/**
 * Decides when a client that was asked to move is disconnected: once it has sent nothing for a while that needs an
 * answer. Until then it gets answers to requests that it sent before it knew. The server does not wait for a client
 * that continues nevertheless, as its stop would have to wait too.
 *
 * <p>Confined: the events of its stream.
 */
final class Departure {
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** 2^64 divided by the golden ratio: it spreads times that are close to each other. */
    private static final long MIXER = 0x9E3779B97F4A7C15L;

    private boolean begun;
    private long begunNanos;
    private long askedNanos;

    /** @param nowNanos the monotonic clock, as everywhere here */
    Departure(long nowNanos) {
        askedNanos = nowNanos;
    }

    /**
     * A time for each client of its own, else all came elsewhere at once: by when its stream was opened, mixed, as
     * clients that came by a clock come in even steps.
     */
    static int after(long openedNanos, int withinMillis) {
        return Math.floorMod(Long.hashCode(openedNanos * MIXER), withinMillis);
    }

    /** Notes a message that needs an answer, or a piece of one. */
    void asked(long nowNanos) {
        askedNanos = nowNanos;
    }

    /** Returns the milliseconds until the client may be disconnected, once it knows and has all answers; 0 for now. */
    long leftMillis(long nowNanos) {
        if (!begun) {
            begun = true;
            begunNanos = nowNanos;
        }
        long since = nowNanos - begunNanos;
        long quiet = Math.min(since, nowNanos - askedNanos);
        long left = Math.min(QUIET_NANOS - quiet, LONGEST_NANOS - since);
        return left <= 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(left) + 1;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.history;

import java.time.Duration;

/**
 * The pauses after rounds of background work, so that all rounds together take at most a thousandth of a processor,
 * except for a second of processor time at first and after a rest.
 *
 * <p>Confined: the thread that runs the rounds.
 */
final class RoundPauses {
    private static final int SHARE = 1_000;
    private static final Duration CREDIT = Duration.ofSeconds(1);
    static final Duration LONGEST = Duration.ofMinutes(5);

    private final Duration usual;
    private long paidUntilNanos;

    /**
     * No round has run.
     *
     * @param usual pause, if that is long enough
     */
    RoundPauses(Duration usual, long nowNanos) {
        this.usual = usual;
        paidUntilNanos = nowNanos - CREDIT.toNanos() * SHARE;
    }

    /** Returns the pause after a round that took this much processor time. */
    Duration after(long cpuNanos, long nowNanos) {
        paidUntilNanos = Math.max(paidUntilNanos, nowNanos - CREDIT.toNanos() * SHARE) + cpuNanos * SHARE;
        Duration needed = Duration.ofNanos(Math.max(0, paidUntilNanos - nowNanos));
        Duration bounded = needed.compareTo(LONGEST) < 0 ? needed : LONGEST;
        return bounded.compareTo(usual) > 0 ? bounded : usual;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import org.talos.server.runtime.time.Ticker;

/**
 * Circuit breaker for connecting to one server: after {@link #FAILURES} failures in a row, no request may try to
 * connect for {@link #PAUSE}. Then one request may try in each such pause, until one succeeds.
 *
 * <p>Thread-safe.
 */
final class Breaker {
    static final int FAILURES = 3;
    static final Duration PAUSE = Duration.ofSeconds(1);
    static final Duration REMINDER = Duration.ofMinutes(1);

    private final Ticker ticker;

    @GuardedBy("this")
    private int failures; // in a row, FAILURES at most

    @GuardedBy("this")
    private long pausedUntilNanos;

    @GuardedBy("this")
    private long remindNanos;

    Breaker(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Returns whether no request may try to connect now. */
    synchronized boolean isPausing() {
        return failures >= FAILURES && ticker.nanos() - pausedUntilNanos < 0;
    }

    /** Returns whether the caller may try to connect; it should report {@link #succeeded} or {@link #failed}. */
    synchronized boolean tryConnect() {
        if (isPausing()) {
            return false;
        }
        if (failures >= FAILURES) {
            pausedUntilNanos = ticker.nanos() + PAUSE.toNanos(); // keeps out all other callers
        }
        return true;
    }

    /** Reports that a try connected; returns whether the server was unreachable before. */
    synchronized boolean succeeded() {
        boolean wasOpen = failures >= FAILURES;
        failures = 0;
        return wasOpen;
    }

    /**
     * Reports that a try failed. Returns true if this failure starts the pauses, or is the first after a minute of
     * pauses, because its reason may differ.
     */
    synchronized boolean failed() {
        long now = ticker.nanos();
        pausedUntilNanos = now + PAUSE.toNanos();
        boolean opens = failures == FAILURES - 1;
        boolean reminds = failures == FAILURES && now - remindNanos >= 0;
        failures = Math.min(failures + 1, FAILURES);
        if (opens || reminds) {
            remindNanos = now + REMINDER.toNanos();
        }
        return opens || reminds;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import org.talos.server.runtime.Ticker;

/**
 * Keeps requests from waiting for a server that can't be reached: after some failures in a row nobody tries for a
 * while, then one does in each such while, until one succeeds.
 *
 * <p>Thread-safe.
 */
public final class Breaker {
    public static final int FAILURES = 3;
    static final Duration PAUSE = Duration.ofSeconds(1);

    private final Ticker ticker;

    @GuardedBy("this")
    private int failures; // in a row; beyond the bound they are not counted

    @GuardedBy("this")
    private long pausedUntilNanos;

    Breaker(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Whether nobody may try to connect now. */
    synchronized boolean isPausing() {
        return failures >= FAILURES && ticker.nanos() - pausedUntilNanos < 0;
    }

    /** Whether who asks may try to connect; what becomes of it is to be told, and need not be. */
    synchronized boolean tryConnect() {
        if (isPausing()) {
            return false;
        }
        if (failures >= FAILURES) {
            pausedUntilNanos = ticker.nanos() + PAUSE.toNanos(); // for all others
        }
        return true;
    }

    /** It connected; true if that is news. */
    synchronized boolean succeeded() {
        boolean news = failures >= FAILURES;
        failures = 0;
        return news;
    }

    /** It could not connect; true if that is why nobody tries from now on. */
    synchronized boolean failed() {
        pausedUntilNanos = ticker.nanos() + PAUSE.toNanos();
        boolean news = failures == FAILURES - 1;
        failures = Math.min(failures + 1, FAILURES);
        return news;
    }
}

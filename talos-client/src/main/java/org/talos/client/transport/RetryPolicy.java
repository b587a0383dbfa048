// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * How long to wait before a call is made again: longer each time, never the same for two clients, and as long as can be
 * when too many calls had to be repeated lately, so that a server that comes back is not buried.
 *
 * <p>Full jitter of an exponential back-off, as in «Exponential Backoff And Jitter» (AWS Architecture Blog, 2015); the
 * budget is that of gRPC's retry throttling (proposal A6): a repetition takes a token, a success gives a tenth back.
 *
 * <p>Thread-safe.
 */
public final class RetryPolicy {
    private static final int TOKEN = 10;
    private static final int MOST_TOKENS = 100 * TOKEN;
    private static final int DOUBLINGS = 16;

    private final Duration first;
    private final Duration longest;
    private final RandomGenerator random;
    private final AtomicInteger tenths = new AtomicInteger(MOST_TOKENS);

    /**
     * A full budget.
     *
     * @param first most that the first repetition waits
     * @param longest most that any waits
     */
    public RetryPolicy(Duration first, Duration longest, RandomGenerator random) {
        this.first = first;
        this.longest = longest;
        this.random = random;
    }

    /**
     * How long to wait.
     *
     * @param repetition 1 for the first
     */
    public Duration pause(int repetition) {
        if (tenths.getAndUpdate(left -> Math.max(0, left - TOKEN)) < TOKEN) {
            return longest;
        }
        long bound = Math.min(longest.toNanos(), first.toNanos() << Math.min(repetition - 1, DOUBLINGS));
        return Duration.ofNanos(bound / 2 + random.nextLong(bound / 2 + 1));
    }

    /** A call succeeded. */
    public void succeeded() {
        if (tenths.get() < MOST_TOKENS) {
            tenths.incrementAndGet();
        }
    }
}

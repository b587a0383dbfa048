// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * Computes the pause before a call is made again: longer each time, and random. After many recent repetitions it is
 * among the longest, so that a restarted server is not flooded.
 *
 * <p>Full jitter of an exponential backoff, as in "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015); the
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

    @GuardedBy("this")
    private final RandomGenerator random; // most generators are not thread-safe

    private final AtomicInteger tenths = new AtomicInteger(MOST_TOKENS);

    /**
     * Creates a policy that starts with a full budget of repetitions.
     *
     * @param first longest pause before the first repetition
     * @param longest longest pause before any repetition
     */
    public RetryPolicy(Duration first, Duration longest, RandomGenerator random) {
        this.first = first;
        this.longest = longest;
        this.random = random;
    }

    /**
     * Returns the pause before a repetition; takes one token of the budget.
     *
     * @param repetition number of the repetition, from 1
     */
    public Duration pause(int repetition) {
        boolean exhausted = tenths.getAndUpdate(left -> Math.max(0, left - TOKEN)) < TOKEN;
        // Random also with an empty budget: all clients of a restarted server empty theirs at the same time.
        long bound = exhausted
                ? longest.toNanos()
                : Math.min(longest.toNanos(), first.toNanos() << Math.min(repetition - 1, DOUBLINGS));
        return Duration.ofNanos(bound / 2 + random(bound / 2 + 1));
    }

    private synchronized long random(long bound) {
        return random.nextLong(bound);
    }

    /** Gives a tenth of a token back after a call that succeeded. */
    public void succeeded() {
        if (tenths.get() < MOST_TOKENS) {
            tenths.incrementAndGet();
        }
    }
}

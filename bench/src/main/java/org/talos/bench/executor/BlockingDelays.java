// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.time.Duration;

/**
 * The times for which the handlers of requests block: exponentially distributed, as the pauses of a Poisson process,
 * with a bound. The number of a request decides, so that every model gets the same delays. Immutable.
 *
 * @param seed another one gives other delays
 */
record BlockingDelays(Duration mean, Duration most, long seed) {
    /** The delay of a request, in nanoseconds. */
    long nanosOf(long number) {
        double uniform = ((mixed(number + seed) >>> 11) + 0.5) / (1L << 53);
        return (long) Math.min((double) most.toNanos(), -Math.log(uniform) * mean.toNanos());
    }

    /** The finalizer of SplitMix64: neighbors become independent of each other. */
    private static long mixed(long number) {
        long z = number * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}

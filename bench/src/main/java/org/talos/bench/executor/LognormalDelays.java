// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.time.Duration;
import java.util.SplittableRandom;

/** Delays with a long tail, as those of a distributed file system. Confined: one thread. */
final class LognormalDelays {
    /** The number of standard deviations by which the 99th percentile of a normal distribution is from its middle. */
    private static final double P99_DEVIATIONS = 2.326;

    private final double logMedian;
    private final double deviation;
    private final long mostNanos;
    private final SplittableRandom random;

    /**
     * A series of delays.
     *
     * @param most longer ones are cut to this
     */
    LognormalDelays(Duration median, Duration p99, Duration most, long seed) {
        logMedian = Math.log((double) median.toNanos());
        deviation = (Math.log((double) p99.toNanos()) - logMedian) / P99_DEVIATIONS;
        mostNanos = most.toNanos();
        random = new SplittableRandom(seed);
    }

    /** Returns the next delay. */
    long nextNanos() {
        // Box and Muller: two uniform numbers make a normal one.
        double radius = Math.sqrt(-2 * Math.log(1 - random.nextDouble()));
        double normal = radius * Math.cos(2 * Math.PI * random.nextDouble());
        return Math.min(mostNanos, (long) Math.exp(logMedian + deviation * normal));
    }
}

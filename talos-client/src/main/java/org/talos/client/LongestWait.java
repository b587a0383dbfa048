// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.time.Duration;

/**
 * The longest time that the SDK counts with: whatever a program sets is that or shorter. Not for programs.
 *
 * <p>Immutable.
 */
public final class LongestWait {
    /**
     * Longer than a process runs, yet sums of several, and the time now, fit into the 292 years of nanoseconds that a
     * {@code long} has.
     */
    private static final Duration LONGEST = Duration.ofDays(50 * 365);

    private LongestWait() {}

    /** Returns the time, or the longest one if it is longer, as that of {@code ChronoUnit.FOREVER}. */
    public static Duration orShorter(Duration time) {
        return time.compareTo(LONGEST) > 0 ? LONGEST : time;
    }
}

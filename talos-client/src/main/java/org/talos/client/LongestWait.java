// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.time.Duration;

/**
 * The longest time that the SDK uses. Longer times of a program are shortened to it. Not for programs.
 *
 * <p>Immutable.
 */
public final class LongestWait {
    /**
     * Longer than any process runs. The sum of several such times and of the current time still fits into the
     * nanoseconds of a {@code long}, which span 292 years.
     */
    private static final Duration LONGEST = Duration.ofDays(50 * 365);

    private LongestWait() {}

    /** Returns the time, or the longest time if it is longer, such as that of {@code ChronoUnit.FOREVER}. */
    public static Duration orShorter(Duration time) {
        return time.compareTo(LONGEST) > 0 ? LONGEST : time;
    }
}

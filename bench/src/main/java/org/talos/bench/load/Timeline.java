// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.util.Arrays;

/**
 * Counts the requests of a load by the second in which they ended, from the start of the load on, its warm-up included.
 *
 * <p>Confined: the loop's thread, and after the run the thread that started it.
 */
public final class Timeline {
    private static final long NANOS = 1_000_000_000;
    private static final int LIKELY_SECONDS = 128;

    private long[] ended = new long[LIKELY_SECONDS]; // by second
    private int seconds; // that the load lasted, whole ones only

    /** Nothing is counted yet. */
    public Timeline() {}

    /** Counts a request that ended this long after the load had begun. */
    public void count(long nanos) {
        int second = (int) (nanos / NANOS);
        reserve(second + 1);
        ended[second]++;
    }

    /** Marks the end of the load. A second that was not over is not reported. */
    public void end(long nanos) {
        seconds = (int) (nanos / NANOS);
        reserve(seconds);
    }

    private void reserve(int length) {
        if (length > ended.length) {
            ended = Arrays.copyOf(ended, Math.max(length, 2 * ended.length));
        }
    }

    /** Returns the whole seconds that the load lasted. */
    public int seconds() {
        return seconds;
    }

    /**
     * Returns the requests a second in a part of the load; NaN if the load ended earlier.
     *
     * @param from second since the load began, counted from 0
     * @param to second that is no longer in the part
     */
    public double perSecond(int from, int to) {
        return to > seconds
                ? Double.NaN
                : (double) Arrays.stream(ended, from, to).sum() / (to - from);
    }

    /** Returns the requests of this load and of another one that began with it. */
    Timeline plus(Timeline other) {
        Timeline sum = new Timeline();
        sum.ended = Arrays.copyOf(ended, Math.max(ended.length, other.ended.length));
        for (int second = 0; second < other.ended.length; second++) {
            sum.ended[second] += other.ended[second];
        }
        sum.seconds = Math.min(seconds, other.seconds);
        return sum;
    }
}

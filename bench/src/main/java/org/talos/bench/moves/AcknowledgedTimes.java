// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;

/** Holds when the puts of one partition were acknowledged, by {@code System.nanoTime}. Thread-safe. */
final class AcknowledgedTimes {
    private static final int FIRST_ROOM = 1_024;

    @GuardedBy("this")
    private long[] times = new long[FIRST_ROOM];

    @GuardedBy("this")
    private int count;

    /** Adds a time, not before the last. */
    synchronized void add(long nanos) {
        if (count == times.length) {
            times = Arrays.copyOf(times, 2 * count);
        }
        times[count++] = nanos;
    }

    /** Returns whether a put was acknowledged after this time. */
    synchronized boolean anyAfter(long nanos) {
        return count > 0 && times[count - 1] - nanos > 0;
    }

    /**
     * The longest time without an acknowledgement that has a part between two times: from one to the next. 0 if there
     * were not two.
     */
    synchronized long longestGap(long fromNanos, long toNanos) {
        long longest = 0;
        for (int next = count - 1; next > 0 && times[next] - fromNanos > 0; next--) {
            if (times[next - 1] - toNanos < 0) {
                longest = Math.max(longest, times[next] - times[next - 1]);
            }
        }
        return longest;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kills;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;

/** For each number of one writer a place, that is a partition and an offset, or none. Thread-safe. */
final class Places {
    static final long NONE = 0;

    private static final int FIRST_LENGTH = 1 << 12;
    private static final int PARTITION_SHIFT = 48;
    private static final long OFFSET_MASK = (1L << PARTITION_SHIFT) - 1;

    @GuardedBy("this")
    private long[] places = new long[FIRST_LENGTH];

    /** A place as a number, never {@link #NONE}. */
    static long place(int partition, long offset) {
        return (long) partition << PARTITION_SHIFT | (offset + 1);
    }

    static String described(long place) {
        return place == NONE
                ? "nowhere"
                : "partition " + (place >>> PARTITION_SHIFT) + ", offset " + ((place & OFFSET_MASK) - 1);
    }

    /** Sets a place and returns the one before. */
    synchronized long set(long number, long place) {
        int index = Math.toIntExact(number);
        if (index >= places.length) {
            places = Arrays.copyOf(places, Math.max(index + 1, 2 * places.length));
        }
        long before = places[index];
        places[index] = place;
        return before;
    }

    synchronized long get(long number) {
        return number < places.length ? places[(int) number] : NONE;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.talos.server.log.dedupe.RememberedPuts;

/**
 * One bound for the puts that all logs together remember beyond the guaranteed number of each. Three quarters are first
 * come, first served. Each log has its share of the rest, so that one log with many puts leaves room for the others.
 *
 * <p>Thread-safe.
 */
public final class DedupeMemory {
    private final long most;
    private final long common;
    private final AtomicLong held = new AtomicLong();
    private final AtomicInteger holders = new AtomicInteger();

    /** Creates memory for this number of bytes of remembered puts. */
    public DedupeMemory(long bytes) {
        most = bytes / RememberedPuts.BYTES_OF_PUT;
        common = most / 4 * 3;
    }

    Holder holder() {
        return new Holder();
    }

    /** The part of the memory that one log holds. Confined: to its owner's lock. */
    final class Holder {
        private long puts;

        /** Sets the number of puts that the log holds beyond its guaranteed ones. */
        void hold(long number) {
            if ((puts == 0) != (number == 0)) {
                holders.addAndGet(number == 0 ? -1 : 1);
            }
            held.addAndGet(number - puts);
            puts = number;
        }

        /** Returns whether the log must forget one of them. */
        boolean isOver() {
            return puts > 0 && held.get() > common && puts > (most - common) / Math.max(1, holders.get());
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.time.Duration;

/** Decides when a load has warmed its server up. Thread-safe, as loops share one. */
@FunctionalInterface
public interface WarmUp {
    /**
     * Returns whether the warm-up is over; once it is over, it stays so. Loops ask before each turn.
     *
     * @param nanos since the asking loop has begun
     */
    boolean isOver(long nanos);

    /** A warm-up of a fixed time. */
    static WarmUp lasting(Duration time) {
        return nanos -> nanos >= time.toNanos();
    }
}

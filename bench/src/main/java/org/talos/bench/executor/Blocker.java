// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.util.concurrent.locks.LockSupport;

/** Blocks a thread without using its processor. Immutable. */
final class Blocker {
    private Blocker() {}

    /**
     * Blocks for at least so long; the system's timer slack and the way back to a processor come on top.
     *
     * @return how long it really was
     */
    static long block(long nanos) {
        long start = System.nanoTime();
        long passed = 0;
        while (passed < nanos) { // a permit that a lock has left behind ends a pause at once
            LockSupport.parkNanos(nanos - passed);
            passed = System.nanoTime() - start;
        }
        return passed;
    }
}

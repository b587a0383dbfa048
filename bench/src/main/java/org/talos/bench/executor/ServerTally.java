// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters of a server's handlers since they were last read. Thread-safe. */
final class ServerTally {
    private final LongAdder handled = new LongAdder();
    private final LongAdder askedNanos = new LongAdder();
    private final LongAdder blockedNanos = new LongAdder();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    /** Counts a handler that has blocked on this thread. */
    void blocked(long asked, long nanos) {
        handled.increment();
        askedNanos.add(asked);
        blockedNanos.add(nanos);
        threads.add(Thread.currentThread());
    }

    /** Writes the four numbers as a payload and resets them. */
    void takeTo(ByteBuffer payload) {
        payload.putLong(handled.sumThenReset())
                .putLong(askedNanos.sumThenReset())
                .putLong(blockedNanos.sumThenReset())
                .putLong(threads.size());
        threads.clear();
    }

    /**
     * The numbers as a client reads them. Immutable.
     *
     * @param handled requests
     * @param askedNanos total delay that was requested of the handlers
     * @param blockedNanos total time that they blocked
     * @param threads distinct ones that ran a handler
     */
    record Reading(long handled, long askedNanos, long blockedNanos, long threads) {
        static Reading of(ByteBuffer payload) {
            return new Reading(payload.getLong(), payload.getLong(), payload.getLong(), payload.getLong());
        }

        double askedMicros() {
            return askedNanos / 1e3 / Math.max(1, handled);
        }

        double blockedMicros() {
            return blockedNanos / 1e3 / Math.max(1, handled);
        }
    }
}

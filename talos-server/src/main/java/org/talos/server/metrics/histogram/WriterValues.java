// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * The latest values of one writer, until a reader or the writer itself takes them to where those of all are. To add one
 * takes no lock and no atomic change, so that it costs a few nanoseconds, whoever else measures.
 *
 * <p>Confined: {@link #add} to the writer; {@link #takeTo} to whoever holds the lock of all writers' values.
 */
final class WriterValues {
    /** A power of two; few, since a pool may have thousands of writers. */
    static final int ROOM = 64;

    private final long[] values = new long[ROOM];
    private final AtomicInteger added = new AtomicInteger(); // set after its value: who has read it may read that
    private final AtomicInteger taken = new AtomicInteger(); // set after the value has been read: its place is free

    /** Adds a value, for which there has to be room; returns how many have not been taken. */
    int add(long value) {
        int next = added.getPlain();
        values[next & (ROOM - 1)] = value;
        added.setRelease(next + 1);
        return next + 1 - taken.getAcquire();
    }

    /** Takes all values, in their order, and returns their sum. */
    long takeTo(LongConsumer taker) {
        int end = added.getAcquire();
        long sum = 0;
        for (int next = taken.getPlain(); next != end; next++) {
            long value = values[next & (ROOM - 1)];
            taker.accept(value);
            sum += value;
        }
        taken.setRelease(end);
        return sum;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The latest values of one writer of {@link BatchWriters}, in the order in which they came. To add one takes no lock
 * and no atomic change.
 *
 * <p>Confined: {@link #started} and {@link #ran} to the writer; {@link #takeTo} to whoever holds the lock of all
 * writers.
 */
final class BatchRing {
    /** A power of two; few, since a pool may have thousands of writers. */
    static final int ROOM = 64;

    /** There has to be room for so many before one is added. */
    static final int MOST_ADDED = 2;

    private static final VarHandle ADDED;
    private static final VarHandle TAKEN;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            ADDED = lookup.findVarHandle(BatchRing.class, "added", int.class);
            TAKEN = lookup.findVarHandle(BatchRing.class, "taken", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long[] values = new long[ROOM]; // a wait, or time and tasks of a batch, inverted and so negative
    private int added; // set after its values: who has read it may read those
    private int taken; // set after the values have been read: their place is free

    /** Adds a task's start; returns how many values have not been taken. */
    int started(long waitedNanos) {
        int next = added;
        set(next, Math.max(0, waitedNanos));
        return added(next + 1);
    }

    /** Adds a batch that has run; returns how many values have not been taken. */
    int ran(int tasks, long nanos) {
        int next = added;
        set(next, ~Math.max(0, nanos));
        set(next + 1, ~(long) tasks);
        return added(next + MOST_ADDED);
    }

    private int added(int end) {
        ADDED.setRelease(this, end);
        return end - (int) TAKEN.getAcquire(this);
    }

    /** Takes all values, in their order. */
    void takeTo(BatchRecorder recorder) {
        int end = (int) ADDED.getAcquire(this);
        for (int next = taken; next != end; next++) {
            long value = at(next);
            if (value >= 0) {
                recorder.started(value);
            } else {
                recorder.ran((int) ~at(++next), ~value);
            }
        }
        TAKEN.setRelease(this, end);
    }

    private void set(int number, long value) {
        values[number & (ROOM - 1)] = value;
    }

    private long at(int number) {
        return values[number & (ROOM - 1)];
    }
}

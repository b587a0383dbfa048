// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The latest values of one writer of {@link BatchWriters}, in the order in which they came. To add one takes no lock
 * and no atomic change.
 *
 * <p>Confined: {@link #started} and {@link #ran} to the writer; {@link #takeTo} to the holder of all writers' lock.
 */
final class BatchRing {
    /** A power of two; few, since a pool may have thousands of writers. */
    static final int ROOM = 64;

    private static final int ENDING = 2; // values of a batch
    /** The batches from which on there may be no room for another one, so that a thread has to take them. */
    private static final int MOST = ROOM - ENDING;

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
    private int added; // set after its values: a thread that has read it may read those
    private int taken; // set after the values have been read: their place is free

    /** Adds a task's start, if there is room; returns the number of values that have not been taken. */
    int started(long waitedNanos) {
        int untaken = untaken();
        if (isFull(untaken)) {
            return untaken;
        }
        set(added, Math.max(0, waitedNanos));
        ADDED.setRelease(this, added + 1);
        return untaken + 1;
    }

    /** Adds a completed batch, if there is room; returns the number of values that have not been taken. */
    int ran(int tasks, long nanos) {
        int untaken = untaken();
        if (isFull(untaken)) {
            return untaken;
        }
        set(added, ~Math.max(0, nanos));
        set(added + 1, ~(long) tasks);
        ADDED.setRelease(this, added + ENDING);
        return untaken + ENDING;
    }

    private int untaken() {
        return added - (int) TAKEN.getAcquire(this);
    }

    /** Returns whether so many that have not been taken leave no room. */
    static boolean isFull(int untaken) {
        return untaken > MOST;
    }

    /** Takes all values, in their order. One that the recorder fails at is not taken again. */
    void takeTo(BatchRecorder recorder) {
        int end = (int) ADDED.getAcquire(this);
        for (int next = taken; next != end; next = taken) {
            long value = at(next);
            if (value >= 0) {
                TAKEN.setRelease(this, next + 1);
                recorder.started(value);
            } else {
                int tasks = (int) ~at(next + 1);
                TAKEN.setRelease(this, next + ENDING);
                recorder.ran(tasks, ~value);
            }
        }
    }

    private void set(int number, long value) {
        values[number & (ROOM - 1)] = value;
    }

    private long at(int number) {
        return values[number & (ROOM - 1)];
    }
}

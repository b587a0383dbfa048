// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One thread's puts, one after another: each as soon as the one before is acknowledged; once they are paced, when it is
 * due. The first that fails is the last.
 *
 * <p>Confined: its thread, but for what is volatile.
 */
final class PutLoop {
    private final SynchronousClient.Putter putter;
    private final StampedMessage message;
    private final Recording recording;
    private volatile @Nullable Pace pace;
    private volatile @Nullable Thread thread;
    private volatile long acknowledged;
    private volatile boolean ending;
    private volatile boolean over;
    private long due; // how many have been due since they are paced

    PutLoop(SynchronousClient.Putter putter, StampedMessage message, Recording recording) {
        this.putter = putter;
        this.message = message;
        this.recording = recording;
    }

    /** The times at which puts are due. Immutable. */
    record Pace(long firstNanos, long betweenNanos) {
        private static final double NANOS = 1e9;

        /**
         * Returns the times of one of several putters, which take turns.
         *
         * @param perSecond puts of all of them together
         */
        static Pace of(double perSecond, long beginNanos, int putter, int putters) {
            long between = Math.round(putters / perSecond * NANOS);
            return new Pace(beginNanos + between * putter / putters, between);
        }

        /** Returns the time of a put, counted from 0. */
        long nanos(long put) {
            return firstNanos + put * betweenNanos;
        }
    }

    /** Puts until {@link #end}. */
    void run() {
        thread = Thread.currentThread();
        long number = 0;
        try {
            long begin = awaitTurn();
            while (!ending) {
                putter.put(message.of(number, begin));
                recording.put(System.nanoTime() - begin);
                number++;
                acknowledged = number;
                begin = awaitTurn();
            }
        } catch (Exception e) { // whatever a library throws
            recording.failed("put: " + e);
        } finally {
            over = true;
        }
    }

    /** Returns from when on the next put counts: one that is late, from when it was due. */
    private long awaitTurn() {
        long now = System.nanoTime();
        Pace paced = pace;
        if (paced == null) {
            return now;
        }
        long nanos = paced.nanos(due);
        due++;
        while (nanos - now > 0 && !ending) {
            LockSupport.parkNanos(this, nanos - now);
            now = System.nanoTime();
        }
        return nanos;
    }

    /** From now on puts are due at fixed times. */
    void pace(Pace from) {
        pace = from;
    }

    /** No further put. */
    void end() {
        ending = true;
        LockSupport.unpark(thread);
    }

    /** Returns whether no put is under way any more. */
    boolean isOver() {
        return over;
    }

    /** Returns how many puts of its partition are acknowledged. */
    long acknowledged() {
        return acknowledged;
    }
}

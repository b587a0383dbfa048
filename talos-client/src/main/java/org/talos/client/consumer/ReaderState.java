// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import org.talos.client.transport.ClientRuntime;

/**
 * The requests of the consumer and the program to one reader: to stop, to pause, and to move. The reader waits here.
 *
 * <p>Thread-safe.
 */
final class ReaderState {
    /** The value for no offset. */
    static final long NOWHERE = Long.MIN_VALUE;

    private final Lock lock;
    private final Condition changed;

    @GuardedBy("lock")
    private boolean stopping;

    @GuardedBy("lock")
    private boolean lost;

    @GuardedBy("lock")
    private boolean released;

    @GuardedBy("lock")
    private boolean paused;

    @GuardedBy("lock")
    private long sought = NOWHERE; // target of a seek that the reader has not made yet

    @GuardedBy("lock")
    private long next = NOWHERE;

    @GuardedBy("lock")
    private int promised; // commits that the program has requested and that have not ended

    /** The reasons for which a reader waits. */
    private enum Wait {
        /** The end of the reader's own pause. */
        REST,
        /** The end of the program's pause. */
        TURN,
        /** Messages. */
        ARRIVAL,
        /** The ends of commits. */
        PROMISES
    }

    ReaderState(ClientRuntime runtime) {
        lock = runtime.lock();
        changed = lock.newCondition();
    }

    /** Returns the lock that guards all of this. It is reentrant. */
    Lock lock() {
        return lock;
    }

    /** Ends the reader after the current call of the processor. */
    void stop() {
        lock.lock();
        try {
            stopping = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the reader at once: it neither processes nor commits any more. */
    void lost() {
        lock.lock();
        try {
            lost = true;
            stopping = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Notes that the partition's lock is being released. */
    void released() {
        lock.lock();
        try {
            released = true;
        } finally {
            lock.unlock();
        }
    }

    /** Pauses or resumes the reader. */
    void pause(boolean isPaused) {
        lock.lock();
        try {
            paused = isPaused;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Moves the reader to an offset; returns false if it is ending. */
    boolean seek(long offset) {
        lock.lock();
        try {
            if (stopping) {
                return false;
            }
            sought = offset;
            next = offset;
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the offset to which the reader was moved; {@link #NOWHERE} if it was not moved. */
    long follow() {
        lock.lock();
        try {
            long to = sought;
            sought = NOWHERE;
            return to;
        } finally {
            lock.unlock();
        }
    }

    /** Notes the program's next offset, unless the reader has been moved elsewhere; returns false if it has. */
    boolean advance(long offset) {
        lock.lock();
        try {
            if (sought == NOWHERE) {
                next = offset;
            }
            return sought == NOWHERE;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the offset of the program's next message; {@link SimpleConsumer#EARLIEST} for the oldest message, and
     * {@link #NOWHERE} before the start.
     */
    long next() {
        lock.lock();
        try {
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Counts requested commits, or ended ones if the number is negative. */
    void promise(int more) {
        lock.lock();
        try {
            promised += more;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isStopping() {
        lock.lock();
        try {
            return stopping;
        } finally {
            lock.unlock();
        }
    }

    boolean isLost() {
        lock.lock();
        try {
            return lost;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether to renew the partition's lock: it is neither lost nor released. */
    boolean isLocking() {
        lock.lock();
        try {
            return !lost && !released;
        } finally {
            lock.unlock();
        }
    }

    boolean isPaused() {
        lock.lock();
        try {
            return paused;
        } finally {
            lock.unlock();
        }
    }

    boolean isSought() {
        lock.lock();
        try {
            return sought != NOWHERE;
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the reader, because messages may have arrived. */
    void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for some time, unless the reader is stopped or moved. */
    void rest(Duration time) {
        var unused = await(Wait.REST, () -> true, time.toNanos());
    }

    /**
     * Waits while the partition is paused, for at most some time; returns whether it still is and the reader has no
     * other work.
     */
    boolean awaitTurn(long nanos) {
        return await(Wait.TURN, () -> true, nanos);
    }

    /** Waits for messages for at most some time; returns whether they have come and are wanted. */
    boolean awaitArrival(BooleanSupplier isAwaited, long nanos) {
        lock.lock();
        try {
            return !await(Wait.ARRIVAL, isAwaited, nanos) && isWanted();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until all commits that the program has requested have ended. */
    void awaitPromises() {
        var unused = await(Wait.PROMISES, () -> true, Long.MAX_VALUE);
    }

    /** Returns whether the time was over before the condition was met. */
    private boolean await(Wait what, BooleanSupplier isAwaited, long nanos) {
        lock.lock();
        try {
            long left = nanos;
            boolean isIdle = isIdle(what) && isAwaited.getAsBoolean();
            while (isIdle && left > 0) {
                left = changed.awaitNanos(left);
                isIdle = isIdle(what) && isAwaited.getAsBoolean();
            }
            return isIdle;
        } catch (InterruptedException e) {
            stopping = true;
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean isIdle(Wait what) {
        return switch (what) {
            case REST -> !stopping && sought == NOWHERE;
            case TURN -> paused && !stopping && sought == NOWHERE;
            case ARRIVAL -> isWanted();
            case PROMISES -> promised > 0 && !lost;
        };
    }

    @GuardedBy("lock")
    private boolean isWanted() {
        return !paused && !stopping && sought == NOWHERE;
    }
}

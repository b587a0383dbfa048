// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.Comparator;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.thread.Continuation;

/**
 * A task that waits until the end of a log reaches an offset, and runs at most once, on the executor of its reader. It
 * holds no memory of the messages that it waits for.
 *
 * <p>Thread-safe. A wait belongs to one log.
 */
public final class EndWait {
    static final Comparator<EndWait> BY_OFFSET =
            Comparator.<EndWait>comparingLong(wait -> wait.offset).thenComparingLong(wait -> wait.number);
    static final Comparator<EndWait> BY_BYTES =
            Comparator.<EndWait>comparingLong(wait -> wait.bytes).thenComparingLong(wait -> wait.number);

    private final long offset;
    private final long bytes;
    private final @Nullable Continuation where;
    private final Runnable task;
    private final AtomicBoolean ended = new AtomicBoolean();
    private long number; // under the lock of the waiters
    private volatile @Nullable Waiters waiters; // once it was given to a log
    private volatile boolean due;

    /**
     * Creates a wait for a message at or behind an offset, or for a number of bytes, whichever comes first.
     *
     * @param bytes as {@link PartitionLog.End#bytes} counts them
     * @param where runs the task, and accepts it at once; null for a thread of the readers
     * @param task must not block
     */
    public EndWait(long offset, long bytes, @Nullable Continuation where, Runnable task) {
        this.offset = offset;
        this.bytes = bytes;
        this.where = where;
        this.task = task;
    }

    /** Creates a wait for a message at or behind an offset. */
    public EndWait(long offset, Runnable task) {
        this(offset, Long.MAX_VALUE, null, task);
    }

    /** Ends the wait: the task runs now, wherever the log ends. */
    public void wake() {
        due = true;
        Waiters with = waiters;
        if (with != null) {
            with.wake(this);
        }
    }

    /** Ends the wait without running the task, unless it already runs. */
    public void cancel() {
        ended.set(true);
        Waiters with = waiters;
        if (with != null) {
            with.remove(this);
        }
    }

    void givenTo(Waiters log, long place) {
        number = place;
        waiters = log; // before it is asked whether it is due
    }

    boolean isMet(PartitionLog.End end) {
        return due || end.offset() > offset || end.bytes() >= bytes;
    }

    /** Returns the offset before the end that it waits for. */
    long offset() {
        return offset;
    }

    long bytes() {
        return bytes;
    }

    boolean countsBytes() {
        return bytes < Long.MAX_VALUE;
    }

    /** Returns whether the task runs on another thread than one of the readers. */
    boolean resumesElsewhere() {
        return where != null;
    }

    /** Runs the task here, or on its executor. */
    void resume() {
        if (where == null) {
            run();
        } else {
            where.executeLast(this::run);
        }
    }

    private void run() {
        if (ended.compareAndSet(false, true)) {
            task.run();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Readers that wait for the end of a log to move, without a thread each. The thread that moves the end compares two
 * numbers. If waits are met, it hands a few of them to their executors, and the rest to the readers' threads. So an
 * acknowledgement never waits for an answer to a consumer.
 *
 * <p>Invariant: a met wait is taken by the thread that moved the end, or by a call of {@link #serve} that is running or
 * still to come. A wait is added before the end is read, and the end moves before the nearest wait is read.
 *
 * <p>Thread-safe.
 */
final class Waiters {
    private static final Logger LOG = LoggerFactory.getLogger(Waiters.class);

    /** The most that the thread which moves the end hands over: nearly always all of them. */
    private static final int FEW = 4;

    /** Taken at once: a thread that moves the end, or begins to wait, waits for nothing else. */
    private static final int PIECE = 256;

    private final Executor readers;
    private final Supplier<PartitionLog.End> end;

    @GuardedBy("this")
    private final TreeSet<EndWait> byOffset = new TreeSet<>(EndWait.BY_OFFSET); // all of them

    @GuardedBy("this")
    private final TreeSet<EndWait> byBytes = new TreeSet<>(EndWait.BY_BYTES); // those for a number of bytes

    @GuardedBy("this")
    private long added;

    private final Queue<EndWait> met = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean called = new AtomicBoolean(); // and not begun
    private volatile long nearestOffset = Long.MAX_VALUE;
    private volatile long nearestBytes = Long.MAX_VALUE;
    private volatile boolean closed;

    /**
     * Nobody waits yet.
     *
     * @param readers runs met waits
     * @param end where the log ends now
     */
    Waiters(Executor readers, Supplier<PartitionLog.End> end) {
        this.readers = readers;
        this.end = end;
    }

    /** Runs the task once its wait is met. The readers run it even if it is met already or the log is closed. */
    void add(EndWait wait) {
        synchronized (this) {
            wait.givenTo(this, ++added);
            byOffset.add(wait);
            if (wait.countsBytes()) {
                byBytes.add(wait);
            }
            findNearest();
        }
        if (closed || wait.isMet(end.get())) {
            remove(wait, true);
        }
    }

    void remove(EndWait wait) {
        remove(wait, false);
    }

    /** Runs the task, met or not. */
    void wake(EndWait wait) {
        remove(wait, true);
    }

    private void remove(EndWait wait, boolean runs) {
        boolean waited;
        synchronized (this) {
            waited = byOffset.remove(wait);
            byBytes.remove(wait);
            findNearest();
        }
        if (waited && runs) {
            met.add(wait);
            call();
        }
    }

    /** Checks whether the end has met a wait. Runs no task itself, and does not block. */
    void endMoved() {
        for (int handed = 0; hasMet(); handed++) {
            EndWait first = handed < FEW ? takeFirst() : null;
            if (first == null) {
                call();
                return;
            }
            first.resume();
        }
    }

    private boolean hasMet() {
        PartitionLog.End now = end.get();
        return now.offset() > nearestOffset || now.bytes() >= nearestBytes;
    }

    /** Returns the nearest wait, if it is met and has an executor of its own. */
    private synchronized @Nullable EndWait takeFirst() {
        PartitionLog.End now = end.get();
        EndWait first = null;
        if (!byOffset.isEmpty() && byOffset.first().isMet(now)) {
            first = byOffset.first();
        } else if (!byBytes.isEmpty() && byBytes.first().isMet(now)) {
            first = byBytes.first();
        }
        if (first == null || !first.resumesElsewhere()) {
            return null;
        }
        byOffset.remove(first);
        byBytes.remove(first);
        findNearest();
        return first;
    }

    private void call() {
        if (!called.compareAndSet(false, true)) {
            return; // the called thread sees this one too
        }
        try {
            readers.execute(this::serve);
        } catch (RejectedExecutionException e) {
            LOG.debug("server stops: the waking thread answers waiting reads", e);
            called.set(false);
            boolean more = true;
            while (more) {
                more = takeMet();
                runMet(false);
            }
        }
    }

    private void serve() {
        called.set(false); // before the end is read: a thread that moves it later calls again
        if (takeMet()) {
            call(); // other logs' readers first
        }
        runMet(true);
    }

    /** Takes a piece of the met waits; returns whether there may be more. */
    private synchronized boolean takeMet() {
        PartitionLog.End now = end.get();
        int taken = 0;
        while (taken < PIECE
                && !byOffset.isEmpty()
                && (closed || byOffset.first().isMet(now))) {
            take(byOffset.first());
            taken++;
        }
        while (taken < PIECE && !byBytes.isEmpty() && byBytes.first().isMet(now)) {
            take(byBytes.first());
            taken++;
        }
        findNearest();
        return taken == PIECE;
    }

    @GuardedBy("this")
    private void take(EndWait wait) {
        byOffset.remove(wait);
        byBytes.remove(wait);
        met.add(wait);
    }

    @GuardedBy("this")
    private void findNearest() {
        nearestOffset = byOffset.isEmpty() ? Long.MAX_VALUE : byOffset.first().offset();
        nearestBytes = byBytes.isEmpty() ? Long.MAX_VALUE : byBytes.first().bytes();
    }

    /**
     * Runs this thread's part of the met waits: others take from the same queue.
     *
     * @param helped whether to call another thread for the rest first, as a task may take its time
     */
    private void runMet(boolean helped) {
        for (EndWait next = met.poll(); next != null; next = met.poll()) {
            if (helped && !met.isEmpty()) {
                call();
            }
            try {
                next.resume();
            } catch (RuntimeException e) {
                LOG.error("a waiting reader's task failed", e);
            }
        }
    }

    /** Runs all tasks, and each later one at once. */
    void close() {
        closed = true; // before the waiting tasks are called: later ones see it
        call();
    }
}

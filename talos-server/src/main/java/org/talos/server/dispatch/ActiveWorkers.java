// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.function.IntConsumer;

/**
 * The active workers of a pool, which are those with the lowest numbers, and the workers that have a thread. A surplus
 * worker keeps its thread until it has ended its batch and notices. If it is needed again before, it just continues.
 *
 * <p>Invariant: each active worker has one thread, and no worker has two, unless no new thread can be started any more.
 *
 * <p>Thread-safe.
 */
final class ActiveWorkers {
    @GuardedBy("this")
    private final boolean[] hasThread;

    @GuardedBy("this")
    private boolean closed;

    private volatile int count; // changed under the lock, read without

    /** None is active. */
    ActiveWorkers(int most) {
        hasThread = new boolean[most];
    }

    /** Returns the number of active workers. */
    int count() {
        return count;
    }

    /** Returns whether this one is. */
    boolean isActive(int number) {
        return number < count;
    }

    /**
     * Changes the number of active workers, unless the pool is closed. A worker that becomes inactive must check
     * {@link #ends(int)}, whatever it waits for.
     *
     * @param wanted one or more; more than there may be is as many as that
     * @param start starts the thread of a worker that needs one; called under the lock
     */
    synchronized void resize(int wanted, IntConsumer start) {
        if (closed) {
            return;
        }
        int to = Math.max(1, Math.min(wanted, hasThread.length));
        count = Math.min(count, to);
        for (int number = 0; number < to; number++) {
            if (!hasThread[number]) {
                start.accept(number); // if it throws, the workers with a thread are the active ones
                hasThread[number] = true;
            }
            count = Math.max(count, number + 1);
        }
    }

    /**
     * Returns whether a worker ends because there are too many. Its own thread calls this when it has no batch. Once
     * this returned true, the worker may be started again at any moment, so its thread must not touch the worker's
     * state any more.
     */
    boolean ends(int number) {
        return !isActive(number) && endsNow(number);
    }

    private synchronized boolean endsNow(int number) {
        if (isActive(number)) {
            return false; // needed again
        }
        hasThread[number] = false;
        return true;
    }

    /** No thread is started after this. */
    synchronized void close() {
        closed = true;
    }
}

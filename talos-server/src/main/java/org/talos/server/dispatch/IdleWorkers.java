// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntPredicate;

/**
 * The idle workers, and the choice of the workers to wake for queued tasks: the policy of {@link KeyAffinityExecutor}
 * without its threads.
 *
 * <p>Only one worker is being woken at a time. If it finds more tasks than it takes, it wakes the next. Waking is
 * expensive, and of the many workers that a burst would wake, most would come too late.
 *
 * <p>Invariant, between the calls: if a task is queued, a worker is awake or is being woken, and has not looked for
 * tasks yet.
 *
 * <p>Thread-safe.
 */
final class IdleWorkers {
    /** The value for no worker to wake. */
    static final int NOBODY = -1;

    private final boolean anyMayRun;
    private final AtomicLongArray idle; // one bit per idle worker: to find one of a thousand takes a few reads
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicBoolean waking = new AtomicBoolean(); // one was chosen and has not looked yet

    /**
     * All are awake.
     *
     * @param anyMayRun whether a worker other than the one that a task is queued for may be woken
     */
    IdleWorkers(int workers, boolean anyMayRun) {
        this.anyMayRun = anyMayRun;
        idle = new AtomicLongArray((workers + Long.SIZE - 1) / Long.SIZE);
    }

    /** Returns whether one is idle. */
    boolean any() {
        return count.get() > 0;
    }

    /** Returns the number of idle workers. */
    int count() {
        return count.get();
    }

    /** Returns whether this worker should sleep. */
    boolean isIdle(int worker) {
        return (idle.get(worker / Long.SIZE) & bit(worker)) != 0;
    }

    /** Marks the worker as idle. It must look for tasks once more before it sleeps. */
    void add(int worker) {
        idle.getAndAccumulate(worker / Long.SIZE, bit(worker), (word, added) -> word | added);
        count.incrementAndGet();
    }

    private static long bit(int worker) {
        return 1L << worker; // within its word: the shift uses only the lowest six bits
    }

    /** The worker has found a task after all, and stays awake. */
    void withdraw(int worker) {
        if (!remove(worker)) {
            waking.set(false); // it was chosen since
        }
    }

    /** The worker was chosen and is awake. It must look for tasks after this. */
    void woken() {
        waking.set(false);
    }

    /** Makes a worker no longer idle; returns false if it is not idle, and looks for tasks by itself. */
    boolean remove(int worker) {
        if (!isIdle(worker)) {
            return false;
        }
        long bit = bit(worker);
        long before = idle.getAndAccumulate(worker / Long.SIZE, ~bit, (word, kept) -> word & kept);
        if ((before & bit) == 0) {
            return false; // somebody else was faster
        }
        count.decrementAndGet();
        return true;
    }

    /**
     * Chooses the worker to wake after a task has been queued.
     *
     * @param preferred the worker that the task is queued for
     * @param hasReady whether a task waits that a worker may run
     */
    int choose(int preferred, IntPredicate hasReady) {
        if (!anyMayRun) { // regardless of the count: a worker that is about to sleep takes no task of another
            return remove(preferred) ? preferred : NOBODY;
        }
        if (count.get() == 0) {
            return NOBODY;
        }
        while (waking.compareAndSet(false, true)) {
            int chosen = removeAny(preferred);
            if (chosen != NOBODY) {
                return chosen;
            }
            waking.set(false);
            // A thread that queued a task in the meantime relies on this call, and its worker may have fallen asleep
            // before.
            if (count.get() == 0 || !hasReady.test(preferred)) {
                break;
            }
        }
        return NOBODY;
    }

    private int removeAny(int preferred) {
        if (remove(preferred)) {
            return preferred;
        }
        for (int word = 0; word < idle.length(); word++) {
            for (long left = idle.get(word); left != 0; left &= left - 1) {
                int lowest = word * Long.SIZE + Long.numberOfTrailingZeros(left);
                if (remove(lowest)) {
                    return lowest;
                }
            }
        }
        return NOBODY;
    }
}

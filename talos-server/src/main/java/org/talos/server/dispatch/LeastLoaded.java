// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;

/**
 * A task is queued for the worker with the fewest tasks, counting the running ones (or a busy worker would look as free
 * as an idle one), ties to the lowest number, so that few workers stay hot. Whichever worker is free first may run it,
 * so that no key waits behind a long task of another key while a worker is idle.
 *
 * <p>Of a large pool only the first workers are compared: whom a task is queued for decides who is woken if he is idle,
 * and else another one is, so that a task is not to pay for all workers there are.
 *
 * <p>Immutable.
 */
final class LeastLoaded implements WorkerSelection {
    /**
     * What few lines of the processors' caches hold: all workers write to them, and to read more costs more than to
     * wake somebody else.
     */
    static final int COMPARED = 16;

    @Override
    public int select(Object key, AtomicIntegerArray tasksOf, int active) {
        int least = 0;
        int leastTasks = tasksOf.get(0);
        int end = Math.min(COMPARED, active);
        for (int worker = 1; worker < end && leastTasks > 0; worker++) {
            int tasks = tasksOf.get(worker);
            if (tasks < leastTasks) {
                least = worker;
                leastTasks = tasks;
            }
        }
        return least;
    }

    @Override
    public <Q> List<Q> readyQueues(int workers, Supplier<Q> create) {
        return Collections.nCopies(workers, create.get());
    }

    @Override
    public boolean mayRunElsewhere() {
        return true;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.List;
import java.util.function.Supplier;
import org.talos.server.config.WorkerCount;

/**
 * Selects the worker that a task is queued for, and the workers that may run it. A server uses {@link LeastLoaded};
 * measurements compare others with it.
 *
 * <p>Thread-safe.
 */
public interface WorkerSelection {
    /** Returns the selection of a server. */
    static WorkerSelection leastLoaded() {
        return new LeastLoaded();
    }

    /**
     * Returns the worker that a key is queued for, from 0. It is the first to be woken, if it is idle.
     *
     * @param workers largest possible number of workers
     */
    int select(Object key, int workers);

    /**
     * Returns the queues of ready keys, by worker: the same one for all, if every worker may run every key.
     *
     * @param workers largest possible number of workers
     * @param create makes an empty queue
     */
    <Q> List<Q> readyQueues(int workers, Supplier<Q> create);

    /** Returns whether another worker may be woken instead of the one that a task is queued for. */
    boolean mayRunElsewhere();

    /**
     * Returns the largest possible number of workers. If no other worker may run the tasks that are queued for one, the
     * number never changes.
     */
    default int most(WorkerCount count) {
        return mayRunElsewhere() ? count.most() : count.least();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;
import org.talos.server.config.DispatchConfig.SelectionPolicy;

/**
 * Which worker a task is queued for, and which workers may run it. A server runs with {@link LeastLoaded}; the older
 * {@link KeyHash} is there to be compared with it, and nothing else knows of it.
 *
 * <p>Thread-safe.
 */
interface WorkerSelection {
    /** The selection that a policy names. */
    static WorkerSelection of(SelectionPolicy policy) {
        return switch (policy) {
            case AFFINITY -> new LeastLoaded();
            case HASH -> new KeyHash();
        };
    }

    /**
     * The worker for a key of which nothing waits or runs.
     *
     * @param tasksOf waiting and running tasks of each worker
     */
    int select(Object key, AtomicIntegerArray tasksOf);

    /** The queues of ready keys, by worker: the same ones for all, if every worker may run every key. */
    <Q> List<Q> readyQueues(int workers, Supplier<Q> create);

    /** Whether another worker may be woken instead of the one that a task is queued for. */
    boolean mayRunElsewhere();
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.List;
import java.util.function.Supplier;
import org.talos.server.config.DispatchConfig.SelectionPolicy;
import org.talos.server.config.WorkerCount;

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
     * The worker that a key is queued for. It is the first to be woken, if it is idle.
     *
     * @param workers how many there may ever be
     */
    int select(Object key, int workers);

    /** The queues of ready keys, by worker: the same ones for all, if every worker may run every key. */
    <Q> List<Q> readyQueues(int workers, Supplier<Q> create);

    /** Returns whether another worker may be woken instead of the one that a task is queued for. */
    boolean mayRunElsewhere();

    /**
     * Returns how many workers there may ever be: if no other may run what is queued for one, their number never
     * changes.
     */
    default int most(WorkerCount count) {
        return mayRunElsewhere() ? count.most() : count.least();
    }
}

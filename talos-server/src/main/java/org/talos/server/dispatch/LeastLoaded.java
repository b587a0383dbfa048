// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/**
 * The least loaded worker is one that is idle, or else the one that will be free first, which nobody knows beforehand:
 * so all workers have one queue, and a task is taken by whoever comes first. No key waits behind a long task of another
 * key while a worker is idle, and nobody counts each worker's tasks, which all of them would write to.
 *
 * <p>Of those that are idle the one with the lowest number is woken, so that few workers stay hot.
 *
 * <p>Immutable.
 */
final class LeastLoaded implements WorkerSelection {
    @Override
    public int select(Object key, int workers) {
        return 0;
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

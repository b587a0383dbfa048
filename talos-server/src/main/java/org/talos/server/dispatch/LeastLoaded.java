// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/**
 * Selects the least loaded worker: an idle one, or else the one that becomes free first. The latter cannot be known in
 * advance, so all workers share one queue, and the first free worker takes a task. No key waits behind a long task of
 * another key while a worker is idle, and no counter per worker is needed, to which all workers would write.
 *
 * <p>Of several idle workers, the one with the lowest number is woken, so that few workers stay hot.
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

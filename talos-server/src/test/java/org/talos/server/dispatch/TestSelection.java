// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The two kinds of selection that the executor keeps its promises with: one queue for all workers, or one for each. */
enum TestSelection {
    /** As in a server. */
    LEAST_LOADED,
    /** Each worker has a queue, and no other runs what is in it. */
    OWN_QUEUES;

    WorkerSelection selection() {
        return this == LEAST_LOADED ? WorkerSelection.leastLoaded() : new OwnQueues();
    }

    private static final class OwnQueues implements WorkerSelection {
        @Override
        public int select(Object key, int workers) {
            return Math.floorMod(key.hashCode(), workers);
        }

        @Override
        public <Q> List<Q> readyQueues(int workers, Supplier<Q> create) {
            return Stream.generate(create).limit(workers).toList();
        }

        @Override
        public boolean mayRunElsewhere() {
            return false;
        }
    }
}

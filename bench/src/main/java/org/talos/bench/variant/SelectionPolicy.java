// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.variant;

import org.talos.server.dispatch.WorkerSelection;

/** How the executor chooses a task's worker: as it is shipped, or as in the model that this is compared with. */
public enum SelectionPolicy {
    /** The least loaded worker: an idle one, the lowest number first, or else whoever is free first. As shipped. */
    AFFINITY,
    /** The key's hash modulo the number of workers: the model of Talos 2.1.5. */
    HASH;

    /** Returns the selection of one pool. */
    public WorkerSelection selection() {
        return switch (this) {
            case AFFINITY -> WorkerSelection.leastLoaded();
            case HASH -> new KeyHash();
        };
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.variant;

import org.talos.server.dispatch.WorkerSelection;

/** The policies by which the executor chooses a task's worker: the shipped one, and a model for comparison. */
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

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;

/** Memory of requests that is never short. Immutable. */
public final class AmpleMemory {
    private AmpleMemory() {}

    /** Returns memory of one request. */
    public static RequestMemory ofRequest() {
        return new RequestMemory(new MemoryBudget(Long.MAX_VALUE).of("user"));
    }
}

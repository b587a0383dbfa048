// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.simulation;

import org.talos.server.simulation.ModelLog;

/** A log, and what becomes of it. Confined: the simulation's thread. */
final class Log {
    final ModelLog model;
    boolean owned;
    boolean deleting;
    boolean deleted;

    Log(ModelLog model) {
        this.model = model;
    }

    @Override
    public String toString() {
        return model.toString();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation.mutation;

import org.talos.server.simulation.SimulationRuns;

/** Runs simulations where {@link MutantLoader} has loaded them. */
public final class MutantRuns {
    private MutantRuns() {}

    /** Returns the first of so many seeds that breaks a promise, with the promise; empty if none does. */
    public static String first(String simulation, long seeds) throws Exception {
        var constructor =
                Class.forName(simulation).asSubclass(SimulationRuns.Run.class).getDeclaredConstructor(long.class);
        constructor.setAccessible(true);
        return SimulationRuns.first(seeds, constructor::newInstance).orElse("");
    }
}

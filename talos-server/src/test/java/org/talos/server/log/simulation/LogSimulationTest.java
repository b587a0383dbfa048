// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.simulation.SimulationRuns;

/** Hundreds of runs, each by its seed: see {@link SimulationRuns} for how many, and which. */
@Timeout(900)
class LogSimulationTest {
    private static final int SEEDS = 200;

    @Test
    void whatIsPromisedHoldsInWhateverOrderThingsHappen() throws Exception {
        assertThat(SimulationRuns.all(SEEDS, LogSimulation::new)).isEmpty();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.simulation.SimulationRuns;

/**
 * Hundreds of runs of whole clusters, each by its seed: see {@link SimulationRuns} for how many, and which. Names for
 * {@code talos.simulation.passedOver} are those of {@link Faults}.
 */
@Timeout(900)
class ClusterSimulationTest {
    private static final int SEEDS = 500;

    @Test
    void whatIsPromisedHoldsWhateverHappensToServersAndInWhateverOrder() throws Exception {
        assertThat(SimulationRuns.all(SEEDS, ClusterSimulation::new)).isEmpty();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.simulation.SimulationRuns;

/**
 * Runs of whole clusters on an HDFS whose DataNodes all lose their power, with what they had not synced: see
 * {@link SimulationRuns} for how many, and which.
 */
@Timeout(900)
class PowerFailureSimulationTest {
    private static final int SEEDS = 40;

    @Test
    void nothingAcknowledgedIsLostWhenThePowerOfAllDataNodesFails() throws Exception {
        assertThat(SimulationRuns.all(SEEDS, ClusterSimulation::withPowerFailures))
                .isEmpty();
    }
}

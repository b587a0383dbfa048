// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.log.gap.Gap;
import org.talos.server.simulation.SimulationRuns;
import org.talos.server.simulation.Violation;

@Timeout(60)
class MutationTest {
    private static final String GAP = Gap.class.getName();

    /** Breaks its promise from the third seed on if the server's code was changed. Confined: the test. */
    record NeedsNoGap(long seed) implements SimulationRuns.Run {
        @Override
        public void run() {
            if (seed >= 3 && Gap.NONE.end() == 7) {
                throw new Violation("promise", "broken");
            }
        }

        @Override
        public List<String> history() {
            return List.of();
        }

        @Override
        public void errorLogged(String message) {
            // nothing is logged
        }
    }

    @Test
    void simulationRunsOnTheChangedClassOnly() throws Exception {
        Mutation mutation = new Mutation(GAP, "new Gap(0, 0)", "new Gap(0, 7)");

        assertThat(mutation.firstFound(NeedsNoGap.class, 5)).contains("seed 3: promise: broken");
        assertThat(mutation.firstFound(NeedsNoGap.class, 2)).isEmpty();
        assertThat(SimulationRuns.first(5, NeedsNoGap::new)).isEmpty();
    }

    @Test
    void pieceThatTheSourceHasNotOnceIsRefused() {
        assertThatThrownBy(() -> new Mutation(GAP, "no such piece", "").firstFound(NeedsNoGap.class, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not once in");
    }
}

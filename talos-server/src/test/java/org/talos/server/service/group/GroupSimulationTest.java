// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.server.simulation.SimulationRuns;
import org.talos.server.simulation.mutation.Mutation;

/** Runs of a group, each by its seed: see {@link SimulationRuns} for how many, and which. */
@Timeout(1_800)
class GroupSimulationTest {
    private static final int SEEDS = 40;
    private static final int SEEDS_OF_A_FAULT = 500;

    @Test
    void whatIsPromisedHoldsWhateverHappensToMembersAndServers() throws Exception {
        assertThat(SimulationRuns.all(SEEDS, GroupSimulation::new)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full") // long
    @Tag("servers")
    void faultInsertedOnPurposeIsFound(Fault fault) throws Exception {
        assertThat(fault.mutation.firstFound(GroupSimulation.class, SEEDS_OF_A_FAULT))
                .hasValueSatisfying(found -> assertThat(found).contains(fault.promise));
    }

    /** A fault, and the promise by which it is found. */
    private enum Fault {
        SUSPENDED_SERVER_ENDS_LEASES(
                "GroupMembership", "&& !isNowSure.getAsBoolean()", "&& nowMillis == 0", GroupModel.LEASE),
        GROUP_BEGINS_TWICE(
                "GroupMembers",
                "stored -> stored.isPresent() ? Optional.empty() : Optional.of(wanted)",
                "stored -> Optional.of(wanted)",
                "");

        private final Mutation mutation;
        private final String promise;

        Fault(String type, String before, String after, String promise) {
            mutation = new Mutation("org.talos.server.service.group." + type, before, after);
            this.promise = promise;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.simulation.SimulationRuns;

/** No interleaving loses a byte or counts one twice while a user's entry comes and goes. */
@Timeout(900) // as much work as it is, it is slow beside other tests
@Tag("full") // processor
@Tag("servers")
class MemoryBudgetLincheckTest {
    /** One user, whose requests end while others begin. */
    public static final class Model {
        private final MemoryBudget budget = new MemoryBudget(100);
        private final AtomicLong kept = new AtomicLong();

        /** A request that reserves and ends: the user's entry may go with it. */
        @Operation
        public void comeAndGo() {
            MemoryBudget.Share share = budget.of("ann");
            if (share.tryReserve(7)) {
                share.release(7);
            }
        }

        /** A request that stays. */
        @Operation
        public void stay() {
            if (budget.of("ann").tryReserve(10)) {
                kept.addAndGet(10);
            }
        }

        /** Checks that kept bytes are counted once, for the user and for all. */
        @Validate
        public void keptBytesAreCountedOnce() {
            long bytes = kept.get();
            if (budget.used() != bytes || budget.holders() != (bytes == 0 ? 0 : 1)) {
                throw new IllegalStateException(
                        budget.used() + " bytes of " + budget.holders() + " users, kept: " + bytes);
            }
            MemoryBudget.Share share = budget.of("ann");
            if (share.freeBytes() != share.mostBytes() - 2 * bytes) {
                throw new IllegalStateException("the user has " + share.freeBytes() + " free, kept: " + bytes);
            }
        }
    }

    @Test
    void requestThatStaysIsCountedWhileAnotherEnds() throws Exception {
        check(List.of(actor("stay")), List.of(actor("comeAndGo")));
    }

    @Test
    void lastOfTwoRequestsTakesTheEntryAway() throws Exception {
        check(List.of(actor("comeAndGo")), List.of(actor("comeAndGo"), actor("comeAndGo")));
    }

    private static void check(List<Actor> one, List<Actor> other) {
        new ModelCheckingOptions()
                .iterations(0)
                .addCustomScenario(new ExecutionScenario(List.of(), List.of(one, other), List.of(), null))
                .invocationsPerIteration(SimulationRuns.times(600))
                .minimizeFailedScenario(false)
                .check(Model.class);
    }

    private static Actor actor(String operation) throws NoSuchMethodException {
        return new Actor(Model.class.getMethod(operation), List.of(), false, false, false, false, false);
    }
}

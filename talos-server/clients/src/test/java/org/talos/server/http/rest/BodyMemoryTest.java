// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;

class BodyMemoryTest {
    private static final long BODY_BYTES = 50_000;
    private static final long MOST_BYTES = 900_000; // beside the body, of a million

    private final MemoryBudget budget = new MemoryBudget(1_000_000);
    private final RequestMemory memory = new RequestMemory(budget.of("ada"));

    BodyMemoryTest() {
        memory.reserve(BODY_BYTES);
    }

    private void assertRefused(int status, long bytes) {
        assertThatThrownBy(() -> BodyMemory.reserve(memory, bytes, BODY_BYTES))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().status()).isEqualTo(status));
        assertThat(memory.heldBytes()).isEqualTo(BODY_BYTES);
    }

    @Test
    void whatFitsAnIdleServerIsToBeRepeatedWhileOthersHoldMemory() {
        MemoryBudget.Share others = budget.of("others");
        others.take(100_000);
        assertRefused(503, MOST_BYTES);
        others.release(100_000);

        BodyMemory.reserve(memory, MOST_BYTES, BODY_BYTES);

        assertThat(memory.heldBytes()).isEqualTo(BODY_BYTES + MOST_BYTES);
    }

    @Test
    void whatNeverFitsIsTooLargeWhateverOthersHold() {
        assertRefused(413, MOST_BYTES + 1);

        budget.of("others").take(100_000);

        assertRefused(413, MOST_BYTES + 1);
    }
}

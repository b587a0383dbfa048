// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;

class RequestMemoryTest {
    private final MemoryBudget budget = new MemoryBudget(1_000);
    private final RequestMemory memory = new RequestMemory(budget.of("ann"));

    @Test
    void answerThatIsBuiltCountsInPlaceOfWhatWasReservedForIt() {
        assertThat(memory.tryReserve(10)).isTrue();
        assertThat(memory.tryReserveAnswer(300)).isTrue();
        assertThat(memory.tryReserveAnswer(100)).isTrue();
        assertThat(budget.used()).isEqualTo(410);

        assertThat(memory.trySettleAnswer(50)).isTrue();

        assertThat(budget.used()).isEqualTo(60);
        memory.close();
        assertThat(budget.used()).isZero();
    }

    @Test
    void longerAnswerReservesOnlyTheRest() {
        assertThat(memory.tryReserveAnswer(100)).isTrue();

        assertThat(memory.trySettleAnswer(400)).isTrue();
        assertThat(budget.used()).isEqualTo(400);
        assertThat(memory.trySettleAnswer(400)).isFalse();
    }

    @Test
    void workThatFindsNoMemoryFailsWithTheExceptionOfTheProtocolAndSoDoItsParts() {
        RequestMemory work = RequestMemory.ofWork(budget.of("ann"));

        for (RequestMemory each : List.of(work, work.part())) {
            assertThatThrownBy(() -> each.reserve(2_000)).isInstanceOfSatisfying(TalosException.class, e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.EXCESSIVE_PENDING_MESSAGE);
                assertThat(e.effect()).isEqualTo(Effect.NONE);
            });
        }
        assertThat(budget.used()).isZero();
    }

    @Test
    void partOfARequestFailsAsTheRequestDoes() {
        assertThatThrownBy(() -> memory.part().reserve(2_000)).isInstanceOf(RequestMemory.ExhaustedException.class);
    }

    @Test
    void whatIsReleasedIsNoLongerExpected() {
        assertThat(memory.tryReserveAnswer(100)).isTrue();
        memory.releaseAll();

        assertThat(memory.trySettleAnswer(70)).isTrue();
        assertThat(budget.used()).isEqualTo(70);
    }
}

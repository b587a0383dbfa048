// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.talos.common.error.TalosException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.thrift.ErrorCode;

class AnswerMemoryTest {
    private final MemoryBudget budget = new MemoryBudget(1 << 20);

    private AnswerMemory answer() {
        return new AnswerMemory(new RequestMemory(budget.of("ann")));
    }

    private static ErrorCode refusal(AnswerMemory answer) {
        return catchThrowableOfType(TalosException.class, () -> {
                    for (int row = 0; row < 1_000; row++) {
                        answer.reserve(10_000);
                    }
                })
                .code();
    }

    @Test
    void answerWhoseRowsNeverFitTogetherIsTooLarge() {
        assertThat(refusal(answer())).isEqualTo(ErrorCode.REQUEST_TOO_LARGE);
    }

    @Test
    void answerForWhichOthersLeaveNoMemoryIsForLater() {
        assertThat(budget.tryReserve(800_000)).isTrue();

        assertThat(refusal(answer())).isEqualTo(ErrorCode.EXCESSIVE_PENDING_MESSAGE);
    }
}

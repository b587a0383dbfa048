// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    private final MemoryBudget budget = new MemoryBudget(100);

    @Test
    void whatDoesNotFitIsRefusedAndTakesNothing() {
        assertThat(budget.tryReserve(60)).isTrue();
        assertThat(budget.tryReserve(41)).isFalse();
        assertThat(budget.used()).isEqualTo(60);
        assertThat(budget.tryReserve(40)).isTrue();
    }

    @Test
    void whatIsGivenBackCanBeTakenAgain() {
        budget.tryReserve(100);
        budget.release(30);

        assertThat(budget.tryReserve(30)).isTrue();
        assertThat(budget.limit()).isEqualTo(100);
    }

    @Test
    void moreThanWasTakenCannotBeGivenBack() {
        assertThatThrownBy(() -> budget.release(1)).isInstanceOf(IllegalStateException.class);
    }
}

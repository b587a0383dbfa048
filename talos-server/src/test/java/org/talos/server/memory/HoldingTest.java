// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The memory that one request holds, in whatever order its parts end. */
class HoldingTest {
    private final MemoryBudget budget = new MemoryBudget(1_000);
    private final RequestMemory memory = new RequestMemory(budget.of("ann"));

    @Test
    void releaseAfterTheEndIsNotASecondOne() {
        assertThat(memory.tryReserve(100)).isTrue();
        new RequestMemory(budget.of("ann")).take(50);

        memory.close();
        memory.release(100); // of work that ended late
        memory.close();

        assertThat(budget.used()).isEqualTo(50);
    }

    @Test
    void whatBeginsAfterTheEndHoldsNothing() {
        memory.close();

        memory.take(100);
        assertThat(memory.tryReserve(100)).isFalse();
        assertThatThrownBy(() -> memory.reserve(100)).isInstanceOf(RequestMemory.ExhaustedException.class);

        assertThat(budget.used()).isZero();
    }

    @Test
    void bytesThatAreTakenOverAfterTheEndAreReleased() {
        RequestMemory other = memory.part();
        other.reserve(100);
        memory.close();

        other.moveTo(memory, 100);

        assertThat(budget.used()).isZero();
        other.close();
        assertThat(budget.used()).isZero();
    }

    @Test
    void bytesMoveWithoutBeingCountedTwiceOrNotAtAll() {
        RequestMemory other = memory.part();
        memory.reserve(500); // all that one user may hold

        memory.moveTo(other, 200);

        assertThat(budget.used()).isEqualTo(500);
        memory.close();
        assertThat(budget.used()).isEqualTo(200);
        other.close();
        assertThat(budget.used()).isZero();
        assertThatThrownBy(() -> memory.part().moveTo(new RequestMemory(budget.of("bob")), 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void noMoreMovesThanIsHeld() {
        RequestMemory other = memory.part();
        memory.reserve(200);

        assertThat(memory.moveUpTo(other, 150)).isEqualTo(150);
        assertThat(memory.moveUpTo(other, 150)).isEqualTo(50);

        memory.close();
        assertThat(memory.moveUpTo(other, 1)).isZero();
        assertThat(budget.used()).isEqualTo(200);
        other.close();
        assertThat(budget.used()).isZero();
        assertThatThrownBy(() -> other.moveUpTo(new RequestMemory(budget.of("bob")), 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void moreThanIsHeldIsNeverReleased() {
        memory.reserve(100);

        assertThatThrownBy(() -> memory.release(101)).isInstanceOf(IllegalStateException.class);
        assertThat(budget.used()).isEqualTo(100);
    }

    @Test
    void hopelessIsWhatNeverFitsHoweverLittleOthersHold() {
        new RequestMemory(budget.of("bob")).take(900);

        assertThatThrownBy(() -> memory.reserve(500))
                .isInstanceOfSatisfying(
                        RequestMemory.ExhaustedException.class,
                        e -> assertThat(e.isHopeless()).isFalse());
        assertThatThrownBy(() -> memory.reserve(900))
                .isInstanceOfSatisfying(
                        RequestMemory.ExhaustedException.class,
                        e -> assertThat(e.isHopeless()).isTrue());
    }
}

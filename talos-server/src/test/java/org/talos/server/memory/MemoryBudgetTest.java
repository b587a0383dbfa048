// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
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
    void oneUserMayHoldAsMuchAsIsFreeBesides() {
        MemoryBudget.Share ann = budget.of("ann");

        assertThat(ann.tryReserve(30)).isTrue();
        assertThat(ann.tryReserve(21)).isTrue();
        assertThat(ann.tryReserve(1)).isFalse();
        assertThat(budget.used()).isEqualTo(51);
    }

    @Test
    void oneThingIsTakenHoweverLargeIfThereIsRoomForIt() {
        assertThat(budget.of("ann").tryReserve(90)).isTrue();
        assertThat(budget.of("bob").tryReserve(10)).isTrue();
        assertThat(budget.of("bob").tryReserve(1)).isFalse();
    }

    @Test
    void mostBesideWhatAUserHoldsIsWhatTheUserGetsAlone() {
        for (MemoryBudget each : List.of(
                budget,
                MemoryBudget.withFloors(1_600),
                MemoryBudget.inParts(100, 4, 40),
                MemoryBudget.inParts(100, 2, 10),
                new MemoryBudget(100).part(25),
                MemoryBudget.withFloors(1_600).part(1_590))) {
            for (long held = 0; held < each.limit() / 3; held++) {
                MemoryBudget.Share ann = each.of("ann");
                assertThat(ann.tryReserve(held)).isTrue();
                long most = ann.mostBeside(held);

                assertThat(ann.tryReserve(most + 1))
                        .as("%s beside %s", most, held)
                        .isFalse();
                assertThat(ann.tryReserve(most)).as("%s beside %s", most, held).isTrue();
                ann.release(held + most);
            }
        }
    }

    @Test
    void severalUsersWhoWantAllLeaveRoomForOthers() {
        for (String each : List.of("ann", "bob", "cid")) {
            while (budget.of(each).tryReserve(1)) {
                assertThat(budget.used()).isLessThan(100);
            }
        }

        assertThat(budget.of("dan").tryReserve(10)).isTrue();
    }

    @Test
    void allThatOneThingMayTakeAtOnceLeavesRoomForRequestsOfOthers() {
        MemoryBudget.Share ann = budget.of("ann");
        assertThat(budget.tryReserve(40)).isTrue();

        assertThat(ann.tryReserve(ann.freeBytes())).isTrue();

        assertThat(budget.of("bob").tryReserve(12)).isTrue();
    }

    @Test
    void userOfABudgetInPartsHoldsAPartOfWhatIsFreeAndAFloorInAnyCase() {
        MemoryBudget inParts = MemoryBudget.inParts(1_000, 10, 20);
        MemoryBudget.Share ann = inParts.of("ann");

        assertThat(ann.tryReserve(101)).isFalse();
        assertThat(ann.tryReserve(90)).isTrue();
        assertThat(ann.tryReserve(2)).as("92 held, and 910 free").isFalse();
        assertThat(inParts.tryReserve(890)).isTrue();
        assertThat(inParts.of("bob").tryReserve(20)).isTrue();
        assertThat(inParts.of("bob").tryReserve(1)).isFalse();
    }

    @Test
    void whatCannotBeRefusedCountsAllTheSame() {
        MemoryBudget.Share ann = budget.of("ann");
        ann.take(200);

        assertThat(ann.tryReserve(1)).isFalse();
        assertThat(budget.of("bob").tryReserve(1)).isFalse();
        ann.release(200);
        assertThat(ann.tryReserve(1)).isTrue();
        assertThat(budget.used()).isEqualTo(1);
    }

    @Test
    void moreThanWasTakenCannotBeGivenBack() {
        assertThatThrownBy(() -> budget.release(1)).isInstanceOf(IllegalStateException.class);
    }

    /** With a service key, a client chooses the ids. */
    @Test
    void usersWhoHoldNothingTakeNoMemory() {
        for (int i = 0; i < 1_000; i++) {
            MemoryBudget.Share share = budget.of("user-" + i);
            assertThat(share.tryReserve(60)).isTrue();
            assertThat(share.tryReserve(60)).isFalse();
            share.release(60);
            share.take(7);
            share.release(7);
            assertThat(share.tryReserve(101)).isFalse();
        }

        assertThat(budget.holders()).isZero();
        assertThat(budget.used()).isZero();
    }

    @Test
    void shareThatWasKeptCountsWithAllOthersOfItsUser() {
        MemoryBudget.Share kept = budget.of("ann");
        assertThat(kept.tryReserve(30)).isTrue();
        kept.release(30); // ann holds nothing

        assertThat(budget.of("ann").tryReserve(50)).isTrue();

        assertThat(kept.tryReserve(1)).isFalse();
        assertThat(kept.freeBytes()).isEqualTo(budget.of("ann").freeBytes());
        kept.release(50);
        assertThat(budget.holders()).isZero();
    }

    /** Each of them takes half of what the others have left, as each may. */
    private static void takeAllThatUsersMay(MemoryBudget shared) {
        for (int i = 0; i < 20; i++) {
            MemoryBudget.Share greedy = shared.of("greedy " + i);
            long bytes = shared.limit();
            while (bytes > 0) {
                bytes = greedy.tryReserve(bytes) ? bytes : bytes / 2;
            }
        }
    }

    @Test
    void userWhoHoldsLittleFindsRoomHoweverMuchOthersHold() {
        MemoryBudget floors = MemoryBudget.withFloors(1 << 20);
        takeAllThatUsersMay(floors);

        assertThat(floors.used()).isGreaterThan((1 << 20) * 9 / 10);
        for (int i = 0; i < 10; i++) {
            MemoryBudget.Share little = floors.of("little " + i);
            assertThat(little.tryReserve(1_000)).isTrue();
            assertThat(little.tryReserve(1_000)).isTrue();
            assertThat(little.tryReserve(1_000)).as("more than little").isFalse();
        }
    }

    @Test
    void shortageIsReportedOnceOnlyTheFloorsAreLeft() {
        MemoryBudget floors = MemoryBudget.withFloors(1 << 20);
        assertThat(floors.shortage()).isEmpty();

        for (int i = 0; i < 8; i++) {
            MemoryBudget.Share greedy = floors.of("greedy " + i);
            while (greedy.tryReserve(4_000)) {
                assertThat(floors.used()).isLessThan(1 << 20);
            }
        }

        assertThat(floors.shortage()).isPresent();
    }

    @Test
    void clientsWithoutAKeyLeaveTheFloorsToUsers() {
        MemoryBudget floors = MemoryBudget.withFloors(1 << 20);
        takeAllThatUsersMay(floors.part(1 << 20));

        assertThat(floors.of("little").tryReserve(2_000)).isTrue();
    }

    @Test
    void userAloneHasAsMuchWithFloorsAsWithout() {
        MemoryBudget.Share withFloors = MemoryBudget.withFloors(1 << 20).of("ann");
        MemoryBudget.Share without = new MemoryBudget(1 << 20).of("ann");

        for (int i = 0; i < 1 << 10; i++) {
            assertThat(withFloors.tryReserve(1 << 10)).isEqualTo(without.tryReserve(1 << 10));
        }
    }
}

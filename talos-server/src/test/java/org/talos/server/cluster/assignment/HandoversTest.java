// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.talos.server.cluster.ClusterRows.OwnerRow;
import org.talos.server.cluster.PartitionId;

class HandoversTest {
    private static final Set<String> ALIVE = Set.of("a", "b", "c");

    private final AskedRows rows = new AskedRows();
    private final List<String> reports = new ArrayList<>();
    private int answers;
    private final Handovers handovers = new Handovers(rows, () -> answers++, reports::add);

    @Test
    void oneServerGivesAndTakesSoManyAtOnceAndOthersAreNotHeldUp() {
        Assignment.Room room = handovers.room();
        for (int partition = 0; partition < Handovers.MOST; partition++) {
            assertThat(room.take(move(partition, "a", "b"))).isTrue();
        }

        assertThat(room.take(move(100, "a", "c"))).isFalse();
        assertThat(room.take(move(100, "c", "b"))).isFalse();
        assertThat(room.isFree("a", "")).isFalse();
        assertThat(room.take(move(100, "c", "a"))).isTrue();
    }

    @Test
    void moveIsOverWhenItsGiverHasReleased() {
        order(move(1, "a", "b"), new OwnerRow(7, false));

        handovers.ask();
        rows.answer(new OwnerRow(7, false));
        handovers.next(ALIVE::contains);
        assertThat(handovers.open()).isEqualTo(1);
        assertThat(handovers.room().take(move(1, "b", "c")))
                .as("the same partition again")
                .isFalse();

        handovers.ask();
        rows.answer(new OwnerRow(7, true));
        handovers.next(ALIVE::contains);

        assertThat(handovers.isIdle()).isTrue();
    }

    @Test
    void moveIsOverWhenItsTakerHasTheNextEpoch() {
        order(move(1, "a", "b"), new OwnerRow(7, false));

        handovers.ask();
        rows.answer(new OwnerRow(8, false)); // released and taken between two looks
        handovers.next(ALIVE::contains);

        assertThat(handovers.isIdle()).isTrue();
    }

    @Test
    void moveIsOverWhenItsGiverIsGone() {
        order(move(1, "a", "b"), new OwnerRow(7, false));

        handovers.next(Set.of("b", "c")::contains);

        assertThat(handovers.isIdle()).isTrue();
    }

    @Test
    void partitionThatNobodyHasOpenedIsGivenAtOnce() {
        handovers.choose(List.of(move(1, "a", "b")));
        handovers.ask();
        rows.answerNothing();

        List<Move> ready = handovers.next(ALIVE::contains);
        ready.forEach(handovers::onWritten);

        assertThat(ready).containsExactly(move(1, "a", "b"));
        assertThat(handovers.isIdle()).isTrue();
        assertThat(answers).isEqualTo(1);
    }

    @Test
    void rowThatCannotBeReadKeepsOnlyItsOwnPartitionInItsPlace() {
        Move stuck = move(1, "a", "b");
        handovers.choose(List.of(stuck, move(2, "a", "b")));
        handovers.ask();
        rows.answer(new OwnerRow(7, false), stuck.partition());

        assertThat(handovers.next(ALIVE::contains)).containsExactly(move(2, "a", "b"));

        assertThat(handovers.mayBegin()).isTrue();
        assertThat(handovers.room().take(stuck))
                .as("it would take others' room")
                .isFalse();
        assertThat(reports)
                .hasSize(1)
                .first()
                .asString()
                .contains(stuck.partition().toString());
    }

    @Test
    void rowThatCouldNotBeReadIsTriedAgainAndToldOnce() {
        Move stuck = move(1, "a", "b");
        for (int wave = 0; wave < 250; wave++) {
            handovers.choose(handovers.room().take(stuck) ? List.of(stuck) : List.of());
            handovers.ask();
            if (!handovers.mayBegin()) {
                rows.answer(new OwnerRow(7, false), stuck.partition());
                assertThat(handovers.next(ALIVE::contains)).isEmpty();
            }
        }

        assertThat(answers).isGreaterThan(1);
        assertThat(reports).hasSize(1);
    }

    @Test
    void waveChosenWhileRowsAreReadIsReadAfterThem() {
        order(move(1, "a", "b"), new OwnerRow(7, false));
        handovers.ask();
        handovers.choose(List.of(move(2, "a", "b")));
        handovers.ask(); // one question at a time
        rows.answer(new OwnerRow(7, false));
        assertThat(handovers.next(ALIVE::contains)).isEmpty();
        assertThat(handovers.mayBegin()).isFalse();

        handovers.ask();
        rows.answer(new OwnerRow(7, false));

        assertThat(handovers.next(ALIVE::contains)).containsExactly(move(2, "a", "b"));
        assertThat(handovers.mayBegin()).isTrue();
    }

    @Test
    void rowsThatCannotBeReadStopMovesAndAreTold() {
        for (int attempt = 0; attempt < 2; attempt++) {
            handovers.choose(List.of(move(1, "a", "b")));
            handovers.ask();
            rows.fail(new IOException("no region"));
            assertThat(handovers.next(ALIVE::contains)).isEmpty();
        }

        assertThat(handovers.mayBegin()).as("it is chosen again").isTrue();
        assertThat(answers).as("in the next round, not at once").isZero();
        assertThat(reports).singleElement().asString().contains("nothing is moved", "no region");
    }

    private void order(Move move, OwnerRow row) {
        handovers.choose(List.of(move));
        handovers.ask();
        rows.answer(row);
        assertThat(handovers.next(ALIVE::contains)).containsExactly(move);
        handovers.onWritten(move);
        assertThat(handovers.open()).isEqualTo(1);
    }

    private static Move move(int partition, String from, String to) {
        return new Move(new PartitionId("t", partition), from, to);
    }
}

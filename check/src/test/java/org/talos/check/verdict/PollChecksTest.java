// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Outcome;

@Timeout(30)
class PollChecksTest {
    /** Four values, all of which were read. */
    private static Past four() {
        return new Past().sent(1, 0, "a", "b", "c", "d").poll(9, 0, "a", "b", "c", "d");
    }

    @Test
    void aReaderThatMissesAValueWasSkipped() {
        assertThat(four().poll(2, 0, "a").poll(2, 2, "c", "d").failed()).containsExactly("poll skip");
    }

    @Test
    void aReaderThatIsGivenAValueAgainGoesBack() {
        assertThat(four().poll(2, 0, "a", "b").poll(2, 1, "b", "c").failed()).containsExactly("non-monotonic poll");
    }

    @ParameterizedTest
    @EnumSource(names = {"ASSIGN", "SUBSCRIBE", "CRASH"})
    void anAssignmentLetsAReaderBeginAnywhere(Kind kind) {
        Past past = four().poll(2, 0, "a", "b")
                .mark(2, kind, Outcome.OK)
                .poll(2, 0, "a")
                .mark(2, kind, Outcome.OK)
                .poll(2, 3, "d");

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void otherReadersHaveTheirOwnOffsets() {
        assertThat(four().poll(2, 0, "a", "b").poll(3, 0, "a").poll(2, 2, "c").failed())
                .isEmpty();
    }

    @Test
    void anAnswerBeginsWhereItWasAskedTo() {
        Past past = four().add(2, Kind.POLL, Outcome.OK, Past.entries(2, "c"), List.of(new Mark(Past.KEY, 1, 3)));

        assertThat(past.failed()).containsExactly("poll skip");
    }

    @Test
    void whoAsksForTheOldestTakesWhatComes() {
        Past past = four().add(2, Kind.POLL, Outcome.OK, Past.entries(2, "c"), List.of(new Mark(Past.KEY, -1, 3)));

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void aGapInsideAnAnswerIsFound() {
        Past past = four().add(
                        2,
                        Kind.POLL,
                        Outcome.OK,
                        List.of(new Entry(Past.KEY, 0, "a"), new Entry(Past.KEY, 2, "c")),
                        List.of());

        assertThat(past.failed()).containsExactly("internal poll skip");
    }

    @Test
    void anAnswerInTheWrongOrderIsFound() {
        Past past = four().add(
                        2,
                        Kind.POLL,
                        Outcome.OK,
                        List.of(new Entry(Past.KEY, 1, "b"), new Entry(Past.KEY, 0, "a")),
                        List.of());

        assertThat(past.failed()).containsExactly("internal poll skip");
    }

    @Test
    void partitionsInOneAnswerDoNotFollowOnEachOther() {
        Past past = four().add(3, Kind.SEND, Outcome.OK, List.of(new Entry("t/1", 0, "e")), List.of())
                .add(
                        2,
                        Kind.POLL,
                        Outcome.OK,
                        List.of(new Entry(Past.KEY, 2, "c"), new Entry("t/1", 0, "e"), new Entry(Past.KEY, 3, "d")),
                        List.of());

        assertThat(past.failed()).isEmpty();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;
import org.talos.check.history.Outcome;

@Timeout(30)
class PlaceChecksTest {
    private static Operation named(double from, Outcome outcome, long offset, String... values) {
        return Past.at(1, Kind.SEND, outcome, from, from + 0.5).sent("p#1", 1).with(Past.entries(offset, values));
    }

    @Test
    void twoReadersOfOnePlaceAgree() {
        Past past = new Past()
                .send(1, Outcome.INFO, Entry.UNKNOWN, "a")
                .send(3, Outcome.INFO, Entry.UNKNOWN, "b")
                .poll(2, 0, "a")
                .poll(4, 0, "b");

        assertThat(past.failed()).containsExactly("inconsistent offsets");
    }

    @Test
    void aPutsAnswerAndAReaderAgree() {
        Past past = new Past()
                .sent(1, 0, "a")
                .send(3, Outcome.INFO, Entry.UNKNOWN, "b")
                .poll(2, 0, "b", "a");

        assertThat(past.failed()).contains("inconsistent offsets");
    }

    @Test
    void aValueAtTwoPlacesIsADuplicate() {
        Past past = new Past().sent(1, "a").poll(2, 0, "a", "a");

        assertThat(past.failed()).containsExactly("duplicate");
    }

    @Test
    void aRepetitionWithItsIdentityIsNoExcuseForADuplicate() {
        Past past = new Past()
                .add(named(0, Outcome.INFO, -1, "a"))
                .add(named(1, Outcome.OK, -1, "a"))
                .poll(2, 0, "a", "a");

        assertThat(past.failed()).containsExactly("duplicate");
    }

    @Test
    void aPutRepeatedWithoutAnIdentityMayBeThereTwice() {
        Past past = new Past()
                .add(Past.at(1, Kind.SEND, Outcome.OK, 0, 1).sent("", 2).with(Past.entries(-1, "a")))
                .poll(2, 0, "a", "a");

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void allAnswersToOneIdentityNameOnePlace() {
        Past past = new Past().add(named(0, Outcome.OK, 0, "a")).add(named(1, Outcome.OK, 1, "a"));

        assertThat(past.failed()).contains("one identity, one place");
    }

    @Test
    void equalAnswersToOneIdentityAreRight() {
        Past past = new Past()
                .add(named(0, Outcome.OK, 0, "a"))
                .add(named(1, Outcome.INFO, -1, "a"))
                .add(named(2, Outcome.OK, 0, "a"))
                .poll(2, 0, "a");

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void whatIsPutTogetherIsNotTornApart() {
        Past past = new Past()
                .send(1, Outcome.INFO, Entry.UNKNOWN, "a", "b")
                .send(3, Outcome.INFO, Entry.UNKNOWN, "c")
                .poll(2, 0, "a", "c", "b");

        assertThat(past.failed()).containsExactly("torn put");
    }

    @Test
    void halfAPutIsTorn() {
        Past past = new Past()
                .send(1, Outcome.INFO, Entry.UNKNOWN, "a", "b")
                .poll(2, 0, "a")
                .mark(2, Kind.DRAIN, Outcome.OK, Mark.at(Past.KEY, 1));

        assertThat(past.failed()).containsExactly("torn put");
    }

    @Test
    void halfAPutIsWholeAsLongAsItIsNotReadToTheEnd() {
        Past past = new Past().send(1, Outcome.INFO, Entry.UNKNOWN, "a", "b").poll(2, 0, "a");

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void theSameOffsetInAnotherPartitionIsAnotherPlace() {
        Past past = new Past()
                .sent(1, 0, "a")
                .add(3, Kind.SEND, Outcome.OK, List.of(new Entry("t/1", 0, "b")), List.of())
                .poll(2, 0, "a")
                .add(2, Kind.POLL, Outcome.OK, List.of(new Entry("t/1", 0, "b")), List.of());

        assertThat(past.failed()).isEmpty();
    }
}

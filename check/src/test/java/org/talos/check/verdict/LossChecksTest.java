// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Outcome;

@Timeout(30)
class LossChecksTest {
    @Test
    void anAcknowledgedValueBeforeOneThatWasReadIsLostIfNobodyReadIt() {
        Past past = new Past().sent(1, "a").sent(1, "b").sent(1, "c").poll(2, 0, "a", "c");

        assertThat(past.failed()).containsExactly("lost write", "unseen");
    }

    @Test
    void anOffsetBeforeOneThatWasReadShowsThatAValueIsLost() {
        Past past = new Past()
                .sent(1, 0, "a")
                .sent(3, 1, "b")
                .send(4, Outcome.INFO, Entry.UNKNOWN, "c")
                .poll(2, 0, "a")
                .add(2, Kind.POLL, Outcome.OK, List.of(new Entry(Past.KEY, 2, "c")), List.of());

        assertThat(past.failed()).containsExactly("lost write", "hole", "unseen");
    }

    @Test
    void whatIsBehindAllThatWasReadIsUnseenAndNotYetLost() {
        Past past = new Past().sent(1, "a").sent(1, "b").poll(2, 0, "a");

        assertThat(past.failed()).containsExactly("unseen");
    }

    @Test
    void whatMayNotHaveHappenedIsNotMissed() {
        Past past = new Past()
                .sent(1, "a")
                .send(1, Outcome.INFO, Entry.UNKNOWN, "b")
                .send(1, Outcome.FAIL, Entry.UNKNOWN, "c")
                .sent(1, "d")
                .poll(2, 0, "a", "d");

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void whatWentWithItsTopicIsNotMissed() {
        Past past = new Past()
                .sent(1, "a")
                .sent(1, "b")
                .poll(2, 0, "a")
                .mark(9, Kind.DELETE, Outcome.OK, Mark.at(Past.KEY, 0));

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void anOffsetThatNobodyReadIsAHole() {
        Past past = new Past()
                .send(1, Outcome.INFO, Entry.UNKNOWN, "a")
                .send(1, Outcome.INFO, Entry.UNKNOWN, "b")
                .poll(2, 0, "a")
                .poll(3, 2, "b");

        assertThat(past.failed()).containsExactly("hole");
    }

    @Test
    void aLogThatBeginsLaterHasNoHole() {
        Past past = new Past().send(1, Outcome.INFO, Entry.UNKNOWN, "a").poll(2, 7, "a");

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void anEndThatIsNotReachedIsReported() {
        Past past = new Past().add(Past.at(1, Kind.DRAIN, Outcome.INFO, 0, 60).noting("t/0 at 5 of 7"));

        assertThat(past.failed()).containsExactly("stuck");
        assertThat(Verdict.of(past.operations()).lines()).anyMatch(line -> line.contains("t/0 at 5 of 7"));
    }
}

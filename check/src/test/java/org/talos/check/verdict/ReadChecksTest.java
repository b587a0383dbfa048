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
class ReadChecksTest {
    @Test
    void aCleanHistoryPassesEveryCheck() {
        Past past = new Past()
                .mark(9, Kind.OFFSETS, Outcome.OK, new Mark(Past.KEY, 0, 0))
                .sent(1, 0, "a", "b")
                .poll(2, 0, "a", "b")
                .send(1, Outcome.INFO, Entry.UNKNOWN, "c")
                .send(1, Outcome.FAIL, Entry.UNKNOWN, "d")
                .sent(1, "e")
                .poll(2, 2, "c", "e")
                .poll(2, 4)
                .mark(9, Kind.OFFSETS, Outcome.OK, new Mark(Past.KEY, 0, 4))
                .mark(2, Kind.CRASH, Outcome.OK)
                .poll(2, 0, "a", "b", "c", "e")
                .mark(2, Kind.DRAIN, Outcome.OK, Mark.at(Past.KEY, 4));

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void aValueThatSurelyWasNotPutIsAnAbortedRead() {
        Past past = new Past().send(1, Outcome.FAIL, Entry.UNKNOWN, "a").poll(2, 0, "a");

        assertThat(past.failed()).containsExactly("aborted read");
    }

    @Test
    void aPutThatMayHaveHappenedMayBeRead() {
        Past past = new Past().send(1, Outcome.INFO, Entry.UNKNOWN, "a").poll(2, 0, "a");

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void aTryThatFailedSaysNothingOfTheTryBefore() {
        Past past = new Past()
                .add(Past.at(1, Kind.SEND, Outcome.INFO, 0, 1).sent("p#1", 1).with(Past.entries(-1, "a")))
                .add(Past.at(1, Kind.SEND, Outcome.FAIL, 1, 2).sent("p#1", 1).with(Past.entries(-1, "a")))
                .poll(2, 0, "a");

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void aValueThatNobodySentIsAPhantom() {
        assertThat(new Past().poll(2, 0, "damaged").failed()).containsExactly("phantom");
    }

    @Test
    void aValueInAnotherPartitionIsAPhantom() {
        Past past = new Past()
                .send(1, Outcome.INFO, Entry.UNKNOWN, "a")
                .add(2, Kind.POLL, Outcome.OK, List.of(new Entry("t/1", 0, "a")), List.of());

        assertThat(past.failed()).containsExactly("phantom");
    }

    @Test
    void aValueThatIsReadBeforeItIsSentIsAPhantom() {
        Past past = new Past().poll(2, 0, "a").send(1, Outcome.INFO, Entry.UNKNOWN, "a");

        assertThat(past.failed()).containsExactly("phantom");
    }

    @Test
    void theVerdictShowsWhatItIsAbout() {
        Past past = new Past().send(1, Outcome.FAIL, Entry.UNKNOWN, "a").poll(2, 0, "a");

        Verdict verdict = Verdict.of(past.operations());

        assertThat(verdict.clean()).isFalse();
        assertThat(verdict.lines())
                .anyMatch(line -> line.startsWith("FAIL aborted read") && line.contains("1 times"))
                .anyMatch(line -> line.contains("#0") && line.contains("SEND FAIL t/0@-1=a"))
                .anyMatch(line -> line.contains("#1") && line.contains("POLL OK t/0[0..1] t/0@0=a"))
                .anyMatch(line -> line.startsWith("ok   duplicate"));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.check.history.Kind;
import org.talos.check.history.Outcome;

@Timeout(30)
class GroupChecksTest {
    private static Past two() {
        return new Past().sent(1, 0, "a", "b").poll(9, 0, "a", "b");
    }

    @Test
    void aGroupThatReadsAndCommitsPasses() {
        Past past = two().groupPoll(2, 0, "a")
                .group(2, Kind.COMMIT, Outcome.OK, 1)
                .group(8, Kind.COMMITTED, Outcome.OK, 1)
                .mark(3, Kind.SUBSCRIBE, Outcome.OK)
                .groupPoll(3, 1, "b")
                .group(3, Kind.COMMIT, Outcome.OK, 2)
                .group(8, Kind.COMMITTED, Outcome.OK, 2)
                .group(3, Kind.DRAIN, Outcome.OK, 2);

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void whatNeverReachedTheGroupIsMissed() {
        Past past = two().groupPoll(2, 0, "a").group(2, Kind.DRAIN, Outcome.OK, 2);

        assertThat(past.failed()).containsExactly("consume count");
    }

    @Test
    void anotherMemberMayBeGivenItAgain() {
        Past past = two().groupPoll(2, 0, "a", "b").groupPoll(3, 0, "a", "b").group(3, Kind.DRAIN, Outcome.OK, 2);

        assertThat(past.failed()).isEmpty();
        assertThat(Verdict.of(past.operations()).lines()).anyMatch(line -> line.endsWith("given to a group again: 2"));
    }

    @Test
    void aCommitStays() {
        Past past = two().groupPoll(2, 0, "a", "b")
                .group(2, Kind.COMMIT, Outcome.OK, 2)
                .group(8, Kind.COMMITTED, Outcome.OK, 1);

        assertThat(past.failed()).containsExactly("commit goes back");
    }

    @Test
    void aCommittedOffsetDoesNotGoBackFromQueryToQuery() {
        Past past = two().groupPoll(2, 0, "a", "b")
                .group(8, Kind.COMMITTED, Outcome.OK, 2)
                .group(9, Kind.COMMITTED, Outcome.OK, 1);

        assertThat(past.failed()).containsExactly("commit goes back");
    }

    @Test
    void aCommitWhoseAnswerWasLostMayShowOrNot() {
        Past past = two().groupPoll(2, 0, "a", "b")
                .group(2, Kind.COMMIT, Outcome.INFO, 2)
                .group(8, Kind.COMMITTED, Outcome.OK, 0)
                .group(8, Kind.COMMITTED, Outcome.OK, 2);

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void aCommittedOffsetPastWhatWasGivenIsFound() {
        Past past = two().groupPoll(2, 0, "a").group(8, Kind.COMMITTED, Outcome.OK, 2);

        assertThat(past.failed()).containsExactly("commit beyond");
    }
}

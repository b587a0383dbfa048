// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.check.history.Kind;
import org.talos.check.history.Outcome;

@Timeout(30)
class ResumeCheckTest {
    /** One member was given a and b, and committed a with this outcome. */
    private static Past committed(Outcome outcome) {
        return new Past().sent(1, 0, "a", "b", "c").groupPoll(2, 0, "a", "b").group(2, Kind.COMMIT, outcome, 1);
    }

    @Test
    void nextMemberBeginsWhereTheGroupHasCommitted() {
        assertThat(committed(Outcome.OK).groupPoll(3, 1, "b", "c").failed()).isEmpty();
    }

    @Test
    void nextMemberMayBeginBeforeThat() {
        assertThat(committed(Outcome.OK).groupPoll(3, 0, "a", "b", "c").failed())
                .isEmpty();
    }

    @Test
    void whatAnotherWasGivenAndDidNotCommitIsNotSkipped() {
        assertThat(committed(Outcome.OK).groupPoll(3, 2, "c").failed()).containsExactly("group skip");
    }

    @Test
    void commitWhoseAnswerWasLostMayCountAndOneThatFailedDoesNot() {
        assertThat(committed(Outcome.INFO).groupPoll(3, 1, "b", "c").failed()).isEmpty();
        assertThat(committed(Outcome.FAIL).groupPoll(3, 1, "b", "c").failed()).containsExactly("group skip");
    }

    @Test
    void commitThatCameLaterIsNone() {
        Past later = new Past()
                .sent(1, 0, "a", "b")
                .groupPoll(2, 0, "a")
                .groupPoll(3, 1, "b")
                .group(2, Kind.COMMIT, Outcome.OK, 1);

        assertThat(later.failed()).containsExactly("group skip");
    }

    @Test
    void memberThatIsOneAnewBeginsWhereItHasCommittedToo() {
        Past kept = committed(Outcome.OK).groupPoll(2, 2, "c");
        Past later = committed(Outcome.OK).mark(2, Kind.SUBSCRIBE, Outcome.OK).groupPoll(2, 2, "c");

        assertThat(kept.failed()).isEmpty();
        assertThat(later.failed()).containsExactly("group skip");
    }
}

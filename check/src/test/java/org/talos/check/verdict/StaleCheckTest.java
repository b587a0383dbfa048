// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.check.history.Kind;

@Timeout(30)
class StaleCheckTest {
    /** A read is answered empty ten seconds after a message was acknowledged. */
    private static Past stale(Past past) {
        return past.sent(1, 0, "a").wait(10).poll(2, 0).poll(3, 0, "a");
    }

    @Test
    void nothingYetIsSoonNotTrueAnyMore() {
        assertThat(stale(new Past()).failed()).containsExactly("stale poll");
    }

    @Test
    void nothingYetIsTrueAtTheEnd() {
        assertThat(new Past()
                        .sent(1, 0, "a")
                        .poll(3, 0, "a")
                        .wait(10)
                        .poll(3, 1)
                        .failed())
                .isEmpty();
    }

    @Test
    void anAnswerThatWasOnItsWayMayBeOld() {
        assertThat(new Past().sent(1, 0, "a").poll(2, 0).poll(2, 0, "a").failed())
                .isEmpty();
    }

    @Test
    void underAFaultItIsOnlyCounted() {
        Past past = stale(new Past().fault(Kind.FAULT, "pause"));

        assertThat(past.failed()).isEmpty();
        assertThat(Verdict.of(past.operations()).lines())
                .anyMatch(line -> line.contains("'nothing yet': 10.500 s late"));
    }

    @Test
    void soonAfterAFaultItIsOnlyCounted() {
        assertThat(stale(new Past().fault(Kind.FAULT, "pause").fault(Kind.HEAL, "pause"))
                        .failed())
                .isEmpty();
    }

    @Test
    void longAfterAFaultItCountsAgain() {
        Past past =
                new Past().fault(Kind.FAULT, "pause").fault(Kind.HEAL, "pause").wait(40);

        assertThat(stale(past).failed()).containsExactly("stale poll");
    }

    @Test
    void whileOneOfTwoFaultsHoldsItIsOnlyCounted() {
        Past past = new Past()
                .fault(Kind.FAULT, "pause")
                .fault(Kind.FAULT, "cut")
                .fault(Kind.HEAL, "pause")
                .wait(40);

        assertThat(stale(past).failed()).isEmpty();
    }
}

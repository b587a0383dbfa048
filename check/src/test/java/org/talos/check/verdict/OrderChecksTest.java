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
class OrderChecksTest {
    private static Mark bounds(long from, long to) {
        return new Mark(Past.KEY, from, to);
    }

    @Test
    void aProducersPutsLieInItsOrder() {
        Past past = new Past().sent(1, "a").sent(1, "b").poll(2, 0, "b", "a");

        assertThat(past.failed()).containsExactly("non-monotonic send", "real-time order");
    }

    @Test
    void aPutThatBeginsAfterAnothersAnswerLiesBehindIt() {
        Past past = new Past().sent(1, "a").sent(3, "b").poll(2, 0, "b", "a");

        assertThat(past.failed()).containsExactly("real-time order");
    }

    @Test
    void aPutThatMayHaveHappenedLiesBehindWhatWasThereBefore() {
        Past past = new Past().sent(1, "a").send(3, Outcome.INFO, -1, "b").poll(2, 0, "b", "a");

        assertThat(past.failed()).containsExactly("real-time order");
    }

    @Test
    void aLostPutMayLandAnyTimeLater() {
        Past past = new Past().send(1, Outcome.INFO, -1, "a").sent(3, "b").poll(2, 0, "b", "a");

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void putsAtTheSameTimeLieInAnyOrder() {
        Past past = new Past()
                .add(Past.at(1, Kind.SEND, Outcome.OK, 0, 2).with(Past.entries(1, "a")))
                .add(Past.at(3, Kind.SEND, Outcome.OK, 1, 3).with(Past.entries(0, "b")))
                .wait(5)
                .poll(2, 0, "b", "a");

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void aRepetitionLiesWhereTheFirstTryPutIt() {
        Past past = new Past()
                .add(Past.at(1, Kind.SEND, Outcome.OK, 0, 1).sent("p#1", 1).with(Past.entries(0, "a")))
                .add(Past.at(1, Kind.SEND, Outcome.OK, 2, 3).sent("p#2", 1).with(Past.entries(1, "b")))
                .add(Past.at(1, Kind.SEND, Outcome.OK, 4, 5).sent("p#1", 1).with(Past.entries(0, "a")))
                .wait(5)
                .poll(2, 0, "a", "b");

        assertThat(past.failed()).isEmpty();
    }

    private static Operation pipelined(String identity, Outcome outcome, double from, String value) {
        return Past.at(1, Kind.SEND, outcome, from, 5)
                .by(Operation.PIPELINED)
                .sent(identity, 1)
                .with(Past.entries(Entry.UNKNOWN, value));
    }

    @Test
    void behindAPipelinedPutThatIsNotThereNoneOfItsProducerIs() {
        Past past = new Past()
                .add(pipelined("p#1", Outcome.INFO, 0, "a"))
                .add(pipelined("p#2", Outcome.OK, 0.1, "b"))
                .wait(5)
                .poll(2, 0, "b");

        assertThat(past.failed()).containsExactly("gap");
    }

    @Test
    void anotherPipelinedProducerGoesOn() {
        Past past = new Past()
                .add(pipelined("p#1", Outcome.OK, 0, "a"))
                .add(pipelined("p#2", Outcome.FAIL, 0.1, "b"))
                .add(pipelined("q#3", Outcome.OK, 0.2, "c"))
                .wait(5)
                .poll(2, 0, "a", "c");

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void putsUnderWayTogetherLieInTheirOrder() {
        Past past = new Past()
                .add(pipelined("p#1", Outcome.OK, 0, "a"))
                .add(pipelined("p#2", Outcome.OK, 0.1, "b"))
                .wait(5)
                .poll(2, 0, "b", "a");

        assertThat(past.failed()).containsExactly("non-monotonic send");
    }

    @Test
    void anEndDoesNotGoBack() {
        Past past = new Past()
                .mark(9, Kind.OFFSETS, Outcome.OK, bounds(0, 5))
                .mark(8, Kind.OFFSETS, Outcome.OK, bounds(0, 4));

        assertThat(past.failed()).containsExactly("ends go back");
    }

    @Test
    void aStartDoesNotGoBack() {
        Past past = new Past()
                .mark(9, Kind.OFFSETS, Outcome.OK, bounds(3, 5))
                .mark(8, Kind.OFFSETS, Outcome.OK, bounds(2, 5));

        assertThat(past.failed()).containsExactly("ends go back");
    }

    @Test
    void anEndIsBehindWhatWasAcknowledged() {
        Past past = new Past().sent(1, 0, "a").poll(2, 0, "a").mark(9, Kind.OFFSETS, Outcome.OK, bounds(0, 0));

        assertThat(past.failed()).containsExactly("ends go back");
    }

    @Test
    void queriesAtTheSameTimeMaySeeEitherEnd() {
        Past past = new Past()
                .add(Past.at(9, Kind.OFFSETS, Outcome.OK, 0, 2).at(List.of(bounds(0, 5))))
                .add(Past.at(8, Kind.OFFSETS, Outcome.OK, 1, 3).at(List.of(bounds(0, 4))));

        assertThat(past.failed()).isEmpty();
    }
}

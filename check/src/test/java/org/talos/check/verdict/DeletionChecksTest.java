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
class DeletionChecksTest {
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";
    private static final String KEY = "ann#again#" + TOPIC + "/0";

    private static Past deleted(long boundMillis) {
        return created()
                .add(1, Kind.SEND, Outcome.OK, List.of(new Entry(KEY, 0, "a")), List.of())
                .mark(1, Kind.DELETE, Outcome.INFO, Mark.at(KEY, 0))
                .mark(1, Kind.DELETE, Outcome.OK, new Mark(KEY, 0, boundMillis));
    }

    private static Past created() {
        return new Past().mark(1, Kind.CREATE, Outcome.OK, Mark.at(KEY, 0));
    }

    private static Past poll(Past past) {
        return past.mark(2, Kind.ASSIGN, Outcome.OK)
                .add(2, Kind.POLL, Outcome.OK, List.of(new Entry(KEY, 0, "a")), List.of(new Mark(KEY, 0, 1)));
    }

    private static Operation logged(String note, double second) {
        return Past.at(0, Kind.LOGGED, Outcome.INFO, second, second)
                .at(List.of(Mark.at(TOPIC, 0)))
                .noting(note);
    }

    @Test
    void deletedTopicThatIsSilentPassesEveryCheck() {
        Past past = poll(created().add(1, Kind.SEND, Outcome.OK, List.of(new Entry(KEY, 0, "a")), List.of()))
                .mark(1, Kind.DELETE, Outcome.INFO, Mark.at(KEY, 0))
                .mark(1, Kind.DELETE, Outcome.OK, Mark.at(KEY, 0))
                .add(2, Kind.POLL, Outcome.FAIL, List.of(), List.of(new Mark(KEY, 1, 1)))
                .mark(0, Kind.LEFT, Outcome.OK);

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void messageOfADeletedTopicIsServedAfterDeletion() {
        assertThat(poll(deleted(0)).failed()).containsExactly("served after deletion");
    }

    @Test
    void putToADeletedTopicThatIsAcknowledgedIsServedAfterDeletion() {
        Past past = deleted(0).add(3, Kind.SEND, Outcome.OK, List.of(new Entry(KEY, 1, "b")), List.of());

        assertThat(past.failed()).containsExactly("served after deletion");
    }

    @Test
    void anotherServerMayAnswerUntilItHasHeardOfTheDeletion() {
        assertThat(poll(deleted(2_000)).failed()).isEmpty();
        assertThat(poll(deleted(2_000).wait(30)).failed()).containsExactly("served after deletion");
    }

    @Test
    void timeUnderAFaultDoesNotCount() {
        Past past = deleted(2_000).fault(Kind.FAULT, "cut").wait(30).fault(Kind.HEAL, "cut");

        assertThat(poll(past).failed()).isEmpty();
    }

    @Test
    void answerThatWasAskedForBeforeTheDeletionEndedIsNone() {
        Past past = deleted(0).add(Past.at(2, Kind.POLL, Outcome.OK, 2, 9).with(List.of(new Entry(KEY, 0, "a"))));

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void topicThatBeginsWithMessagesIsNotMadeAnew() {
        assertThat(created()
                        .mark(1, Kind.OFFSETS, Outcome.OK, new Mark(KEY, 0, 5))
                        .failed())
                .containsExactly("re-created");
        assertThat(created()
                        .mark(1, Kind.OFFSETS, Outcome.OK, new Mark(KEY, 5, 5))
                        .failed())
                .containsExactly("re-created");
        assertThat(created()
                        .mark(1, Kind.OFFSETS, Outcome.OK, new Mark(KEY, 0, 0))
                        .failed())
                .isEmpty();
    }

    @Test
    void firstMessageBehindTheStartIsNotMadeAnew() {
        Past past = created().add(1, Kind.SEND, Outcome.OK, List.of(new Entry(KEY, 1, "a")), List.of());

        assertThat(past.failed()).containsExactly("unseen", "re-created");
    }

    @Test
    void dataThatIsStillThereInTheEndIsLeftBehind() {
        assertThat(new Past()
                        .mark(0, Kind.LEFT, Outcome.INFO, Mark.at(TOPIC, 0))
                        .failed())
                .containsExactly("left behind");
    }

    @Test
    void stackTraceAboutADeletedTopicIsFound() {
        assertThat(deleted(0).add(logged("not sealed: gone", 9)).failed()).containsExactly("deletion logged as error");
    }

    @Test
    void stackTraceOfAnOutageIsNone() {
        assertThat(deleted(0)
                        .add(logged("not sealed: java.net.ConnectException", 9))
                        .add(logged("java.io.InterruptedIOException: No ack received after 40s", 9))
                        .failed())
                .isEmpty();
    }

    @Test
    void whatTheClientOfHdfsLogsByItselfIsNone() {
        assertThat(deleted(0)
                        .add(logged("WARN  DataStreamer Failed to replace datanode. LeaseExpiredException", 2))
                        .add(logged("WARN  DFSClient Connection failure: ReplicaNotFoundException", 2))
                        .failed())
                .isEmpty();
    }

    @Test
    void fileThatIsGoneIsNoErrorForAServerThatHearsOfItLate() {
        assertThat(deleted(0)
                        .add(logged("not sealed: File does not exist: /talos", 60))
                        .failed())
                .isEmpty();
        assertThat(deleted(0)
                        .add(logged("not sealed: File does not exist: /talos", 9))
                        .failed())
                .containsExactly("deletion logged as error");
    }
}

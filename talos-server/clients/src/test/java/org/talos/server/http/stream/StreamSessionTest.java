// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.talos.server.http.stream.incoming.CloseCode;
import org.talos.server.http.stream.incoming.MessageDecoder;
import org.talos.server.http.stream.incoming.StreamEndException;
import org.talos.server.memory.MemoryBudget;

/** Tests the steps of a stream, without threads: each put answered once and in order, nothing read without credit. */
class StreamSessionTest extends HandDrivenSession {
    @Test
    void putsOfOnePartitionAreUnderWayTogetherAndAnsweredInTheirOrder() throws Exception {
        for (int number = 1; number <= 3; number++) {
            put(0, 0, number);
        }
        List<InFlightPut> begun = begun();
        assertThat(numbers(begun)).containsExactly(1L, 2L, 3L);
        assertThat(writtenNames()).containsExactly("OPENED");

        stored(begun.get(2));
        session.refused(begun.get(1), FAILED);
        assertThat(writtenNames()).isEmpty();
        stored(begun.get(0));

        List<Received> answers = written();
        assertThat(answers).extracting(Received::name).containsExactly("STORED", "REFUSED", "STORED", "CREDIT");
        assertThat(answers.get(0).places()).containsExactly(new Received.Place(0, 1, 10));
        assertThat(answers.get(1).number(8)).isEqualTo(2);
        assertThat(answers.get(2).places()).containsExactly(new Received.Place(0, 3, 30));
        assertThat(budget.used()).isZero();
    }

    @Test
    void putsThatAreStoredTogetherHaveOneAnswer() throws Exception {
        for (int number = 1; number <= 3; number++) {
            put(0, number, number);
        }
        begun().forEach(this::stored);

        List<Received> answers = written();

        assertThat(answers).extracting(Received::name).containsExactly("OPENED", "STORED", "CREDIT");
        assertThat(answers.get(1).places()).hasSize(3);
        assertThat(answers.get(2).integer(4)).isEqualTo(3 * Sent.put(0, 0, 0, "m").length);
        assertThat(delivered).containsExactly(true, true, true);
    }

    @Test
    void putsToAnotherServerGoOneAfterAnother() throws Exception {
        places.here(false);
        put(0, 0, 1);
        put(0, 0, 2);
        put(0, 1, 3);
        List<InFlightPut> first = begun();
        assertThat(numbers(first)).containsExactly(1L, 3L);

        session.refused(first.get(0), FAILED);

        assertThat(numbers(begun())).containsExactly(2L);
    }

    @Test
    void orderedPutWaitsForTheOneInFrontAndIsRefusedWithIt() throws Exception {
        put(0, 0, 1);
        put(Sent.ORDERED, 0, 2);
        put(Sent.ORDERED, 0, 3);
        put(0, 0, 4);
        List<InFlightPut> first = begun();
        assertThat(numbers(first)).containsExactly(1L);

        session.refused(first.get(0), FAILED);

        assertThat(numbers(begun())).containsExactly(4L);
        List<Received> answers = written();
        assertThat(answers)
                .filteredOn(each -> each.name().equals("REFUSED"))
                .extracting(Received::code)
                .containsExactly("storage-failed", "put-before-refused", "put-before-refused");
        assertThat(answers.get(3).bytes()[1]).as("outcome").isZero();
    }

    @Test
    void refusalIsRememberedForAnOrderedPutThatComesAfterItsAnswer() throws Exception {
        put(0, 0, 1);
        session.refused(begun().get(0), FAILED);
        assertThat(writtenNames()).contains("REFUSED");

        put(Sent.ORDERED, 0, 2);

        assertThat(begun()).isEmpty();
        assertThat(written().get(0).code()).isEqualTo("put-before-refused");
    }

    @Test
    void orderedPutsFollowOneAnother() throws Exception {
        put(Sent.ORDERED, 0, 1);
        put(Sent.ORDERED, 0, 2);

        List<InFlightPut> first = begun();
        assertThat(numbers(first)).containsExactly(1L);
        stored(first.get(0));

        assertThat(numbers(begun())).containsExactly(2L);
    }

    @Test
    void putBeyondTheCreditEndsTheStreamAndCreditComesWithTheAnswer() throws Exception {
        byte[] half = Sent.put(0, 0, 1, "m".repeat(WINDOW / 2));
        send(half);
        assertThatThrownBy(() -> send(half))
                .isInstanceOfSatisfying(
                        StreamEndException.class, e -> assertThat(e.code()).isEqualTo(CloseCode.NOT_ALLOWED));

        decoder = new MessageDecoder(session);
        begun().forEach(this::stored);
        assertThat(writtenNames()).contains("CREDIT");
        send(half);
        assertThat(begun()).hasSize(1);
    }

    @Test
    void messagesGoWhereTheirKeyOrTheirNumberBelongs() throws Exception {
        send(Sent.putMessage(0, -1, 6, "", "m"));
        send(Sent.putMessage(0, -1, 6, "3", "m"));
        send(Sent.putMessage(0, 1, 6, "3", "m"));

        assertThat(begun()).extracting(InFlightPut::partition).containsExactly(2, 3, 1);
    }

    @Test
    void putsThatHaveNoPlaceAreRefusedAtOnce() throws Exception {
        put(0, 9, 1);
        send(Sent.putMessage(0, -1, 2, "none", "m"));

        assertThat(begun()).isEmpty();
        List<Received> answers = written();
        assertThat(answers.get(1).code()).isEqualTo("partition-not-exist");
        assertThat(answers.get(2).code()).isEqualTo("bad-request");
        assertThat(answers.get(2).integer(4)).isEqualTo(-1);
        assertThat(budget.used()).isZero();
    }

    /** The client knows of the partition before this server does, and repeats what was refused. */
    @Test
    void orderedPutIsRefusedBehindOneWhosePartitionWasNotThereYet() throws Exception {
        put(0, 4, 1);
        places.grow();
        put(Sent.ORDERED, 4, 2);
        put(Sent.ORDERED, 4, 3);

        assertThat(begun()).isEmpty();
        List<Received> answers = written();
        assertThat(answers.get(1).code()).isEqualTo("partition-not-exist");
        assertThat(answers.get(2).code()).isEqualTo("put-before-refused");
        assertThat(answers.get(3).code()).isEqualTo("put-before-refused");

        put(0, 4, 1);
        put(Sent.ORDERED, 4, 2);
        List<InFlightPut> first = begun();
        assertThat(numbers(first)).containsExactly(1L);
        first.forEach(this::stored);
        assertThat(numbers(begun())).containsExactly(2L);
    }

    @Test
    void tokenPutsNothing() throws Exception {
        session = session(false);
        decoder = new MessageDecoder(session);
        put(0, 0, 1);

        assertThat(begun()).isEmpty();
        assertThat(written().get(1).code()).isEqualTo("permission-denied-error");
    }

    @Test
    void nothingIsReadWithoutCreditAndWhatWasGrantedIsUsed() throws Exception {
        send(Sent.subscribe(0, 0));
        StreamWork.Read read = nextRead();
        found(read, 9, block(0, 1, WINDOW - BLOCK_HEAD));
        assertThat(session.nextWork()).isNull();
        assertThat(writtenNames()).containsExactly("OPENED", "BLOCK");
        assertThat(session.nextWork()).isNull();

        send(Sent.credit(1_000));

        assertThat(nextRead())
                .extracting(StreamWork.Read::offset, StreamWork.Read::maxBytes)
                .containsExactly(1L, 1_000L);
    }

    @Test
    void blockBeyondTheCreditIsReadAgainOnceThereIsEnough() throws Exception {
        send(Sent.subscribe(0, 0));
        found(nextRead(), 9, block(0, 1, 60_000), block(1, 1, 60_000));
        assertThat(writtenNames()).containsExactly("OPENED", "BLOCK");
        assertThat(session.nextWork()).isNull();
        send(Sent.credit(10_000));
        assertThat(session.nextWork()).isNull();

        send(Sent.credit(60_000));

        StreamWork.Read again = nextRead();
        assertThat(again.offset()).isEqualTo(1);
        found(again, 9, block(1, 1, 60_000));
        assertThat(writtenNames()).containsExactly("BLOCK");
    }

    @Test
    void readerAtTheEndWaitsAndTakesNoCreditFromOthers() throws Exception {
        send(Sent.subscribe(0, 5));
        found(nextRead(), 5);
        StreamWork.Read waiting = nextRead();
        assertThat(waiting.waits()).isTrue();
        send(Sent.subscribe(1, 0));

        assertThat(nextRead())
                .extracting(StreamWork.Read::waits, StreamWork.Read::maxBytes)
                .containsExactly(false, (long) WINDOW);
        found(waiting, 6, block(5, 1, 100));
        assertThat(session.nextWork()).isNull(); // all credit is with the other read
        assertThat(writtenNames()).containsExactly("OPENED");
    }

    @Test
    void blockLargerThanTheWindowEndsTheSubscriptionOnceWithItsOffsets() throws Exception {
        send(Sent.subscribe(0, 0));
        found(nextRead(), 20, block(0, 10, 100), block(10, 10, WINDOW));

        List<Received> sent = written();
        assertThat(sent).extracting(Received::name).containsExactly("OPENED", "BLOCK", "ENDED");
        assertThat(sent.get(2).code()).isEqualTo("larger-than-window");
        assertThat(sent.get(2).problem().get("first").longValue()).isEqualTo(10);
        assertThat(sent.get(2).problem().get("skip").longValue()).isEqualTo(20);
        assertThat(session.nextWork()).isNull();
        assertThat(budget.used()).isZero();
    }

    @Test
    void subscriptionBeginsWhereItWasAskedFor() throws Exception {
        send(Sent.subscribe(0, -2));
        StreamWork.FindEnd find = (StreamWork.FindEnd) Objects.requireNonNull(session.nextWork());
        session.endFound(find.subscription(), 7);
        assertThat(nextRead())
                .extracting(StreamWork.Read::offset, StreamWork.Read::waits)
                .containsExactly(7L, true);

        send(Sent.subscribe(1, 3));
        found(nextRead(), 9, block(0, 9, 100));
        List<Received> sent = written();
        assertThat(List.of(
                        sent.get(1).number(8),
                        sent.get(1).number(16),
                        sent.get(1).number(24)))
                .containsExactly(0L, 3L, 9L);
    }

    @Test
    void whatIsReadForAnEndedSubscriptionIsDropped() throws Exception {
        send(Sent.subscribe(0, 0));
        StreamWork.Read read = nextRead();
        send(Sent.unsubscribe(0));

        found(read, 9, block(0, 9, 100));

        assertThat(writtenNames()).containsExactly("OPENED");
        assertThat(session.nextWork()).isNull();
        assertThat(budget.used()).isZero();
    }

    @Test
    void readThatFailsEndsTheSubscription() throws Exception {
        send(Sent.subscribe(0, 0));
        session.readFailed(nextRead().subscription(), FAILED);

        assertThat(written().get(1).code()).isEqualTo("storage-failed");
        assertThat(session.nextWork()).isNull();
        assertThat(budget.used()).isZero();
    }

    @Test
    void moreSubscriptionsThanTheBoundEndTheStream() throws Exception {
        MemoryBudget large = new MemoryBudget(64 << 20);
        session = session(new StreamTerms(WINDOW, WINDOW, 4, true), large);
        decoder = new MessageDecoder(session);
        for (int i = 0; i < 1_000; i++) {
            send(Sent.subscribe(i, 0));
        }
        send(Sent.subscribe(999, 5)); // moves one

        assertThatThrownBy(() -> send(Sent.subscribe(1_000, 0)))
                .isInstanceOfSatisfying(
                        StreamEndException.class, e -> assertThat(e.code()).isEqualTo(CloseCode.NOT_ALLOWED));
    }

    @Test
    void serverThatStopsAnswersWhatIsUnderWayAndBeginsNothing() throws Exception {
        put(0, 0, 1);
        List<InFlightPut> begun = begun();
        put(0, 0, 2);
        send(Sent.subscribe(0, 0));

        session.stop(250);

        assertThat(session.nextWork()).isNull();
        assertThat(written())
                .filteredOn(each -> each.name().equals("MOVE"))
                .extracting(each -> each.integer(4))
                .containsExactly(250);
        assertThat(session.hasMoved()).isFalse();
        stored(begun.get(0));
        List<Received> last = written();
        assertThat(last).extracting(Received::name).containsExactly("STORED", "REFUSED", "CREDIT");
        assertThat(last.get(1).code()).isEqualTo("partition-not-serving");
        assertThat(session.hasMoved()).isTrue();
    }

    @Test
    void putThatIsRefusedWhenItComesIsAnsweredBehindThoseBeforeIt() throws Exception {
        put(0, 0, 1);
        InFlightPut first = begun().get(0);
        places.delete();
        put(0, 0, 2);
        put(0, 1, 3);
        assertThat(begun()).isEmpty();
        assertThat(writtenNames()).containsExactly("OPENED", "REFUSED", "CREDIT");

        stored(first);
        assertThat(begun()).isEmpty();

        List<Received> answers = written();
        assertThat(answers).extracting(Received::name).containsExactly("STORED", "REFUSED", "CREDIT");
        assertThat(answers.get(1).number(8)).isEqualTo(2);
        assertThat(answers.get(1).code()).isEqualTo("topic-not-exist");
        assertThat(budget.used()).isZero();
    }
}

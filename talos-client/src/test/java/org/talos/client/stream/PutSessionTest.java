// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RoutedCalls;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** What a producer's puts do on streams: time and events by hand. */
@Timeout(60)
class PutSessionTest {
    private static final int WINDOW = 1_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private long nowNanos;
    private Duration repeated = Duration.ofMinutes(2);
    private final List<PutLink> opened = new ArrayList<>();
    private final List<String> sent = new ArrayList<>();
    private final List<String> called = new ArrayList<>();
    private final Map<Long, Runnable> calls = new HashMap<>();
    private final List<String> ended = new ArrayList<>();
    private final List<String> aborted = new ArrayList<>();
    private PutSession session = session(false);

    private PutSession session(boolean gapless) {
        return new PutSession(new HandDriven(), routes(), "orders", TIMEOUT, gapless, new SplittableRandom(1));
    }

    /** Notes what the session does. Confined: the test. */
    private final class HandDriven implements PutSession.Ground {
        @Override
        public long nanos() {
            return nowNanos;
        }

        @Override
        public void open(PutLink link) {
            opened.add(link);
            link.connect(new Way() {
                @Override
                public void send(ByteBuffer... parts) {
                    String ordered = parts[0].get(1) == 1 ? " ordered" : "";
                    sent.add(link.server().getHost() + " " + parts[0].getLong(8) + ordered);
                }

                @Override
                public void ping() {
                    throw new AssertionError("a ping");
                }

                @Override
                public void close() {
                    aborted.add("closed");
                }

                @Override
                public void abort(String why) {
                    aborted.add(why);
                }
            });
        }

        @Override
        public void call(PendingPut put, Runnable done) {
            called.add("call " + put.number);
            calls.put(put.number, done);
        }

        @Override
        public void end(PendingPut put, @Nullable CallFailure failure) {
            CallFailure ending = failure == null ? null : put.ending(failure);
            String how = ending == null ? "stored" : ending.code() + (ending.surelyNotDone() ? "" : " unknown");
            ended.add(put.number + " " + how);
        }
    }

    private RoutedCalls routes() {
        return TwoServers.routes(() -> nowNanos, TIMEOUT, new RoutedCalls.CallListener() {
            @Override
            public void tried(String method, URI server, Duration took, @Nullable CallFailure failure) {
                assertThat(method).isEqualTo("putMessage");
            }

            @Override
            public void repeating(String method, CallFailure failure, Duration pause) {
                assertThat(pause).isPositive();
            }
        });
    }

    private void put(int partition, long number) {
        put(partition, number, 10);
    }

    private void put(int partition, long number, int bytes) {
        hand(numbered(partition, number, bytes));
    }

    /** Hands a put over: now, or again. */
    private void hand(NumberedPut put) {
        long end = nowNanos + Duration.ofMinutes(2).toNanos();
        session.put(new PendingPut(put, nowNanos + repeated.toNanos(), end));
    }

    private static NumberedPut numbered(int partition, long number, int bytes) {
        ByteBuffer block = ByteBuffer.wrap("x".repeat(bytes).getBytes(UTF_8));
        return new NumberedPut(
                "shop-7",
                new PartitionRef("orders", "me#orders#1", partition),
                new MessageBlock(0, 1, MessageCompressionType.NONE, block),
                number);
    }

    private PutLink link() {
        return opened.get(opened.size() - 1);
    }

    private PutLink open() {
        session.received(link(), new ServerMessage.Opened(WINDOW, WINDOW, 4));
        return link();
    }

    private void stored(PutLink link, int partition, long number) {
        session.received(link, new ServerMessage.Stored(List.of(new ServerMessage.Place(partition, number, 0))));
    }

    private void refused(PutLink link, int partition, long number, String code, int status) {
        StreamProblem problem = new StreamProblem(Map.of("code", code, "status", Integer.toString(status)));
        session.received(link, new ServerMessage.Refused(true, partition, number, problem));
    }

    private void pass(Duration time) {
        nowNanos += time.toNanos();
        session.tick();
    }

    @Test
    void putsOfAPartitionAreOrderedBehindTheFirstInFlight() {
        put(0, 1);
        put(0, 2);
        put(1, 3);
        assertThat(sent).isEmpty();

        PutLink link = open();
        put(0, 4);

        assertThat(sent).containsExactlyInAnyOrder("a 1", "a 2 ordered", "a 3", "a 4 ordered");
        stored(link, 0, 1);
        stored(link, 0, 2);
        stored(link, 0, 4);
        put(0, 5);
        assertThat(sent).endsWith("a 5");
        assertThat(ended).containsExactly("1 stored", "2 stored", "4 stored");
        assertThat(called).isEmpty();
    }

    @Test
    void nothingIsSentBehindARefusedPutUntilThoseInFlightHaveComeBack() {
        put(0, 1);
        put(0, 2);
        PutLink link = open();
        sent.clear();

        refused(link, 0, 1, "throttle-reject-error", 429);
        pass(Duration.ofSeconds(1)); // the pause before it is repeated
        put(0, 3);
        assertThat(sent).isEmpty();
        refused(link, 0, 2, "put-before-refused", 409);

        assertThat(sent).containsExactly("a 1", "a 2 ordered", "a 3 ordered");
        assertThat(ended).isEmpty();
    }

    @Test
    void putThatIsRefusedForGoodFailsAndThoseBehindItAreSentAgain() {
        put(0, 1);
        put(0, 2);
        PutLink link = open();
        sent.clear();

        refused(link, 0, 1, "permission-denied-error", 403);
        refused(link, 0, 2, "put-before-refused", 409);

        assertThat(ended).containsExactly("1 PERMISSION_DENIED_ERROR");
        assertThat(sent).containsExactly("a 2");
    }

    @Test
    void whatABrokenStreamLeftUnansweredIsSentAgainInFrontOfTheRest() {
        put(0, 1);
        put(0, 2);
        put(1, 3);
        PutLink link = open();
        stored(link, 1, 3);
        sent.clear();

        session.over(link, new EOFException("cut"));
        put(1, 4);
        put(0, 5);

        assertThat(opened).hasSize(2); // at the other server, where none has failed
        assertThat(link().server()).isEqualTo(TwoServers.B);
        open();
        assertThat(sent).hasSize(4).contains("b 4").containsSubsequence("b 1", "b 2 ordered", "b 5 ordered");
        assertThat(called).isEmpty();
    }

    @Test
    void unansweredPutsWaitForAStreamWhileOthersGoByCallsAndFailAsUnknown() {
        put(0, 1);
        PutLink link = open();
        session.over(link, new EOFException("cut"));
        session.over(link(), new UpgradeRefusedException(404, Map.of(), ""));
        put(1, 2);
        assertThat(called).containsExactly("call 2");
        assertThat(ended).isEmpty();

        pass(Duration.ofMinutes(2));

        assertThat(ended).containsExactly("1 CONNECTION unknown");
    }

    @Test
    void serversWithoutStreamsAreAskedAgainMuchLater() {
        put(0, 1);
        session.over(link(), new UpgradeRefusedException(426, Map.of(), ""));
        assertThat(called).containsExactly("call 1");
        calls.getOrDefault(1L, () -> {}).run();
        int before = opened.size();

        nowNanos += Duration.ofSeconds(14).toNanos();
        put(0, 2);
        calls.getOrDefault(2L, () -> {}).run();
        assertThat(opened).hasSize(before);
        nowNanos += Duration.ofSeconds(17).toNanos();
        put(0, 3);

        assertThat(opened).hasSize(before + 1);
        assertThat(called).containsExactly("call 1", "call 2");
    }

    @Test
    void putWaitsForCreditAndALargerOneThanTheLargestGoesByACallAlone() {
        put(0, 1, 500);
        put(0, 2, 500);
        put(0, 3, 2_000);
        put(0, 4);
        PutLink link = open();
        assertThat(sent).containsExactly("a 1");

        stored(link, 0, 1);
        session.received(link, new ServerMessage.Credit(532));
        assertThat(sent).containsExactly("a 1", "a 2");
        stored(link, 0, 2);

        assertThat(called).containsExactly("call 3");
        session.received(link, new ServerMessage.Credit(532));
        assertThat(sent).hasSize(2);
        calls.getOrDefault(3L, () -> {}).run();
        assertThat(sent).containsExactly("a 1", "a 2", "a 4");
    }

    @Test
    void serverThatGrantsNoCreditIsLeft() {
        put(0, 1, 900);
        put(0, 2, 900);
        PutLink link = open();
        stored(link, 0, 1);

        pass(TIMEOUT.minusSeconds(1));
        assertThat(aborted).isEmpty();
        pass(Duration.ofSeconds(2));

        assertThat(aborted).containsExactly("nothing was answered within PT10S");
        session.over(link, new IOException(aborted.get(0)));
        assertThat(opened).hasSize(2);
    }

    @Test
    void serverThatOpensTheConnectionAndNotTheStreamIsLeft() {
        put(0, 1);

        pass(TIMEOUT.multipliedBy(2).plusSeconds(1));

        assertThat(aborted).hasSize(1);
    }

    @Test
    void serverThatStopsGetsNothingMoreAndTheNextStreamIsOpenedElsewhereAfterItsTime() {
        put(0, 1);
        put(1, 2);
        PutLink link = open();

        session.received(link, new ServerMessage.Move(500));
        put(0, 3);
        refused(link, 1, 2, "partition-not-serving", 503);
        stored(link, 0, 1);
        assertThat(opened).hasSize(1);
        assertThat(called).containsExactly("call 3");
        session.over(link, new StreamClosedException(1012, ""));
        pass(Duration.ofMillis(501));
        put(2, 4);

        assertThat(opened).hasSize(2);
        assertThat(link().server()).isEqualTo(TwoServers.B);
    }

    @Test
    void streamThatIsToMoveIsClosedOnceAllIsAnswered() {
        put(0, 1);
        PutLink link = open();

        session.received(link, new ServerMessage.Move(500));
        assertThat(aborted).isEmpty();
        stored(link, 0, 1);

        assertThat(aborted).containsExactly("closed");
    }

    @Test
    void putThatAStreamMayHaveStoredGoesByNoCallWhenItIsHandedOverAgain() {
        NumberedPut put = numbered(0, 1, 10);
        repeated = Duration.ZERO;
        hand(put);
        session.over(open(), new EOFException("cut"));
        assertThat(ended).containsExactly("1 CONNECTION unknown");

        hand(put);
        session.over(link(), new UpgradeRefusedException(404, Map.of(), ""));
        assertThat(called).isEmpty();
        pass(Duration.ofSeconds(31)); // until the other server is asked for a stream again
        open();

        assertThat(sent).containsExactly("a 1", "b 1");
        assertThat(called).isEmpty();
    }

    @Test
    void putThatWasStoredByAStreamGoesByNoCallWhenItIsHandedOverAgain() {
        NumberedPut put = numbered(0, 1, 10);
        hand(put);
        PutLink link = open();
        stored(link, 0, 1);
        session.over(link, new EOFException("cut"));
        put(1, 2);
        session.over(link(), new UpgradeRefusedException(404, Map.of(), ""));
        session.over(link(), new UpgradeRefusedException(404, Map.of(), ""));
        assertThat(called).containsExactly("call 2");

        hand(put);

        assertThat(called).containsExactly("call 2");
    }

    @Test
    void putThatWasCalledIsCalledWhenItIsHandedOverAgain() {
        NumberedPut put = numbered(0, 1, 10);
        hand(put);
        session.over(link(), new UpgradeRefusedException(404, Map.of(), ""));
        calls.getOrDefault(1L, () -> {}).run();
        pass(Duration.ofMinutes(1));
        put(0, 2);
        open();

        hand(put);
        assertThat(called).hasSize(1);
        stored(link(), 0, 2);

        assertThat(called).containsExactly("call 1", "call 1");
        assertThat(sent).containsExactly("a 2");
    }

    @Test
    void putThatMayNotBeRepeatedFailsWhenItIsRefusedOrCut() {
        repeated = Duration.ZERO;
        put(0, 1);
        put(1, 2);
        put(0, 3);
        PutLink link = open();

        refused(link, 0, 1, "throttle-reject-error", 429);
        refused(link, 0, 3, "put-before-refused", 409);
        session.over(link, new EOFException("cut"));

        assertThat(ended)
                .containsExactlyInAnyOrder("1 THROTTLE_REJECT_ERROR", "2 CONNECTION unknown", "3 CONNECTION unknown");
    }

    @Test
    void nothingIsStoredBehindAFailedPutWithoutGaps() {
        session = session(true);
        put(0, 1);
        put(0, 2);
        put(1, 3);
        put(0, 4, 950);
        PutLink link = open();
        sent.clear();

        refused(link, 0, 1, "permission-denied-error", 403);
        put(0, 5);
        refused(link, 0, 2, "put-before-refused", 409);
        put(1, 6);

        assertThat(ended)
                .containsExactlyInAnyOrder("1 PERMISSION_DENIED_ERROR", "4 CONNECTION", "5 CONNECTION", "2 CONNECTION");
        assertThat(sent).containsExactly("a 6 ordered");
    }

    @Test
    void nothingIsStoredBehindAPutOfUnknownOutcomeWithoutGaps() {
        session = session(true);
        repeated = Duration.ZERO;
        put(0, 1);
        put(0, 2, 950);

        session.over(open(), new EOFException("cut"));

        assertThat(ended).containsExactly("1 CONNECTION unknown", "2 CONNECTION");
    }

    @Test
    void closingSaysGoodbyeAndFailsWhatIsUnderWay() {
        put(0, 1);
        put(1, 2, 950);
        open();

        session.close();
        put(0, 3);

        assertThat(aborted).containsExactly("closed");
        assertThat(ended).containsExactly("1 CLOSED unknown", "2 CLOSED", "3 CLOSED");
        assertThat(session.isBusy()).isFalse();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a producer's puts on streams, with time and events by hand. */
@Timeout(60)
class PutSessionTest extends HandDrivenPuts {
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
        pass(ELSEWHERE);
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
        pass(ELSEWHERE);
        session.over(link(), new UpgradeRefusedException(404, Map.of(), ""));
        put(1, 2);
        assertThat(called).containsExactly("call 2");
        assertThat(ended).isEmpty();

        pass(Duration.ofMinutes(2));

        assertThat(ended).containsExactly("1 CONNECTION unknown");
    }

    @Test
    void putThatWaitsWithTooLittleTimeForATryIsNeverSent() {
        put(0, 1);

        pass(Duration.ofMinutes(2).minusMillis(50));
        open();

        assertThat(ended).containsExactly("1 CONNECTION");
        assertThat(sent).isEmpty();
    }

    @Test
    void putInFlightHasAllOfItsTime() {
        put(0, 1);
        PutLink link = open();

        pass(Duration.ofMinutes(2).minusMillis(50));
        assertThat(ended).isEmpty();
        stored(link, 0, 1);

        assertThat(ended).containsExactly("1 stored");
    }

    @Test
    void putWithAnIdentityOfTheProgramGoesByACallBetweenTheOthers() {
        put(0, 1);
        PutLink link = open();
        hand(numbered(0, 2, 10).named("row-17"));
        put(0, 3);
        assertThat(called).isEmpty();

        stored(link, 0, 1);
        assertThat(called).containsExactly("call 2");
        assertThat(sent).containsExactly("a 1");
        calls.getOrDefault(2L, () -> {}).run();

        assertThat(sent).containsExactly("a 1", "a 3");
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
        assertThat(called).containsExactly("call 2"); // until another server may be asked for a stream
        pass(ELSEWHERE);
        put(1, 3);
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
        pass(ELSEWHERE);
        session.over(link(), new UpgradeRefusedException(404, Map.of(), ""));
        assertThat(called).isEmpty();
        pass(Duration.ofSeconds(31)); // until the other server is asked for a stream again
        open();

        assertThat(sent).containsExactly("a 1", "b 1");
        assertThat(called).isEmpty();
    }

    @Test
    void putThatAStreamMayHaveStoredIsUnknownWhenItCanNotBeRepeated() {
        NumberedPut put = numbered(0, 1, 10);
        repeated = Duration.ZERO;
        hand(put);
        session.over(open(), new EOFException("cut"));
        ended.clear();

        hand(put);
        pass(Duration.ofMinutes(3));

        assertThat(ended).containsExactly("1 CONNECTION unknown");
    }

    @Test
    void putThatWasStoredByAStreamGoesByNoCallWhenItIsHandedOverAgain() {
        NumberedPut put = numbered(0, 1, 10);
        hand(put);
        PutLink link = open();
        stored(link, 0, 1);
        session.over(link, new EOFException("cut"));
        pass(ELSEWHERE);
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
    void putInFlightMayBeStoredUntilTheServerSaysThatItIsNot() {
        NumberedPut first = numbered(0, 1, 10);
        NumberedPut second = numbered(0, 2, 10);
        hand(first);
        hand(second);
        assertThat(first.isMaybeOnStream()).isFalse();

        PutLink link = open();
        assertThat(List.of(first, second)).allMatch(NumberedPut::isMaybeOnStream);
        refused(link, 0, 1, "throttle-reject-error", 429);
        refused(link, 0, 2, "put-before-refused", 409);
        assertThat(List.of(first, second)).noneMatch(NumberedPut::isMaybeOnStream);
        pass(Duration.ofSeconds(5));
        session.over(link, new EOFException("cut"));

        assertThat(List.of(first, second)).allMatch(NumberedPut::isMaybeOnStream);
    }

    @Test
    void clientsOfAServerThatHasDiedComeToTheOthersOneAfterAnother() {
        Set<Long> waits = new HashSet<>();
        for (int seed = 0; seed < 10; seed++) {
            opened.clear();
            session = new PutSession(new HandDriven(), routes(), "orders", TIMEOUT, false, new SplittableRandom(seed));
            put(0, 1);
            session.over(open(), new EOFException("killed"));
            long waited = 0;
            for (; opened.size() < 2; waited += 50) {
                pass(Duration.ofMillis(50));
            }
            assertThat(link().server()).isEqualTo(TwoServers.B);
            waits.add(waited);
        }

        assertThat(waits).hasSizeGreaterThan(4).allMatch(each -> each <= ELSEWHERE.toMillis());
    }
}

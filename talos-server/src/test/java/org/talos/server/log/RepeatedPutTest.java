// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.log.LogFixture.append;
import static org.talos.server.log.LogFixture.block;
import static org.talos.server.log.LogFixture.put;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.testing.MemorySegmentStore;
import org.talos.server.testing.MemorySegmentStore.Gate;

@Timeout(30)
class RepeatedPutTest {
    private final LogFixture fixture = new LogFixture();

    private static Put reused(String bytes) {
        return new Put("go#1", Put.Origin.REPEATED, List.of(block(1, bytes)));
    }

    @Test
    void repetitionIsAnsweredWithTheFirstOffset() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("other"));
        append(log, put("a"));

        assertThat(append(log, put("a")).firstOffset()).isCompletedWithValue(1L);
        assertThat(log.durableEnd()).isEqualTo(2);
    }

    /** It was abandoned while it waited for its place: the next one is that put again all the same. */
    @Test
    void repetitionThatIsAbandonedBeforeItHasItsPlaceLeavesThePutUnanswered() throws Exception {
        PartitionLog log = fixture.open();
        append(log, reused("a")).unanswered();
        fixture.store.holdReservations();
        append(log, reused("a")).unanswered();
        PutTicket third = append(log, reused("a"));

        fixture.store.grantReservations();

        assertThat(third.firstOffset()).isCompletedWithValue(0L);
        assertThat(log.durableEnd()).isEqualTo(1);
    }

    /** Else repetitions alone would take all the memory that there is for appends, and no put be taken any more. */
    @Test
    void repetitionLeavesNoMemoryReserved() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));

        append(log, put("a"));

        assertThat(fixture.store.reservedBytes()).isZero();
    }

    @Test
    void memoryThatIsGrantedOnceTheLogIsGoneIsGivenBack() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        fixture.store.holdReservations();
        PutTicket late = append(log, put("b"));
        log.discard();

        fixture.store.grantReservations();

        assertThat(late.firstOffset()).isCompletedExceptionally();
        assertThat(fixture.store.reservedBytes()).isZero();
    }

    @Test
    void memoryOfARepetitionThatIsNeverComparedIsGivenBack() throws Exception {
        append(fixture.open(), put("a"));
        List<Runnable> elsewhere = new ArrayList<>();
        PartitionLog log = fixture.open();
        append(log, put("b"));
        fixture.openings = elsewhere::add;
        PutTicket repeated = append(log, put("a"));
        assertThat(fixture.store.reservedBytes()).isPositive();

        log.discard();
        elsewhere.forEach(Runnable::run);

        assertThat(repeated.firstOffset()).isCompletedExceptionally();
        assertThat(fixture.store.reservedBytes()).isZero();
    }

    private static Put keyed(String key, String digest, String bytes) {
        return new Put(new Put.Key(key, digest).sequenceId(), Put.Origin.UNIQUE, List.of(block(1, bytes)));
    }

    /** A key is enough, whatever time the second try carries; also after the log was opened again. */
    @Test
    void repetitionOfAKeyIsRecognisedByTheKeyAloneAndOutlivesTheServer() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("other"));
        append(log, keyed("k", "d", "made at one"));

        assertThat(append(log, keyed("k", "d", "made at two")).firstOffset()).isCompletedWithValue(1L);
        log.close();
        PartitionLog reopened = fixture.open();
        assertThat(append(reopened, keyed("k", "d", "made at three")).firstOffset())
                .isCompletedWithValue(1L);
        assertThat(reopened.durableEnd()).isEqualTo(2);
    }

    @Test
    void keyUsedForAnotherPutIsRefusedAndTakesNoOffset() throws Exception {
        PartitionLog log = fixture.open();
        append(log, keyed("k", "d", "a"));

        assertThat(append(log, keyed("k", "other", "b")).firstOffset())
                .isCompletedExceptionally()
                .failsWithin(java.time.Duration.ZERO)
                .withThrowableThat()
                .withMessageContaining("was used for another put");
        assertThat(append(log, put("next")).firstOffset()).isCompletedWithValue(1L);
    }

    @Test
    void repetitionOfAPutInFlightWaitsForIt() throws Exception {
        PartitionLog log = fixture.open();
        fixture.store.holdFlushes();
        append(log, put("a"));
        PutTicket again = append(log, put("a"));

        assertThat(again.firstOffset()).isNotDone();
        fixture.store.releaseFlushes();
        assertThat(again.firstOffset()).isCompletedWithValue(0L);
        assertThat(log.durableEnd()).isEqualTo(1);
    }

    /**
     * Checks that puts continue while a repetition is compared with storage, because its first put is older than the
     * opening.
     */
    @Test
    void comparingARepetitionWithStorageHoldsNoAcknowledgementUp() throws Exception {
        append(fixture.open(), put("a"));
        PartitionLog log = fixture.open();
        fixture.store.holdFlushes();
        PutTicket inFlight = append(log, put("b"));
        Gate gate = new Gate();
        fixture.store.gateReads(gate);
        CompletableFuture<PutTicket> repeated = CompletableFuture.supplyAsync(() -> append(log, put("a")));
        gate.awaitCaller();

        CompletableFuture<Void> flushed = CompletableFuture.runAsync(fixture.store::releaseFlushes);

        assertThat(inFlight.firstOffset().get(5, TimeUnit.SECONDS)).isEqualTo(1);
        gate.open();
        flushed.join();
        assertThat(repeated.join().firstOffset()).isCompletedWithValue(0L);
        assertThat(log.durableEnd()).isEqualTo(2);
    }

    @Test
    void putThatCannotBeComparedNowIsRefusedAndNotStoredTwice() throws Exception {
        append(fixture.open(), put("a"));
        PartitionLog log = fixture.open();
        append(log, put("b"));
        fixture.store.failReads(MemorySegmentStore.failure(Reason.UNAVAILABLE, Effect.NONE, "no DataNode"));

        PutTicket repeated = append(log, put("a"));

        assertThat(repeated.firstOffset())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.effect()).isEqualTo(Effect.NONE));
        assertThat(log.durableEnd()).isEqualTo(2);
        fixture.store.failReads(null);
        assertThat(append(log, put("a")).firstOffset()).isCompletedWithValue(0L);
        assertThat(append(log, put("c")).firstOffset()).isCompletedWithValue(2L);
    }

    /** Callers are threads that many connections wait for. */
    @Test
    void callerDoesNotReadStorageToCompareARepetition() throws Exception {
        append(fixture.open(), put("a"));
        List<Runnable> elsewhere = new ArrayList<>();
        PartitionLog log = fixture.open();
        append(log, put("b"));
        fixture.openings = elsewhere::add;
        Gate gate = new Gate();
        fixture.store.gateReads(gate);

        PutTicket repeated = append(log, put("a"));

        assertThat(repeated.firstOffset()).isNotDone();
        gate.open();
        elsewhere.forEach(Runnable::run);
        assertThat(repeated.firstOffset()).isCompletedWithValue(0L);
    }

    @Test
    void repetitionInOneBatchIsRecognisedAndWaitsForItsFlush() throws Exception {
        PartitionLog log = fixture.open();
        fixture.store.holdFlushes();
        append(log, put("before"));

        List<PutTicket> tickets = log.append(List.of(put("a"), put("a")));

        assertThat(tickets).noneMatch(ticket -> ticket.firstOffset().isDone());
        fixture.store.releaseFlushes();
        assertThat(tickets)
                .allSatisfy(ticket -> assertThat(ticket.firstOffset()).isCompletedWithValue(1L));
        assertThat(log.durableEnd()).isEqualTo(2);
    }

    @Test
    void sameNumberWithOtherContentIsAnotherPut() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("p#1", block(1, "a")));
        append(log, put("p#1", block(1, "b")));
        append(log, put("p#1", block(2, "a")));

        assertThat(log.durableEnd()).isEqualTo(4);
    }

    @Test
    void equalPutOfAReusedNumberIsANewPutAfterASuccess() throws Exception {
        PartitionLog log = fixture.open();
        append(log, reused("a"));

        append(log, reused("a"));

        assertThat(log.durableEnd()).isEqualTo(2);
    }

    @Test
    void equalPutOfAReusedNumberIsARepetitionAfterAFailedAnswerAndOnlyOnce() throws Exception {
        PartitionLog log = fixture.open();
        append(log, reused("a")).unanswered();

        assertThat(append(log, reused("a")).firstOffset()).isCompletedWithValue(0L);
        assertThat(log.durableEnd()).isEqualTo(1);
        append(log, reused("a")); // the repetition was answered: this one is meant
        assertThat(log.durableEnd()).isEqualTo(2);
    }

    /** Nothing says that they are one: a client without ids may mean both. */
    @Test
    void equalPutsWithoutAnIdAreTwoAlsoIfTheFirstWasNotAnswered() throws Exception {
        PartitionLog log = fixture.open();
        Put nameless = new Put("", Put.Origin.REPEATED, List.of(block(1, "a")));
        append(log, nameless).unanswered();

        append(log, nameless);

        assertThat(log.durableEnd()).isEqualTo(2);
    }

    @Test
    void windowIsKnownAgainAfterOpening() throws Exception {
        Put several = put("p#1", block(1, "a"), block(2, "b"));
        append(fixture.open(), several);
        append(fixture.open(), put("in a segment of its own"));

        PartitionLog log = fixture.open();

        assertThat(append(log, several).firstOffset()).isCompletedWithValue(0L);
        assertThat(log.durableEnd()).isEqualTo(4);
    }

    @Test
    void reusedNumbersAreNewPutsAfterOpening() throws Exception {
        append(fixture.open(), reused("a")).unanswered();

        PartitionLog log = fixture.open();
        append(log, reused("a"));

        assertThat(log.durableEnd()).isEqualTo(2);
    }

    @Test
    void windowForgetsByAge() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        fixture.millis += 5 * 60_000 + 1;

        append(log, put("a"));

        assertThat(log.durableEnd()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {-3_600_000, 3_600_000})
    void clockThatJumpsMakesNothingForgotten(long off) throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        fixture.clockOffMillis = off;

        assertThat(append(log, put("a")).firstOffset()).isCompletedWithValue(0L);
        append(log, put("b"));
        fixture.clockOffMillis = 0;
        assertThat(append(log, put("b")).firstOffset()).isCompletedWithValue(1L);
        append(log, put("c"));
        assertThat(append(log, put("a")).firstOffset()).isCompletedWithValue(0L);
    }

    /** The next server's clock is another one. */
    @ParameterizedTest
    @ValueSource(longs = {-3_600_000, 3_600_000})
    void clockThatIsWrongAtTheOpeningMakesNothingForgotten(long off) throws Exception {
        append(fixture.open(), put("a"));
        fixture.clockOffMillis = off;
        PartitionLog log = fixture.open();

        assertThat(append(log, put("a")).firstOffset()).isCompletedWithValue(0L);
        append(log, put("b"));
        fixture.clockOffMillis = 0;
        PartitionLog after = fixture.open();
        assertThat(append(after, put("b")).firstOffset()).isCompletedWithValue(1L);
    }

    @Test
    void windowForgetsByAgeWhatItKnowsFromAnOpening() throws Exception {
        append(fixture.open(), put("a"));
        fixture.millis += 4 * 60_000;
        append(fixture.open(), put("b"));

        PartitionLog log = fixture.open();
        fixture.millis += 60_000 + 1;

        append(log, put("a"));
        assertThat(append(log, put("b")).firstOffset()).isCompletedWithValue(1L);
        assertThat(log.durableEnd()).isEqualTo(3);
    }

    @Test
    void windowForgetsByCount() throws Exception {
        fixture.dedupeWindow = 2;
        PartitionLog log = fixture.open();
        log.append(List.of(put("a"), put("b"), put("c")));

        append(log, put("a"));
        append(log, put("c"));

        assertThat(log.durableEnd()).isEqualTo(4);
    }

    /** A timeout comes after seconds, in which a partition takes any number of puts. */
    @Test
    void putIsKnownAfterManyOthersAsLongAsThereIsMemory() throws Exception {
        fixture.dedupeWindow = 2;
        fixture.dedupeBytes = 1 << 20;
        PartitionLog log = fixture.open();
        append(log, put("first"));
        for (int i = 0; i < 1_000; i++) {
            append(log, put("other " + i));
        }

        assertThat(append(log, put("first")).firstOffset()).isCompletedWithValue(0L);
        assertThat(append(fixture.open(), put("first")).firstOffset())
                .as("after an opening too")
                .isCompletedWithValue(0L);
    }

    @Test
    void putThatALargeSegmentEndsWithIsKnownAfterAnOpening() throws Exception {
        fixture.segmentBytes = 66 << 20;
        PartitionLog log = fixture.open();
        for (int i = 0; i < 66; i++) {
            append(log, put("p#" + i, block(1, i + "x".repeat(1 << 20))));
        }
        append(log, put("alone in the next one"));
        fixture.settle();
        log.close();

        PartitionLog reopened = fixture.open();

        assertThat(append(reopened, put("p#65", block(1, 65 + "x".repeat(1 << 20))))
                        .firstOffset())
                .isCompletedWithValue(65L);
    }
}

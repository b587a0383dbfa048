// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.hbase.FakeCellTable.Fate;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.time.SystemTime;

@Timeout(20)
final class WriteTest {
    private static final byte[] KEY = RowKey.table('x').and("key").bytes();
    private static final byte[] VALUE = {1, 2, 3};
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochMilli(1_700_000_000_000L));
    private static final long OTHERS = 1L << 62; // versions above all that this clock makes

    private final FakeCellTable calls = new FakeCellTable();
    private final Write.Target table = table(CLOCK, 1);
    private long version;

    @BeforeEach
    void writeARow() throws Exception {
        version = set(0).orElseThrow();
        calls.mutations = 0;
    }

    @Test
    void writeWhoseAnswerWasLostIsFoundInTheRow() throws Exception {
        calls.next(Fate.DONE_ANSWER_LOST);

        long written = set(version).orElseThrow();

        assertThat(calls.cell(KEY).orElseThrow().version()).isEqualTo(written);
        assertThat(calls.mutations).isEqualTo(1);
    }

    @Test
    void creationWhoseAnswerWasLostIsFoundInTheRow() throws Exception {
        long mark = delete(version).orElseThrow();
        calls.next(Fate.ANSWERED, Fate.DONE_ANSWER_LOST); // the first finds the mark

        long written = set(0).orElseThrow();

        assertThat(calls.cell(KEY).orElseThrow().version()).isEqualTo(written);
        assertThat(calls.cell(KEY).orElseThrow().previous()).isEqualTo(mark);
    }

    @Test
    void deleteWhoseAnswerWasLostIsFoundInTheMark() throws Exception {
        calls.next(Fate.DONE_ANSWER_LOST);

        assertThat(delete(version)).isPresent();

        assertThat(calls.cell(KEY).orElseThrow().isRow()).isFalse();
        assertThat(calls.mutations).isEqualTo(1);
    }

    @Test
    void attemptThatDidNotHappenIsRepeatedAndDoesNothingWhenItArrivesAfterAll() throws Exception {
        calls.next(Fate.DELAYED);

        long written = set(version).orElseThrow();
        calls.late();

        assertThat(calls.cell(KEY).orElseThrow().version()).isEqualTo(written);
        assertThat(calls.cell(KEY).orElseThrow().previous()).isEqualTo(version);
        assertThat(calls.mutations).isEqualTo(2);
    }

    @Test
    void attemptThatArrivesBetweenTheReadAndTheRepetitionIsTheWrite() throws Exception {
        calls.next(Fate.DELAYED, Fate.DELAYED);
        calls.beforeNextGet(() -> calls.beforeNextGet(calls::late)); // both in flight at the second read

        long written = set(version).orElseThrow();

        assertThat(calls.cell(KEY).orElseThrow().version()).isEqualTo(written);
        assertThat(calls.mutations).isEqualTo(2);
    }

    @Test
    void writeThatAnotherHasReplacedSinceHasHappened() throws Exception {
        calls.next(Fate.DONE_ANSWER_LOST);
        calls.beforeNextGet(() -> calls.put(KEY, StoredRow.row(OTHERS, standing(), VALUE)));

        long written = set(version).orElseThrow();

        assertThat(written).isGreaterThan(version).isLessThan(OTHERS);
    }

    @Test
    void writeIsLostIfAnotherHasReplacedTheSameVersion() throws Exception {
        calls.next(Fate.LOST);
        calls.beforeNextGet(() -> calls.put(KEY, StoredRow.row(OTHERS, version, VALUE)));

        assertThat(set(version)).isEmpty();
    }

    @Test
    void effectIsUnknownIfSeveralWritesHaveHappenedSince() {
        calls.next(Fate.LOST);
        calls.beforeNextGet(() -> calls.put(KEY, StoredRow.row(OTHERS + 1, OTHERS, VALUE)));

        assertFailed(() -> set(version), Reason.UNAVAILABLE, Effect.UNKNOWN);
    }

    @Test
    void busyServerIsAskedAgain() throws Exception {
        calls.next(Fate.BUSY, Fate.BUSY);

        assertThat(set(version)).isPresent();
        assertThat(calls.gets).as("looks at the row: there was no doubt").isZero();
    }

    @Test
    void busyUntilTheDeadlineHasDoneNothing() {
        calls.next(new Fate[] {
            Fate.BUSY, Fate.BUSY, Fate.BUSY, Fate.BUSY, Fate.BUSY, Fate.BUSY, Fate.BUSY, Fate.BUSY, Fate.BUSY, Fate.BUSY
        });

        assertFailed(() -> set(version), Reason.BUSY, Effect.NONE);
    }

    @Test
    void writeToARowThatIsNotLocatedHasNoEffect() {
        calls.unreachable();

        assertFailed(() -> set(version), Reason.UNAVAILABLE, Effect.NONE);
        assertThat(calls.mutations).isZero();
    }

    @Test
    void silenceUntilTheDeadlineLeavesTheEffectUnknown() {
        calls.next(Fate.NEVER_ANSWERED);
        calls.getsFail();

        assertFailed(() -> set(version), Reason.UNAVAILABLE, Effect.UNKNOWN);
        assertFailed(() -> delete(OTHERS), Reason.UNAVAILABLE, Effect.UNKNOWN, Fate.NEVER_ANSWERED);
    }

    @Test
    void interruptEndsTheCallAndStays() {
        calls.next(Fate.NEVER_ANSWERED);
        Thread.currentThread().interrupt();

        assertFailed(() -> set(version), Reason.UNAVAILABLE, Effect.UNKNOWN);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void rowMadeAgainIsAboveItsMarkWhateverTheClockSays() throws Exception {
        long mark = delete(version).orElseThrow();
        InstantSource behind = InstantSource.fixed(CLOCK.instant().minus(Duration.ofDays(400)));

        long again = Write.set(table(behind, 2), call(), KEY, 0, VALUE).orElseThrow();

        assertThat(again).isGreaterThan(mark);
        assertThat(mark).isGreaterThan(version);
        assertThat(set(version)).isEmpty();
    }

    private long standing() {
        try {
            return calls.cell(KEY).orElseThrow().version();
        } catch (MetadataException e) {
            throw new AssertionError(e);
        }
    }

    private OptionalLong set(long expected) throws MetadataException {
        return Write.set(table, call(), KEY, expected, VALUE);
    }

    private OptionalLong delete(long expected) throws MetadataException {
        return Write.delete(table, call(), KEY, expected);
    }

    private Write.Target table(InstantSource clock, long session) {
        return new Write.Target(
                calls, new Versions(clock, session), new MetadataMetrics(new Metrics(SystemTime.ticker())));
    }

    private static HBaseCall call() {
        return new HBaseCall("write", SystemTime.ticker(), new CallTimes(Duration.ofMillis(300)));
    }

    private void assertFailed(Writing write, Reason reason, Effect effect, Fate... fates) {
        calls.next(fates);
        MetadataException failure = catchThrowableOfType(MetadataException.class, write::run);
        assertThat(failure.effect()).isEqualTo(effect);
        assertThat(failure.reason()).isEqualTo(reason);
    }

    private interface Writing {
        OptionalLong run() throws MetadataException;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.log.LogFixture.ALL;
import static org.talos.server.log.LogFixture.append;
import static org.talos.server.log.LogFixture.large;
import static org.talos.server.log.LogFixture.put;
import static org.talos.server.log.LogFixture.texts;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.log.time.Retention;

/** A server's clock is wrong for a while: what that does to timestamps, ages, and retention. */
class WrongClockTest {
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final long YEAR = Duration.ofDays(365).toMillis();

    private final LogFixture fixture = new LogFixture();

    WrongClockTest() {
        fixture.millis = 1_700_000_000_000L;
    }

    private PartitionLog backlog() throws Exception {
        PartitionLog log = fixture.open();
        for (String each : List.of("a", "b", "c")) {
            append(log, large(each));
        }
        fixture.settle();
        return log;
    }

    private boolean isSparedInTheFirstHour(PartitionLog log) {
        long now = fixture.millis + fixture.clockOffMillis;
        return log.retain(new Retention(now, DAY, 0, true)).spared();
    }

    @Test
    void putAfterAStartWithAClockThatIsAheadDoesNotHaveTheBacklogDeleted() throws Exception {
        backlog();
        fixture.clockOffMillis = YEAR;
        PartitionLog log = fixture.open();

        append(log, large("ahead"));
        append(log, put("next"));
        fixture.settle();

        assertThat(isSparedInTheFirstHour(log)).isTrue();
        assertThat(log.startOffset()).isZero();
    }

    @Test
    void backlogIsSparedAlsoAfterASecondStartWithTheWrongClock() throws Exception {
        backlog();
        fixture.clockOffMillis = YEAR;
        append(fixture.open(), put("ahead"));

        PartitionLog log = fixture.open();

        assertThat(isSparedInTheFirstHour(log)).isTrue();
        assertThat(log.startOffset()).isZero();
    }

    @Test
    void timestampsDoNotFollowAClockThatIsSetWhileTheServerRuns() throws Exception {
        PartitionLog log = fixture.open();
        fixture.clockOffMillis = YEAR;

        append(log, put("a"));

        assertThat(log.read(0, ALL).blocks().get(0).appendTimestamp()).isEqualTo(fixture.millis);
    }

    @Test
    void ageOfASegmentDoesNotGoByAClockThatIsSetBack() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("a"));
        fixture.clockOffMillis = -DAY;
        fixture.millis += Duration.ofMinutes(10).toMillis();

        append(log, put("b"));

        assertThat(fixture.catalog.segments()).hasSize(2);
    }

    /** A put under a clock that was a year ahead; the clock is right again, as an operator says. */
    private PartitionLog repaired() throws Exception {
        backlog();
        fixture.clockOffMillis = YEAR;
        append(fixture.open(), put("ahead"));
        fixture.clockOffMillis = 0;
        fixture.clockRightSince = Instant.ofEpochMilli(fixture.millis - DAY).toString();
        fixture.tailCacheBytes = 0;
        return fixture.open();
    }

    private long timestampOfNextPut(PartitionLog log) {
        long offset = log.durableEnd();
        append(log, put("next " + offset));
        return log.read(offset, ALL).blocks().get(0).appendTimestamp();
    }

    @Test
    void timestampsFollowTheClockAgainWhenAnOperatorSaysThatItIsRight() throws Exception {
        PartitionLog log = repaired();

        assertThat(timestampOfNextPut(log)).isEqualTo(fixture.millis);
        assertThat(timestampOfNextPut(fixture.open())).isEqualTo(fixture.millis); // also after the next opening
        assertThat(texts(fixture.open(), 3)).containsExactly("ahead", "next 4", "next 5");
    }

    @ParameterizedTest
    @ValueSource(strings = {"never", "later", "too long ago"})
    void timestampsStayAheadAsLongAsNobodySaysWhichClockIsRight(String said) throws Exception {
        repaired();
        long since = fixture.millis + (said.equals("later") ? 1 : -8 * DAY);
        fixture.clockRightSince =
                said.equals("never") ? "" : Instant.ofEpochMilli(since).toString();

        PartitionLog log = fixture.open();

        assertThat(timestampOfNextPut(log)).isEqualTo(fixture.millis + YEAR);
        assertThat(log.retain(new Retention(fixture.millis, YEAR, 0, false)).isAhead())
                .isTrue();
    }

    @Test
    void nothingIsSaidOfTimestampsThatFollowTheClockAgain() throws Exception {
        PartitionLog log = repaired();
        Retention limits = new Retention(fixture.millis, YEAR, 0, false);

        assertThat(log.retain(limits)).isEqualTo(Retention.Signs.NONE); // before the first put
        append(log, put("next"));
        assertThat(fixture.open().retain(limits)).isEqualTo(Retention.Signs.NONE); // and long after
    }

    @Test
    void messagesWithTimestampsThatAreAheadExpireWithThoseBehindThem() throws Exception {
        PartitionLog log = repaired();
        append(log, large("next"));
        append(log, put("last"));
        fixture.settle();

        fixture.millis += DAY;
        fixture.retain(log, DAY, 0);
        assertThat(log.startOffset()).isZero();

        fixture.millis += 1;
        fixture.retain(log, DAY, 0);
        assertThat(log.startOffset()).isEqualTo(5);
    }

    @Test
    void timesAreFoundOnBothSidesOfMessagesThatAreAhead() throws Exception {
        long before = fixture.millis;
        repaired().close();
        fixture.millis += 1_000;
        PartitionLog log = fixture.open();
        append(log, large("next"));
        fixture.millis += 1_000;
        append(log, put("last"));

        assertThat(log.offsetAtTime(before)).isZero();
        assertThat(log.offsetAtTime(before + 1)).isEqualTo(3); // that was appended at the latest when the next one was
        assertThat(log.offsetAtTime(before + 1_000)).isEqualTo(3);
        assertThat(log.offsetAtTime(before + 1_001)).isEqualTo(5);
        assertThat(log.offsetAtTime(before + 2_001)).isEqualTo(6);
    }

    @Test
    void putsBeforeTimestampsWentBackAreForgottenAsOthers() throws Exception {
        repaired();
        append(fixture.open(), put("last"));
        PartitionLog log = fixture.open();
        assertThat(append(log, put("ahead")).firstOffset()).isCompletedWithValue(3L);

        fixture.millis += Duration.ofMinutes(5).toMillis() + 1;

        assertThat(append(log, put("ahead")).firstOffset()).isCompletedWithValue(5L);
    }
}

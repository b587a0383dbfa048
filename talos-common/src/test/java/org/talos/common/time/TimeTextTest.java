// SPDX-License-Identifier: Apache-2.0
package org.talos.common.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeTextTest {
    private static final Instant NOW = Instant.parse("2026-03-29T10:30:00Z");
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private static Optional<Instant> parsed(String text) {
        return TimeText.parse(text, NOW, ZoneOffset.UTC);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-31T12:00:00Z, 2026-01-31T12:00:00Z",
        "2026-01-31T12:00:00.25+02:00, 2026-01-31T10:00:00.250Z",
        "2026-01-31T12:00-03:30, 2026-01-31T15:30:00Z",
        "2026-01-31T12:00, 2026-01-31T12:00:00Z",
        "2026-01-31 12:00:05, 2026-01-31T12:00:05Z",
        "2026-01-31, 2026-01-31T00:00:00Z",
        "now, 2026-03-29T10:30:00Z",
        "today, 2026-03-29T00:00:00Z",
        "Yesterday, 2026-03-28T00:00:00Z",
        "1h, 2026-03-29T09:30:00Z",
        "-1h, 2026-03-29T09:30:00Z",
        "1h ago, 2026-03-29T09:30:00Z",
        "1d12h, 2026-03-27T22:30:00Z",
        "1h30m, 2026-03-29T09:00:00Z",
        "90s, 2026-03-29T10:28:30Z",
        "2w, 2026-03-15T10:30:00Z",
        "@1767225600, 2026-01-01T00:00:00Z",
        "@1767225600123, 2026-01-01T00:00:00.123Z",
    })
    void timeIsReadInEachForm(String text, String expected) {
        assertThat(parsed(text)).contains(Instant.parse(expected));
    }

    /** A plain number is an offset: whoever continues where an answer has ended must not get to 1970. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                " ago",
                "ago",
                "h",
                "1",
                "1767225600123",
                "1x",
                "1h1d",
                "1h 30m",
                "tomorrow",
                "earliest",
                "@",
                "@1.5",
                "@-1",
                "2026-13-01",
                "2026-02-30",
                "2026-1-1",
                "12:00",
                "2026-01-31T",
                "2026-01-31T25:00",
                "99999999999h",
                "+999999999-12-31T23:59:59Z",
                "@9999999999999999",
                "1h; drop",
                "2026-01-31T12:00:00Z2026-01-31T12:00:00Z2026-01-31T12:00"
            })
    void whatIsNoTimeIsEmpty(String text) {
        assertThat(parsed(text)).isEmpty();
    }

    @Test
    void daysBeginAtMidnightOfTheZoneAlsoWhereClocksChange() {
        assertThat(TimeText.parse("today", NOW, BERLIN)).contains(Instant.parse("2026-03-28T23:00:00Z"));
        assertThat(TimeText.parse("2026-03-30", NOW, BERLIN)).contains(Instant.parse("2026-03-29T22:00:00Z"));
        assertThat(TimeText.parse("2026-01-31T12:00", NOW, BERLIN)).contains(Instant.parse("2026-01-31T11:00:00Z"));
        assertThat(TimeText.parse("1d", NOW, BERLIN)).contains(Instant.parse("2026-03-28T10:30:00Z"));
    }

    @Test
    void moreThanTimeHasIsEmptyAndNoFailure() {
        assertThat(TimeText.parse("999999w", Instant.MIN, ZoneOffset.UTC)).isEmpty();
        assertThat(TimeText.parse("yesterday", Instant.MIN, ZoneOffset.UTC)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"2w, 1209600", "1d12h, 129600", "1h30m, 5400", "0s, 0", "999999999s, 999999999"})
    void durationIsReadInTheSameUnitsAsATimeAgo(String text, long seconds) {
        assertThat(TimeText.duration(text)).contains(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "1x", "1h1d", "-1h", "1h ago", "1 h", "1H", "1234567d"})
    void textThatIsNoDurationIsNone(String text) {
        assertThat(TimeText.duration(text)).isEmpty();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.common.time;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads points of time and durations as people write them. Immutable. */
public final class TimeText {
    /** The accepted texts, for the sentence that refuses others. */
    public static final String EXPECTED =
            "a time like 2026-01-31T12:00:00Z, a date like 2026-01-31, now, today, yesterday, how long ago like 90m, 1h "
                    + "or 2d, or @ and seconds or milliseconds since 1970";

    private static final int MOST_CHARACTERS = 64;
    private static final Pattern AGO = Pattern.compile("-?(.*?)(?: ago)?");
    private static final Pattern DURATION =
            Pattern.compile("(?:(\\d{1,6})w)?(?:(\\d{1,6})d)?(?:(\\d{1,6})h)?(?:(\\d{1,6})m)?(?:(\\d{1,9})s)?");
    private static final int[] SECONDS_OF_GROUP = {0, 604_800, 86_400, 3_600, 60, 1};
    private static final Pattern EPOCH = Pattern.compile("@(\\d{1,15})");
    private static final Pattern DATE = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");
    /** The least number that counts as milliseconds: a day in March 1973; as seconds it is the year 5138. */
    private static final long LEAST_MILLIS = 100_000_000_000L;

    private static final long MILLIS_OF_SECOND = 1_000;

    private TimeText() {}

    /**
     * Returns the time that a text names, to the millisecond; empty if it has none of the forms of {@link #EXPECTED}.
     *
     * @param now the time from which "an hour ago" and "yesterday" count
     * @param zone of days, and of times that name none
     */
    public static Optional<Instant> parse(String text, Instant now, ZoneId zone) {
        if (text.isEmpty() || text.length() > MOST_CHARACTERS) {
            return Optional.empty();
        }
        try {
            Instant found = word(text, now, zone)
                    .or(() -> ago(text, now))
                    .or(() -> sinceEpoch(text))
                    .orElseGet(() -> written(text, zone));
            return Optional.of(Instant.ofEpochMilli(found.toEpochMilli())); // fails where a long has no room
        } catch (DateTimeException | ArithmeticException e) {
            return Optional.empty();
        }
    }

    private static Optional<Instant> word(String text, Instant now, ZoneId zone) {
        LocalDate today = LocalDate.ofInstant(now, zone);
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "now" -> Optional.of(now);
            case "today" -> Optional.of(today.atStartOfDay(zone).toInstant());
            case "yesterday" ->
                Optional.of(today.minusDays(1).atStartOfDay(zone).toInstant());
            default -> Optional.empty();
        };
    }

    private static Optional<Instant> ago(String text, Instant now) {
        Matcher match = AGO.matcher(text);
        return match.matches() ? duration(match.group(1)).map(now::minus) : Optional.empty();
    }

    /**
     * Returns the duration that a text names, like {@code 2w}, {@code 90m}, or {@code 1h30m}; empty if it names none.
     */
    public static Optional<Duration> duration(String text) {
        Matcher match = DURATION.matcher(text);
        if (!match.matches()) {
            return Optional.empty();
        }
        Duration duration = Duration.ZERO;
        boolean isAny = false;
        for (int group = 1; group < SECONDS_OF_GROUP.length; group++) {
            String number = match.group(group);
            if (number != null) {
                isAny = true;
                duration = duration.plusSeconds(Long.parseLong(number) * SECONDS_OF_GROUP[group]);
            }
        }
        return isAny ? Optional.of(duration) : Optional.empty();
    }

    private static Optional<Instant> sinceEpoch(String text) {
        Matcher match = EPOCH.matcher(text);
        if (!match.matches()) {
            return Optional.empty();
        }
        long number = Long.parseLong(match.group(1));
        return Optional.of(Instant.ofEpochMilli(number < LEAST_MILLIS ? number * MILLIS_OF_SECOND : number));
    }

    private static Instant written(String text, ZoneId zone) {
        if (DATE.matcher(text).matches()) {
            return LocalDate.parse(text).atStartOfDay(zone).toInstant();
        }
        String time = text.replaceFirst("^(\\d{4}-\\d{2}-\\d{2}) ", "$1T");
        return hasZone(time)
                ? OffsetDateTime.parse(time).toInstant()
                : LocalDateTime.parse(time).atZone(zone).toInstant();
    }

    /** Returns whether a time of day is followed by its offset from UTC. */
    private static boolean hasZone(String time) {
        String ofDay = time.substring(time.indexOf('T') + 1);
        return ofDay.endsWith("Z") || ofDay.endsWith("z") || ofDay.contains("+") || ofDay.contains("-");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.talos.common.time.TimeText;

/** Parses the configuration's values: durations and sizes have units. Immutable. */
final class ScalarParser {
    private static final Pattern NUMBER_AND_UNIT = Pattern.compile("(\\d{1,18})([a-zA-Z]*)");
    private static final Pattern NEXT_WORD = Pattern.compile("_(.)");
    private static final Map<String, Duration> TIME_UNITS = Map.of(
            "ms", Duration.ofMillis(1),
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1));
    private static final Map<String, Long> SIZE_UNITS =
            Map.of("", 1L, "B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30, "TiB", 1L << 40);

    private ScalarParser() {}

    static Duration duration(String text) {
        Matcher matcher = NUMBER_AND_UNIT.matcher(text);
        if (matcher.matches()) {
            Duration unit = TIME_UNITS.get(matcher.group(2));
            if (unit != null) {
                return unit.multipliedBy(Long.parseLong(matcher.group(1)));
            }
        }
        return TimeText.duration(text)
                .orElseThrow(() -> new IllegalArgumentException(
                        text + " (expected: a duration such as 500ms, 10s, 5m, 6h, 7d, 2w)"));
    }

    static long size(String text) {
        Matcher matcher = NUMBER_AND_UNIT.matcher(text);
        if (matcher.matches()) {
            Long unit = SIZE_UNITS.get(matcher.group(2));
            if (unit != null) {
                return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
            }
        }
        throw new IllegalArgumentException(text + " (expected: a size such as 4096, 64KiB, 24MiB, 1GiB)");
    }

    static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(text + " (expected: a whole number)", e);
        }
    }

    static boolean truth(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(text + " (expected: true or false)");
        };
    }

    static <E extends Enum<E>> E choice(Class<E> type, String text) {
        for (E choice : type.getEnumConstants()) {
            if (spelled(choice).equals(text)) {
                return choice;
            }
        }
        StringBuilder all = new StringBuilder();
        for (E choice : type.getEnumConstants()) {
            all.append(all.isEmpty() ? "" : " or ").append(spelled(choice));
        }
        throw new IllegalArgumentException(text + " (expected: " + all + ")");
    }

    /** The value in the file: {@code TWO_WORDS} is {@code twoWords}. */
    static String spelled(Enum<?> choice) {
        String lower = choice.name().toLowerCase(Locale.ROOT);
        return NEXT_WORD.matcher(lower).replaceAll(found -> found.group(1).toUpperCase(Locale.ROOT));
    }
}

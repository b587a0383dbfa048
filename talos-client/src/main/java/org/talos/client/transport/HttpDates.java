// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes points in time as HTTP does, in whole seconds, and keeps the last of them: writing one costs as much as all
 * other headers.
 *
 * <p>Thread-safe.
 */
final class HttpDates {
    // With names of its own, as those of a locale take 25 ms to load, once in every command.
    private static final DateTimeFormatter FORMAT = new DateTimeFormatterBuilder()
            .appendText(ChronoField.DAY_OF_WEEK, names("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"))
            .appendPattern(", dd ")
            .appendText(
                    ChronoField.MONTH_OF_YEAR,
                    names("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"))
            .appendPattern(" yyyy HH:mm:ss 'GMT'")
            .toFormatter(Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private volatile @Nullable Written last;

    /** A second, and its text. Immutable. */
    private record Written(long second, String text) {}

    private static Map<Long, String> names(String... names) {
        Map<Long, String> numbered = new HashMap<>();
        for (String name : names) {
            numbered.put(numbered.size() + 1L, name);
        }
        return numbered;
    }

    /** Returns the text of a point in time. */
    String text(Instant now) {
        Written known = last;
        if (known == null || known.second != now.getEpochSecond()) {
            known = new Written(now.getEpochSecond(), FORMAT.format(now));
            last = known;
        }
        return known.text;
    }
}

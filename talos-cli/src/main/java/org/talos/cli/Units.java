// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.time.Duration;
import java.util.Locale;

/**
 * Numbers as people read them: three digits or so, and a unit. Programs are given the numbers as they are. Immutable.
 */
public final class Units {
    private static final String[] BYTES = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    private static final String[] COUNTS = {"", "k", "M", "G", "T", "P", "E"};
    private static final int KIBI = 1_024;
    private static final int KILO = 1_000;
    private static final double HUNDRED = 99.95; // from here on, one digit after the point would be a fourth
    private static final double TEN = 9.995;
    private static final long SECONDS_OF_MINUTE = 60;
    private static final long SECONDS_OF_HOUR = 3_600;
    private static final long SECONDS_OF_DAY = 86_400;

    private Units() {}

    /** Formats a number of bytes, as in {@code 9.31 GiB}; exact below a KiB. */
    public static String bytes(long bytes) {
        return bytes < KIBI ? bytes + " B" : scaled((double) bytes, KIBI, BYTES, " ");
    }

    /** Formats a number of things, as in {@code 12.4k}; exact below 10,000. */
    public static String count(long count) {
        return count < 10L * KILO ? Long.toString(count) : scaled((double) count, KILO, COUNTS, "");
    }

    /** Returns a rate per second, as in {@code 3.2} or {@code 12.4k}. */
    public static String rate(double perSecond) {
        if (perSecond < KILO) {
            return perSecond == 0 ? "0" : digits(perSecond);
        }
        return scaled(perSecond, KILO, COUNTS, "");
    }

    private static String scaled(double value, int step, String[] units, String between) {
        double left = value;
        int unit = 0;
        while (left >= step * (1 - 1e-4) && unit < units.length - 1) {
            left /= step;
            unit++;
        }
        return digits(left) + between + units[unit];
    }

    private static String digits(double value) {
        return String.format(Locale.ROOT, value < TEN ? "%.2f" : value < HUNDRED ? "%.1f" : "%.0f", value);
    }

    /** Formats a time, exact to the second, as in {@code 1d}, {@code 1h 30m} or {@code 42s}. */
    public static String seconds(long seconds) {
        StringBuilder text = new StringBuilder();
        long left = seconds;
        left = part(left, SECONDS_OF_DAY, "d", text);
        left = part(left, SECONDS_OF_HOUR, "h", text);
        left = part(left, SECONDS_OF_MINUTE, "m", text);
        if (left > 0 || text.isEmpty()) {
            text.append(left).append('s');
        }
        return text.toString().strip();
    }

    private static long part(long seconds, long unit, String name, StringBuilder text) {
        if (seconds >= unit) {
            text.append(seconds / unit).append(name).append(' ');
        }
        return seconds % unit;
    }

    /** Formats a time that passes, to whole seconds, as in {@code 0:42} or {@code 1:02:03}. */
    public static String clock(Duration time) {
        long seconds = time.toSeconds();
        return seconds < SECONDS_OF_HOUR
                ? String.format(Locale.ROOT, "%d:%02d", seconds / SECONDS_OF_MINUTE, seconds % SECONDS_OF_MINUTE)
                : String.format(
                        Locale.ROOT,
                        "%d:%02d:%02d",
                        seconds / SECONDS_OF_HOUR,
                        seconds % SECONDS_OF_HOUR / SECONDS_OF_MINUTE,
                        seconds % SECONDS_OF_MINUTE);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import static org.talos.bench.report.Text.format;

import java.util.Locale;

/**
 * A claim about a measurement: the measured number and its limit. Immutable.
 *
 * @param text what was measured, such as "QPS of affinity against hash"
 * @param unit of both numbers; empty for a ratio
 * @param limit itself within the bound
 */
public record Claim(String text, String unit, double measured, Bound bound, double limit) {
    private static final int DIGITS = 2;
    private static final int MOST_DIGITS = 6;

    /** The kinds of limit: a minimum or a maximum. */
    public enum Bound {
        AT_LEAST,
        AT_MOST
    }

    /** A claim that the number is this or more. */
    public static Claim atLeast(String text, String unit, double measured, double limit) {
        return new Claim(text, unit, measured, Bound.AT_LEAST, limit);
    }

    /** A claim that the number is this or less. */
    public static Claim atMost(String text, String unit, double measured, double limit) {
        return new Claim(text, unit, measured, Bound.AT_MOST, limit);
    }

    /** Returns whether it holds. A figure that was not measured, NaN, never does. */
    public boolean passed() {
        return switch (bound) {
            case AT_LEAST -> measured >= limit;
            case AT_MOST -> measured <= limit;
        };
    }

    /** The claim as a line of text: "pass QPS of affinity against hash: 1.31 (at least 1.10)". */
    public String line() {
        int digits = DIGITS;
        // 1.098 is not at least 1.10: as many digits as show it
        while (digits < MOST_DIGITS
                && measured != limit
                && number(measured, digits).equals(number(limit, digits))) {
            digits++;
        }
        return format(
                "%s  %s: %s (%s %s)",
                passed() ? "pass" : "FAIL",
                text,
                Double.isNaN(measured) ? "not measured" : withUnit(measured, digits),
                bound == Bound.AT_LEAST ? "at least" : "at most",
                withUnit(limit, digits));
    }

    private String withUnit(double value, int digits) {
        return unit.isEmpty() ? number(value, digits) : number(value, digits) + " " + unit;
    }

    private static String number(double value, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}

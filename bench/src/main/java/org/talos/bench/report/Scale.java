// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * The scale of a chart's axis: maps values to positions and chooses the marks. Immutable.
 *
 * @param bend of values, so that equal distances on the axis are equal in it
 * @param low bent value at the beginning
 * @param high bent value at the end
 */
record Scale(DoubleUnaryOperator bend, double low, double high, List<Tick> ticks) {
    private static final int MOST_STEPS = 6;
    /** Ratio of the largest to the smallest value above which a linear axis would hide the small ones. */
    private static final double WIDE = 100;

    private static final double[] NICE = {1, 2, 5, 10};

    Scale {
        ticks = List.copyOf(ticks);
    }

    /** A mark on an axis. Immutable. */
    record Tick(double value, String label) {}

    /** From 0, or logarithmic if the values are too far apart for that. */
    static Scale fitting(List<Double> values) {
        double most = values.stream().mapToDouble(value -> value).max().orElse(1);
        double least = values.stream().mapToDouble(value -> value).min().orElse(1);
        return least > 0 && most / least >= WIDE ? logarithmic(least, most) : linear(most);
    }

    /** From 0 to at least this. */
    static Scale linear(double most) {
        double size = most > 0 ? most : 1;
        double magnitude = Math.pow(10, Math.floor(Math.log10(size / MOST_STEPS)));
        double step = magnitude;
        for (double nice : NICE) {
            step = nice * magnitude;
            if (size / step <= MOST_STEPS) {
                break;
            }
        }
        int steps = (int) Math.ceil(size / step - 1e-9);
        List<Tick> ticks = new ArrayList<>();
        for (int i = 0; i <= steps; i++) {
            ticks.add(new Tick(i * step, label(i * step)));
        }
        return new Scale(DoubleUnaryOperator.identity(), 0, steps * step, ticks);
    }

    private static Scale logarithmic(double least, double most) {
        int low = (int) Math.floor(Math.log10(least));
        int high = (int) Math.ceil(Math.log10(most));
        List<Tick> ticks = new ArrayList<>();
        for (int power = low; power <= high; power++) {
            double value = Math.pow(10, power);
            ticks.add(new Tick(value, label(value)));
        }
        return new Scale(Math::log10, low, high, ticks);
    }

    /** Each nine of a percentile is as far as the one before. */
    static Scale percentiles(double highest) {
        DoubleUnaryOperator nines = percentile -> -Math.log10(1 - percentile / 100);
        int last = (int) Math.max(2, Math.ceil(nines.applyAsDouble(highest)));
        List<Tick> ticks = new ArrayList<>();
        ticks.add(new Tick(0, "0 %"));
        ticks.add(new Tick(50, "50 %"));
        for (int i = 1; i <= last; i++) {
            BigDecimal percentile = BigDecimal.valueOf(100).subtract(BigDecimal.valueOf(1, i - 2));
            ticks.add(new Tick(percentile.doubleValue(), percentile.toPlainString() + " %"));
        }
        return new Scale(nines, 0, last, ticks);
    }

    /** 0 at the beginning of the axis, 1 at its end. */
    double share(double value) {
        return (bend.applyAsDouble(value) - low) / (high - low);
    }

    /** A number in few characters: 0.05, 12.5, 250k, 4M. */
    static String label(double value) {
        double size = Math.abs(value);
        if (size >= 1e9) {
            return plain(value / 1e9) + "G";
        }
        if (size >= 1e6) {
            return plain(value / 1e6) + "M";
        }
        return size >= 1e4 ? plain(value / 1e3) + "k" : plain(value);
    }

    private static String plain(double value) {
        return value == 0
                ? "0"
                : new BigDecimal(value)
                        .round(new MathContext(3))
                        .stripTrailingZeros()
                        .toPlainString();
    }
}

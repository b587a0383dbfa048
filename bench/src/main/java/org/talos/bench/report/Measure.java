// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * The measurements of one operation of one case in one round. Immutable, but for the histogram, which is not changed
 * any more.
 *
 * @param caseName what is compared with what
 * @param round counted from 1
 * @param operation such as "put"
 * @param latencyNanos of the requests that ended within the measured time
 * @param seconds how long was measured
 * @param succeeded of all requests, those of a warm-up as well
 * @param failed of all requests
 * @param figures what else was measured; a name holds its unit, such as "queue wait ms mean"
 */
public record Measure(
        String caseName,
        int round,
        String operation,
        Histogram latencyNanos,
        double seconds,
        long succeeded,
        long failed,
        SortedMap<String, Double> figures) {
    private static final double NANOS_PER_MILLI = 1e6;

    /** A measure whose names can stand in a table: in one line, and no figure is named as one that each measure has. */
    public Measure {
        figures = Collections.unmodifiableSortedMap(new TreeMap<>(figures));
        inOneLine(caseName);
        inOneLine(operation);
        for (String name : figures.keySet()) {
            inOneLine(name);
            if (FigureRow.isStandard(name)) {
                throw new IllegalArgumentException(
                        "figure " + name + " (expected: a name that no measure has already)");
            }
        }
    }

    private static void inOneLine(String name) {
        if (name.isBlank() || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("name '" + name + "' (expected: some text in one line)");
        }
    }

    /** Returns the figure of this name; NaN if it was not measured. */
    public double figure(String name) {
        return figures.getOrDefault(name, Double.NaN);
    }

    /** Requests a second, of those measured. */
    public double perSecond() {
        return latencyNanos.getTotalCount() / seconds;
    }

    /** Mean latency. */
    public double meanMillis() {
        return latencyNanos.getMean() / NANOS_PER_MILLI;
    }

    /** The latency that so many percent of the requests did not exceed. */
    public double millisAt(double percentile) {
        return latencyNanos.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    /** The longest latency. */
    public double maxMillis() {
        return latencyNanos.getMaxValue() / NANOS_PER_MILLI;
    }
}

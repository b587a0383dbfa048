// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import org.HdrHistogram.Histogram;

/**
 * The values that a histogram has recorded between two calls of one reader: the difference of its totals at the two
 * times, so that other readers are not affected.
 *
 * <p>Confined: one reader.
 */
public final class HistogramWindow {
    private static final double NANOS_OF_MILLI = 1e6;

    private final HdrReservoir reservoir;
    private Histogram before;

    /** From now on. */
    public HistogramWindow(HdrReservoir reservoir) {
        this.reservoir = reservoir;
        before = reservoir.cumulative().values();
    }

    /** Percentiles of durations, in milliseconds; NaN if there were none. Immutable. */
    public record Percentiles(double p50, double p99, double p999) {}

    /** Returns the percentiles since the last call. */
    public Percentiles next() {
        Histogram now = reservoir.cumulative().values();
        Histogram during = now.copy();
        during.subtract(before);
        before = now;
        return during.getTotalCount() == 0
                ? new Percentiles(Double.NaN, Double.NaN, Double.NaN)
                : new Percentiles(millis(during, 50), millis(during, 99), millis(during, 99.9));
    }

    private static double millis(Histogram during, double percentile) {
        return during.getValueAtPercentile(percentile) / NANOS_OF_MILLI;
    }
}

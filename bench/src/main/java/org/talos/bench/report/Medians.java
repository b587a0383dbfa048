// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import java.util.stream.DoubleStream;

/** The medians of the rounds. Immutable. */
public final class Medians {
    private Medians() {}

    /** The median of those that were measured, which NaN is not; NaN without any. */
    public static double of(DoubleStream values) {
        double[] sorted = values.filter(value -> !Double.isNaN(value)).sorted().toArray();
        return sorted.length == 0 ? Double.NaN : (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}

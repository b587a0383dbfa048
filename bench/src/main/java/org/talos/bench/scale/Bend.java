// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import java.util.List;
import java.util.Optional;
import org.talos.bench.report.ChartPoint;

/**
 * The place where a curve bends down most: between the two points of which the second lies furthest below the line
 * through the first and the one before it. Both axes are logarithmic, so a line is growth or decline by a power: ten
 * times the producers, the ratio of puts. Immutable.
 *
 * @param from the point up to which the line holds
 * @param to the one that is below it
 * @param ofExpected what was measured there, as a part of what the line gives
 */
record Bend(double from, double to, double ofExpected) {
    /** Less than this below the line is no bend, but noise. */
    private static final double NOISE = 0.9;

    /**
     * The bend of a curve; empty if it has none, or fewer than three points.
     *
     * @param points with growing x, all positive
     */
    static Optional<Bend> of(List<ChartPoint> points) {
        Optional<Bend> deepest = Optional.empty();
        for (int i = 2; i < points.size(); i++) {
            ChartPoint last = points.get(i - 1);
            ChartPoint next = points.get(i);
            double part = next.y() / expected(points.get(i - 2), last, next.x());
            if (part < NOISE && deepest.stream().allMatch(each -> part < each.ofExpected)) {
                deepest = Optional.of(new Bend(last.x(), next.x(), part));
            }
        }
        return deepest;
    }

    /** Returns the continuation of the line through two points. */
    private static double expected(ChartPoint first, ChartPoint second, double x) {
        double power = Math.log(second.y() / first.y()) / Math.log(second.x() / first.x());
        return second.y() * Math.pow(x / second.x(), power);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.talos.bench.report.ChartPoint;

class BendTest {
    /** @param values one for each power of ten */
    private static List<ChartPoint> decades(double... values) {
        List<ChartPoint> points = new ArrayList<>();
        double x = 1;
        for (double value : values) {
            points.add(new ChartPoint(x, value));
            x *= 10;
        }
        return points;
    }

    @Test
    void aStraightLineHasNoneWhetherItRisesFallsOrStays() {
        assertThat(Bend.of(decades(1, 10, 100, 1_000))).isEmpty();
        assertThat(Bend.of(decades(1_000, 500, 250, 125))).isEmpty();
        assertThat(Bend.of(decades(7, 7, 7, 7))).isEmpty();
    }

    @Test
    void whatStopsGrowingBendsWhereItStops() {
        assertThat(Bend.of(decades(1, 10, 100, 110, 120))).hasValueSatisfying(bend -> {
            assertThat(bend.from()).isEqualTo(100);
            assertThat(bend.to()).isEqualTo(1_000);
            assertThat(bend.ofExpected()).isEqualTo(0.11, within(1e-9));
        });
    }

    @Test
    void theDeepestOfSeveralIsTheBend() {
        assertThat(Bend.of(decades(100, 100, 80, 80, 20))).hasValueSatisfying(bend -> {
            assertThat(bend.from()).isEqualTo(1_000);
            assertThat(bend.to()).isEqualTo(10_000);
            assertThat(bend.ofExpected()).isEqualTo(0.25, within(1e-9));
        });
    }

    @Test
    void aTenthIsNoiseAndTwoPointsAreNoCurve() {
        assertThat(Bend.of(decades(100, 100, 91, 91))).isEmpty();
        assertThat(Bend.of(decades(100, 1))).isEmpty();
    }

    @Test
    void stepsOfAnyWidthAreComparedByThePowerOfTheLine() {
        List<ChartPoint> points =
                List.of(new ChartPoint(1, 1), new ChartPoint(4, 2), new ChartPoint(100, 10), new ChartPoint(400, 10));

        assertThat(Bend.of(points)).hasValueSatisfying(bend -> {
            assertThat(bend.from()).isEqualTo(100);
            assertThat(bend.ofExpected()).isEqualTo(0.5, within(1e-9));
        });
    }
}

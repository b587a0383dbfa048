// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.talos.bench.report.Measure;

class ScaleResultsTest {
    private final List<ScalePoint> points = new ArrayList<>();

    private void add(Curve curve, long point, int round, int puts, Map<String, Double> figures) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(1_000_000, puts);
        Measure measure =
                new Measure(curve.caseName(point), round, ScalePoint.PUT, latency, 1, puts, 0, new TreeMap<>(figures));
        points.add(new ScalePoint(curve, point, measure, Optional.empty()));
    }

    @Test
    void theBendIsToldWithWhatElseChangesThere() {
        add(Curve.PARTITIONS, 1, 1, 1_000, Map.of("open files", 100.0, "server CPU us", 80.0));
        add(Curve.PARTITIONS, 10, 1, 1_000, Map.of("open files", 110.0, "server CPU us", 80.0));
        add(Curve.PARTITIONS, 100, 1, 400, Map.of("open files", 990.0, "server CPU us", 100.0));

        assertThat(new ScaleResults(points).text())
                .contains(
                        "partitions, put:",
                        "bends between 10 and 100 partitions: 0.40 of the requests a second that the line through"
                                + " the points before gives",
                        "    what else changes there: open files 110 to 990");
    }

    @Test
    void roundsCountByTheirMedianAndPointsStandFromSmallToLarge() {
        add(Curve.PRODUCERS, 10, 1, 300, Map.of());
        add(Curve.PRODUCERS, 1, 1, 100, Map.of());
        add(Curve.PRODUCERS, 1, 2, 104, Map.of());
        add(Curve.PRODUCERS, 1, 3, 900, Map.of());

        List<String> text = new ScaleResults(points).text();

        assertThat(text.get(1)).startsWith("producers  a second  to the one before");
        assertThat(text.get(2)).matches(" +1 +104 +– .*");
        assertThat(text.get(3)).matches(" +10 +300 +2\\.88 .*");
        assertThat(text.get(4)).startsWith("no bend");
    }

    @Test
    void growingMessagesAreJudgedByTheirBytes() {
        add(Curve.SIZE, 100, 1, 1_000, Map.of(ScalePoint.MEGABYTES, 0.1));
        add(Curve.SIZE, 1_000, 1, 1_000, Map.of(ScalePoint.MEGABYTES, 1.0));
        add(Curve.SIZE, 10_000, 1, 500, Map.of(ScalePoint.MEGABYTES, 5.0));

        assertThat(new ScaleResults(points).text())
                .contains(
                        "bends between 1,000 and 10,000 bytes of a message: 0.50 of the MB/s that the line through the"
                                + " points before gives");
    }
}

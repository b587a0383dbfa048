// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.talos.bench.engine.Results;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.Timeline;

class FirstMinuteTest {
    private static final int SECONDS = 10;

    private final Results results = new Results();

    /** Measures a process whose load had these rates of puts, and of gets, in each ten seconds. The last is steady. */
    private void measured(FloorCase what, int round, int... perSecond) {
        int steady = perSecond[perSecond.length - 1];
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(1_000_000, steady);
        Timeline timeline = timeline(perSecond);
        LoadResult load = new LoadResult(latency, 1_000_000_000, steady, 0, Optional.empty(), timeline);
        for (String operation : List.of(FloorExperiment.PUT, FloorExperiment.GET)) {
            results.add(load.measure(what.label(), round, operation, FirstMinute.figures(timeline)));
        }
    }

    private static Timeline timeline(int... perSecond) {
        int seconds = SECONDS * perSecond.length;
        Timeline timeline = new Timeline();
        for (int second = 0; second < seconds; second++) {
            for (int i = 0; i < perSecond[second / SECONDS]; i++) {
                timeline.count(TimeUnit.SECONDS.toNanos(second));
            }
        }
        timeline.end(TimeUnit.SECONDS.toNanos(seconds));
        return timeline;
    }

    @Test
    void eachProcessHasALineWithItsRatesFromTheStartOfItsLoad() {
        measured(FloorCase.SIGNED, 1, 500, 500);
        measured(FloorCase.FLUSH, 1, 100, 300, 400, 400, 400);
        measured(FloorCase.FLUSH, 2, 200, 400, 400, 400, 400);

        List<String> table = new FirstMinute(results, 2).table(List.of("signed", "flush"));

        assertThat(table)
                .satisfiesExactly(
                        line -> assertThat(line)
                                .matches("requests/s of +s 0-10 +s 10-20 +s 20-30 +s 30-40 +s 40-50 +steady"
                                        + " +s 0-20 : steady +s 15-45 : steady"),
                        line -> assertThat(line).matches("signed, round 1 +1000 +1000 +– +– +– +1000 +1\\.000 +–"),
                        line -> assertThat(line)
                                .matches("flush, round 1 +200 +600 +800 +800 +800 +800 +0\\.500 +0\\.958"),
                        line -> assertThat(line)
                                .matches("flush, round 2 +400 +800 +800 +800 +800 +800 +0\\.750 +1\\.000"));
    }

    @Test
    void ratioOfACaseIsTheMedianOfItsProcesses() {
        measured(FloorCase.FLUSH, 1, 100, 300, 400);
        measured(FloorCase.FLUSH, 2, 200, 400, 400);
        measured(FloorCase.FLUSH, 3, 400, 400, 400);

        assertThat(results.median("flush", FirstMinute.EARLY)).isEqualTo(0.75);
    }

    @Test
    void secondsThatALoadDidNotLastHaveNoFigure() {
        assertThat(FirstMinute.figures(timeline(1, 1)))
                .containsOnlyKeys("QPS s 000-010", "QPS s 000-020", "QPS s 010-020");
        assertThat(FirstMinute.figures(new Timeline())).isEmpty();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.bench.engine.Results;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;

@Timeout(10)
class TakeoverExperimentTest {
    private final Results results = new Results();

    private void add(int round, int segments, double seconds) {
        results.add(new Measure(
                TakeoverRun.caseName(Way.JOURNAL, 3, segments),
                round,
                TakeoverRun.OPERATION,
                new Histogram(3),
                seconds,
                3,
                0,
                new TreeMap<>(Map.of(TakeoverRun.SECONDS, seconds))));
    }

    private List<Claim> claims(Integer... segments) {
        return TakeoverExperiment.claims(results, Way.JOURNAL, 3, List.of(segments));
    }

    @Test
    void oneNumberOfSegmentsIsComparedWithNone() {
        add(1, 0, 9);
        add(2, 0, 11);

        assertThat(claims(0)).extracting(Claim::measured).containsExactly(11.0);
    }

    @Test
    void mostSegmentsAreComparedWithTheFewestOfTheSameRound() {
        add(1, 10, 10);
        add(1, 1_000, 12);
        add(2, 10, 20);
        add(2, 1_000, 22);

        Claim ratio = claims(10, 1_000).get(1);

        assertThat(ratio.measured()).isCloseTo((1.2 + 1.1) / 2, within(1e-9));
        assertThat(ratio.passed()).isTrue();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.bench.report.Measure;

class ResultsTest {
    private static final Results.Figure SECONDS = Results.figure("echo", Measure::seconds);

    private final Results results = new Results();

    private void add(String caseName, int round, double seconds) {
        SortedMap<String, Double> none = new TreeMap<>();
        results.add(new Measure(caseName, round, "echo", new Histogram(3), seconds, 1, 0, none));
    }

    private void addRatios(double... ratios) {
        for (int round = 0; round < ratios.length; round++) {
            add("one", round, ratios[round]);
            add("other", round, 1);
        }
    }

    /** From tables of the binomial distribution. */
    @ParameterizedTest
    @CsvSource({"1, 0", "5, 0", "6, 1", "8, 1", "9, 2", "20, 6", "42, 15", "72, 28"})
    void theIntervalBeginsWhereTheTablesSay(int values, int place) {
        assertThat(Results.placeOfLowerEnd(values)).isEqualTo(place);
    }

    @Test
    void whatIsAlwaysHigherIsShownToBe() {
        addRatios(1.01, 1.02, 1.03, 1.04, 1.05, 1.06);

        assertThat(results.ratio("one", "other", SECONDS)).isCloseTo(1.035, within(1e-9));
        assertThat(results.lowerEnd("one", "other", SECONDS)).isEqualTo(1.01);
    }

    @Test
    void whatIsHigherAsOftenAsLowerIsNotShownToBe() {
        addRatios(1.5, 0.8, 1.1, 0.9, 1.2, 0.95, 1.3, 0.85, 1.4);

        assertThat(results.ratio("one", "other", SECONDS)).isEqualTo(1.1);
        assertThat(results.lowerEnd("one", "other", SECONDS)).isLessThan(1);
    }

    @Test
    void theLowerEndIsNotTheLeastOnceThereAreMore() {
        addRatios(0.3, 0.6, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07);

        assertThat(results.lowerEnd("one", "other", SECONDS)).isEqualTo(0.6);
    }

    @Test
    void fewRoundsShowNothing() {
        assertThat(results.lowerEnd("one", "other", SECONDS)).isNaN();
        addRatios(0.5, 0.5, 0.5, 0.5, 0.5);

        assertThat(results.lowerEnd("one", "other", SECONDS)).isNaN();
    }
}

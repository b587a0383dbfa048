// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.talos.bench.report.Measure;

/** The measures of a run, compared round by round. Confined: the main thread. */
final class Rounds {
    private static final double BY_CHANCE = 0.025;

    private final List<Measure> all = new ArrayList<>();

    void add(Measure measure) {
        all.add(measure);
    }

    /** The median over the rounds of the ratio of two cases' figures, so that measures close in time are compared. */
    double ratio(String of, String to, ToDoubleFunction<Measure> figure) {
        double[] sorted = ratios(of, to, figure);
        return sorted.length == 0 ? Double.NaN : (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /**
     * What the true median of these ratios certainly is not below: the lower end of its interval of 95 % by the sign
     * test. Above 1, the first case's figure is the higher one; else the rounds do not show that. NaN for less than six
     * rounds, which show nothing.
     */
    double lowerEnd(String of, String to, ToDoubleFunction<Measure> figure) {
        double[] sorted = ratios(of, to, figure);
        int place = placeOfLowerEnd(sorted.length);
        return place == 0 ? Double.NaN : sorted[place - 1];
    }

    /** Its place in ascending order: so few values are below the true median by chance, in 2.5 % of all cases. */
    static int placeOfLowerEnd(int values) {
        double exactly = Math.pow(0.5, values); // that exactly so many are below it as the place says
        double atMost = exactly;
        int place = 0;
        while (atMost <= BY_CHANCE) {
            place++;
            exactly *= (double) (values - place + 1) / place;
            atMost += exactly;
        }
        return place;
    }

    private double[] ratios(String of, String to, ToDoubleFunction<Measure> figure) {
        List<Measure> above = measures(of);
        List<Measure> below = measures(to);
        double[] sorted = new double[Math.min(above.size(), below.size())];
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = figure.applyAsDouble(above.get(i)) / figure.applyAsDouble(below.get(i));
        }
        Arrays.sort(sorted);
        return sorted;
    }

    private List<Measure> measures(String caseName) {
        return all.stream().filter(each -> each.caseName().equals(caseName)).toList();
    }

    /** Whether every request was answered. */
    boolean sound() {
        return all.stream().allMatch(each -> each.failed() == 0 && each.succeeded() > 0);
    }
}

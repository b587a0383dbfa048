// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.talos.bench.report.Measure;

/** The measures of a run, compared round by round. Confined: the main thread. */
final class Rounds {
    private final List<Measure> all = new ArrayList<>();

    void add(Measure measure) {
        all.add(measure);
    }

    /** The median over the rounds of the ratio of two cases' figures, so that measures close in time are compared. */
    double ratio(String of, String to, ToDoubleFunction<Measure> figure) {
        List<Measure> above = measures(of);
        List<Measure> below = measures(to);
        double[] sorted = new double[Math.min(above.size(), below.size())];
        if (sorted.length == 0) {
            return Double.NaN;
        }
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = figure.applyAsDouble(above.get(i)) / figure.applyAsDouble(below.get(i));
        }
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    private List<Measure> measures(String caseName) {
        return all.stream().filter(each -> each.caseName().equals(caseName)).toList();
    }

    /** Whether every request was answered. */
    boolean sound() {
        return all.stream().allMatch(each -> each.failed() == 0 && each.succeeded() > 0);
    }
}

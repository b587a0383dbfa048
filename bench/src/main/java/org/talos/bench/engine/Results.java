// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.engine;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Columns;
import org.talos.bench.report.Measure;
import org.talos.bench.report.Medians;

/** The measures of a run, compared round by round. Confined: the main thread. */
public final class Results {
    private static final int DIGITS = 3;
    private static final double BY_CHANCE = 0.025;

    private final Map<String, SortedMap<Integer, Map<String, Measure>>> cases = new LinkedHashMap<>();

    /** A number that a case has in a round. */
    @FunctionalInterface
    public interface Figure {
        /**
         * Computes it.
         *
         * @param round the measures of the case in one round, by operation
         * @return NaN if it was not measured
         */
        double of(Map<String, Measure> round);
    }

    /** Nothing is measured yet. */
    public Results() {}

    /** Returns a figure of one operation. */
    public static Figure figure(String operation, ToDoubleFunction<Measure> figure) {
        return round -> {
            Measure measure = round.get(operation);
            return measure == null ? Double.NaN : figure.applyAsDouble(measure);
        };
    }

    /** Returns a figure that is the sum over all operations. */
    public static Figure sum(ToDoubleFunction<Measure> figure) {
        return round -> round.isEmpty()
                ? Double.NaN
                : round.values().stream().mapToDouble(figure).sum();
    }

    /** Returns a figure that is the median over all operations. */
    public static Figure middle(ToDoubleFunction<Measure> figure) {
        return round -> Medians.of(round.values().stream().mapToDouble(figure));
    }

    /** Adds a measure. */
    public void add(Measure measure) {
        cases.computeIfAbsent(measure.caseName(), none -> new TreeMap<>())
                .computeIfAbsent(measure.round(), none -> new LinkedHashMap<>())
                .put(measure.operation(), measure);
    }

    /** Returns whether a case was measured. */
    public boolean has(String caseName) {
        return cases.containsKey(caseName);
    }

    /**
     * Returns a line if a request of any case failed, or a case had none; none otherwise.
     *
     * @param mayStandStill cases that may have none
     */
    public List<String> unsound(String... mayStandStill) {
        Set<String> may = Set.of(mayStandStill);
        boolean sound = cases.values().stream()
                .flatMap(rounds -> rounds.values().stream())
                .flatMap(round -> round.values().stream())
                .allMatch(each -> each.failed() == 0 && (each.succeeded() > 0 || may.contains(each.caseName())));
        return sound ? List.of() : List.of("WRONG: not every request was answered");
    }

    /** Returns the rounds of a case, each with its measures by operation. */
    private SortedMap<Integer, Map<String, Measure>> rounds(String caseName) {
        return cases.getOrDefault(caseName, new TreeMap<>());
    }

    /** Returns a case's figure in one round; NaN if it was not measured. */
    public double value(String caseName, int round, Figure figure) {
        return figure.of(rounds(caseName).getOrDefault(round, Map.of()));
    }

    /** Returns the median of a case's figure over the rounds; NaN if it was not measured. */
    public double median(String caseName, Figure figure) {
        return Medians.of(rounds(caseName).values().stream().mapToDouble(figure::of));
    }

    /** Returns the highest that a case's figure was in any round; NaN if it was not measured. */
    public double most(String caseName, Figure figure) {
        return rounds(caseName).values().stream().mapToDouble(figure::of).max().orElse(Double.NaN);
    }

    /** Returns the median of the ratios within the rounds that have both cases; NaN without any. */
    public double ratio(String one, String other, Figure figure) {
        return Medians.of(ratios(one, other, figure));
    }

    private DoubleStream ratios(String one, String other, Figure figure) {
        return rounds(one).entrySet().stream()
                .mapToDouble(round -> figure.of(round.getValue()) / value(other, round.getKey(), figure))
                .filter(ratio -> !Double.isNaN(ratio));
    }

    /**
     * Returns what the true median of these ratios certainly is not below: the lower end of its interval of 95 % by the
     * sign test. Above 1, the first case's figure is the higher one; else the rounds do not show that. NaN for less
     * than six rounds, which show nothing.
     */
    public double lowerEnd(String one, String other, Figure figure) {
        double[] sorted = ratios(one, other, figure).sorted().toArray();
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

    /** Returns the claim that the ratio of two cases is at least this; empty if one was not measured. */
    public Optional<Claim> atLeast(String text, String one, String other, Figure figure, double limit) {
        return claim(one, other, () -> Claim.atLeast(text, "", ratio(one, other, figure), limit));
    }

    /** Returns the claim that the ratio of two cases is at most this; empty if one was not measured. */
    public Optional<Claim> atMost(String text, String one, String other, Figure figure, double limit) {
        return claim(one, other, () -> Claim.atMost(text, "", ratio(one, other, figure), limit));
    }

    private Optional<Claim> claim(String one, String other, Supplier<Claim> claim) {
        return has(one) && has(other) ? Optional.of(claim.get()) : Optional.empty();
    }

    /** Returns all latencies of an operation of a case, of all rounds. */
    public Histogram latencies(String caseName, String operation) {
        Histogram all = new Histogram(DIGITS);
        rounds(caseName).values().stream()
                .flatMap(round -> Stream.ofNullable(round.get(operation)))
                .forEach(measure -> all.add(measure.latencyNanos()));
        return all;
    }

    /** Adds a column of medians to a table with a line for each of these cases. */
    public void medians(Columns columns, List<String> caseNames, String title, Figure figure) {
        columns.numbers(title, caseNames, each -> median(each, figure));
    }
}

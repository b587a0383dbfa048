// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.talos.bench.report.ChartPoint;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;

/**
 * The measures of all writers in all rounds, and the claims about them: medians of the ratios within a round.
 *
 * <p>Confined: the main thread.
 */
final class HdfsResults {
    private static final double HALF_MORE = 1.5;
    private static final double A_THIRD_MORE = 4.0 / 3;
    private static final double MOST_OF_A_PUT = 0.6;

    private final NavigableMap<Integer, List<Map<Way, Measure>>> rounds = new TreeMap<>();

    /** @param round all ways with this number of partitions */
    void add(int partitions, Map<Way, Measure> round) {
        rounds.computeIfAbsent(partitions, none -> new ArrayList<>()).add(Map.copyOf(round));
    }

    /** The claims about the form with journals, with the fewest and with the most partitions that were measured. */
    List<Claim> claims() {
        int few = rounds.firstKey();
        int many = rounds.lastKey();
        return List.of(
                Claim.atLeast(text(many, "puts/s"), "", ratio(many, Measure::perSecond), HALF_MORE),
                Claim.atMost(text(many, "P99"), "", ratio(many, measure -> measure.millisAt(99)), 1),
                Claim.atMost(text(few, "mean latency"), "", ratio(few, Measure::meanMillis), A_THIRD_MORE),
                share(few),
                share(many));
    }

    private static String text(int partitions, String what) {
        return String.format(Locale.ROOT, "journal : raw at %d, %s", partitions, what);
    }

    private Claim share(int partitions) {
        double share = median(partitions, round -> figure(of(round, Way.JOURNAL), Costs.SHARE));
        return Claim.atLeast("HDFS' share of a put in the server at " + partitions, "", share, MOST_OF_A_PUT);
    }

    private double ratio(int partitions, ToDoubleFunction<Measure> what) {
        return median(
                partitions,
                round -> what.applyAsDouble(of(round, Way.JOURNAL)) / what.applyAsDouble(of(round, Way.RAW)));
    }

    private static Measure of(Map<Way, Measure> round, Way way) {
        return Objects.requireNonNull(round.get(way));
    }

    private static double figure(Measure measure, String name) {
        return measure.figures().getOrDefault(name, Double.NaN);
    }

    private double median(int partitions, ToDoubleFunction<Map<Way, Measure>> of) {
        double[] sorted = rounds.getOrDefault(partitions, List.of()).stream()
                .mapToDouble(of)
                .sorted()
                .toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Puts a second by partitions, a line for each way. */
    Map<String, List<ChartPoint>> lines() {
        Map<String, List<ChartPoint>> lines = new TreeMap<>();
        for (Way way : List.of(Way.RAW, Way.JOURNAL, Way.PIPELINE)) {
            lines.put(
                    way.label(),
                    rounds.keySet().stream()
                            .map(partitions -> new ChartPoint(
                                    partitions,
                                    median(partitions, round -> of(round, way).perSecond())))
                            .toList());
        }
        return lines;
    }
}

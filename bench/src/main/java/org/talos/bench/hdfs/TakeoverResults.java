// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.talos.bench.report.Claim;

/**
 * The takeovers of one form in all rounds, by the number of segments that partitions had before, and the claims.
 *
 * <p>Confined: the main thread.
 */
final class TakeoverResults {
    private static final double LONGEST_SECONDS = 10;
    private static final double MOST_LONGER = 1.25;

    private final Way way;
    private final SortedMap<Integer, List<Double>> seconds = new TreeMap<>(); // each in the order of the rounds

    TakeoverResults(Way way) {
        this.way = way;
    }

    void add(int segments, double took) {
        seconds.computeIfAbsent(segments, none -> new ArrayList<>()).add(took);
    }

    /** The longest of all; and how much longer it takes with the most segments than with the fewest. */
    List<Claim> claims() {
        double longest = seconds.values().stream()
                .flatMap(List::stream)
                .mapToDouble(each -> each)
                .max()
                .orElse(Double.NaN);
        List<Claim> claims = new ArrayList<>();
        claims.add(Claim.atMost(way.label() + ", longest takeover", "s", longest, LONGEST_SECONDS));
        if (seconds.size() > 1) {
            int few = seconds.firstKey();
            int many = seconds.lastKey();
            String text = String.format(Locale.ROOT, "%s, takeover with %d segments : %d", way.label(), many, few);
            claims.add(Claim.atMost(text, "", ratio(many, few), MOST_LONGER));
        }
        return claims;
    }

    /** The median of the ratios within a round. */
    private double ratio(int of, int to) {
        List<Double> above = seconds.getOrDefault(of, List.of());
        List<Double> below = seconds.getOrDefault(to, List.of());
        double[] sorted = IntStream.range(0, Math.min(above.size(), below.size()))
                .mapToDouble(round -> above.get(round) / below.get(round))
                .sorted()
                .toArray();
        return sorted.length == 0 ? Double.NaN : (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}

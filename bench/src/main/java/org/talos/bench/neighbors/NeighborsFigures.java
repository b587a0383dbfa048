// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.load.LoadResult;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;

/**
 * What was measured. Immutable, but for the histograms.
 *
 * @param alone puts of the good user before any neighbor
 * @param beside those beside each neighbor
 */
record NeighborsFigures(LoadResult alone, Map<Neighbor, Beside> beside) {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MOST_P99_RATIO = 10;

    NeighborsFigures {
        beside = new EnumMap<>(beside);
    }

    /**
     * What was measured beside a neighbor. Immutable, but for the histogram.
     *
     * @param neighborPerSecond messages of the neighbor that were stored, or connections that were taken
     */
    record Beside(LoadResult puts, double neighborPerSecond) {}

    List<Measure> measures() {
        List<Measure> measures = new ArrayList<>();
        measures.add(alone.measure("alone", 1, "put", new TreeMap<>()));
        beside.forEach((neighbor, figures) -> {
            SortedMap<String, Double> more = new TreeMap<>(Map.of("neighbor/s", figures.neighborPerSecond));
            measures.add(figures.puts.measure(neighbor.label(), 1, "put", more));
        });
        return measures;
    }

    List<Claim> claims() {
        List<Claim> claims = new ArrayList<>();
        beside.forEach((neighbor, figures) -> claims.add(Claim.atMost(
                "P99 of the good user's puts beside " + neighbor.label() + " : alone",
                "",
                p99(figures.puts) / p99(alone),
                MOST_P99_RATIO)));
        return claims;
    }

    private static double p99(LoadResult puts) {
        return puts.latency().getValueAtPercentile(99) / NANOS_PER_MILLI;
    }

    /** Puts that failed, which no neighbor may cause. */
    List<String> wrong() {
        List<String> wrong = new ArrayList<>();
        failed("alone", alone, wrong);
        beside.forEach((neighbor, figures) -> failed(neighbor.label(), figures.puts, wrong));
        return wrong;
    }

    private static void failed(String what, LoadResult puts, List<String> wrong) {
        if (puts.failed() > 0) {
            wrong.add(String.format(
                    Locale.ROOT,
                    "WRONG %d puts of the good user failed, %s; the first: %s",
                    puts.failed(),
                    what,
                    puts.firstFailure().orElse("")));
        }
    }
}

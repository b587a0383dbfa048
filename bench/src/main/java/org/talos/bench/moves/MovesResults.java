// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Columns;
import org.talos.bench.report.Measure;

/**
 * Shows what all operations of all rounds did to partitions: a table, measures by round, and the claims.
 *
 * <p>Confined: the main thread.
 */
final class MovesResults {
    private static final int DIGITS = 3;
    private static final double NANOS = 1e9;
    private static final double MOST_PLANNED_SECONDS = 1;
    private static final List<Operation> PLANNED = List.of(Operation.MOVE, Operation.DRAIN, Operation.RESUME);

    private final Duration untilOthers;
    private final Map<Operation, List<Outages>> all = new EnumMap<>(Operation.class);

    /**
     * Nothing is measured yet.
     *
     * @param untilOthers from a server's death until its partitions are given to others, by the settings
     */
    MovesResults(Duration untilOthers) {
        this.untilOthers = untilOthers;
    }

    void add(Outages one) {
        all.computeIfAbsent(one.operation(), none -> new ArrayList<>()).add(one);
    }

    /** A line for each operation: all partitions of all times that it was done. */
    List<String> table() {
        Columns columns = new Columns();
        Collection<List<Outages>> rows = all.values();
        columns.text("operation", all.keySet(), Operation::label);
        columns.numbers("times", rows, List::size);
        columns.numbers("partitions", rows, times -> latency(times).getTotalCount());
        columns.numbers("P50 s", rows, times -> latency(times).getValueAtPercentile(50) / NANOS);
        columns.numbers("P90 s", rows, times -> latency(times).getValueAtPercentile(90) / NANOS);
        columns.numbers("worst s", rows, MovesResults::worst);
        columns.numbers("others' worst s", rows, times -> most(times, Outages::longestOther));
        return columns.lines();
    }

    private static double worst(List<Outages> times) {
        return most(times, Outages::longest);
    }

    private static double most(List<Outages> times, ToLongFunction<Outages> longest) {
        return times.stream().mapToLong(longest).max().orElse(0) / NANOS;
    }

    private static Histogram latency(Collection<Outages> times) {
        Histogram latency = new Histogram(DIGITS);
        times.forEach(each -> each.affected().forEach(latency::recordValue));
        return latency;
    }

    /** A measure of each operation in each round. */
    List<Measure> measures() {
        List<Measure> measures = new ArrayList<>();
        all.forEach((operation, times) -> {
            SortedMap<Integer, List<Outages>> rounds = new TreeMap<>();
            times.forEach(each -> rounds.computeIfAbsent(each.round(), none -> new ArrayList<>())
                    .add(each));
            rounds.forEach((number, some) -> measures.add(measure(operation, number, some)));
        });
        return measures;
    }

    private static Measure measure(Operation operation, int round, List<Outages> times) {
        Histogram latency = latency(times);
        return new Measure(
                operation.label(),
                round,
                "without a server",
                latency,
                worst(times),
                latency.getTotalCount(),
                0,
                new TreeMap<>());
    }

    /**
     * Returns the claims about the longest wait of a partition: in planned operations, and when its server is killed.
     */
    List<Claim> claims() {
        List<Claim> claims = new ArrayList<>();
        for (Operation each : PLANNED) {
            claims.add(claim(each, MOST_PLANNED_SECONDS));
        }
        claims.add(claim(Operation.KILL, untilOthers.toMillis() / 1e3 + 10));
        return claims;
    }

    private Claim claim(Operation operation, double limit) {
        double worst = all.containsKey(operation) ? worst(all.getOrDefault(operation, List.of())) : Double.NaN;
        return Claim.atMost(operation.label() + ", longest time of a partition without a server", "s", worst, limit);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.talos.bench.client.LoadPhase;
import org.talos.bench.report.Columns;

/** Compares the cases: medians over the rounds, ratios within each round first. Immutable. */
final class PeersResults {
    private static final double P99 = 99;
    private static final double P999 = 99.9;
    private static final double HALF = 0.5;

    private final List<PeersFigures> all;
    private final PeersSettings settings;

    PeersResults(List<PeersFigures> all, PeersSettings settings) {
        this.all = List.copyOf(all);
        this.settings = settings;
    }

    /** A table for each load, with a line for each case. */
    List<String> tables() {
        List<String> lines = new ArrayList<>();
        for (Shape each : shapes()) {
            lines.add(each.label() + ": " + each.described(settings));
            lines.addAll(table(each));
            lines.add("");
        }
        lines.add("CPU: processor seconds for 1,000 messages put or got. 'Got': from the put to when a getting thread"
                + " has the message. Memory without mapped files, which are the page cache's. Median of the"
                + " rounds: "
                + settings.rounds());
        return lines;
    }

    private List<String> table(Shape shape) {
        List<PeerCase> cases = cases(shape);
        Columns columns = new Columns();
        columns.text("case", cases.stream().map(PeerCase::label).toList());
        columns.text("acknowledged is", cases.stream().map(PeerCase::promise).toList());
        medians(columns, shape, "puts/s", PeersFigures::putsPerSecond);
        medians(columns, shape, "put mean ms", PeersFigures::putMeanMillis);
        medians(columns, shape, "P99 ms", each -> each.putMillisAt(P99));
        medians(columns, shape, "P999 ms", each -> each.putMillisAt(P999));
        if (shape.hasGetters()) {
            medians(columns, shape, "gets/s", PeersFigures::getsPerSecond);
            medians(columns, shape, "got mean ms", PeersFigures::gotMeanMillis);
            medians(columns, shape, "P99 ms", each -> each.gotMillisAt(P99));
            medians(columns, shape, "P999 ms", each -> each.gotMillisAt(P999));
        }
        medians(columns, shape, "server CPU", PeersFigures::serverCpuPerThousand);
        medians(columns, shape, "client CPU", PeersFigures::clientCpuPerThousand);
        medians(columns, shape, "server MiB", PeersFigures::serverOwnMib);
        medians(columns, shape, "mapped MiB", PeersFigures::serverFileMib);
        medians(columns, shape, "client MiB", PeersFigures::clientMib);
        return columns.lines();
    }

    private void medians(Columns columns, Shape shape, String title, ToDoubleFunction<PeersFigures> figure) {
        columns.numbers(
                title,
                cases(shape).stream().map(each -> median(each, shape, figure)).toList());
    }

    /** The loads that were measured. */
    List<Shape> shapes() {
        return Arrays.stream(Shape.values())
                .filter(each -> !cases(each).isEmpty())
                .toList();
    }

    /** The cases that were measured under a load. */
    List<PeerCase> cases(Shape shape) {
        return Arrays.stream(PeerCase.values())
                .filter(each -> of(each, shape).findAny().isPresent())
                .toList();
    }

    /** A line for each figure in which a put or a get failed or a message was lost. */
    List<String> wrong() {
        return all.stream()
                .filter(each -> !each.sound())
                .map(PeersFigures::wrong)
                .toList();
    }

    /**
     * Half of the lowest rate of puts that the cases with the same promise had in a round under {@link Shape#MANY}; NaN
     * without any.
     */
    double pace(boolean synced, int round) {
        return all.stream()
                        .filter(each -> each.shape() == Shape.MANY && each.round() == round)
                        .filter(each -> each.what().isSynced() == synced)
                        .mapToDouble(PeersFigures::putsPerSecond)
                        .filter(rate -> rate > 0)
                        .min()
                        .orElse(Double.NaN)
                * HALF;
    }

    /** The median over the rounds; NaN without any. */
    double median(PeerCase what, Shape shape, ToDoubleFunction<PeersFigures> figure) {
        return median(of(what, shape).mapToDouble(figure).toArray());
    }

    /** The median of the ratios within the rounds that have both cases; NaN without any. */
    double ratio(PeerCase one, PeerCase other, Shape shape, ToDoubleFunction<PeersFigures> figure) {
        return median(of(one, shape)
                .flatMapToDouble(each -> of(other, shape)
                        .filter(beside -> beside.round() == each.round())
                        .mapToDouble(beside -> figure.applyAsDouble(each) / figure.applyAsDouble(beside)))
                .toArray());
    }

    /** All latencies of an operation, of all rounds. */
    Histogram latencies(PeerCase what, Shape shape, String operation) {
        Histogram sum = new Histogram(3);
        of(what, shape)
                .map(PeersFigures::outcome)
                .map(each -> operation.equals(LoadPhase.PUT) ? each.puts() : each.gets())
                .forEach(each -> sum.add(each.latency()));
        return sum;
    }

    private Stream<PeersFigures> of(PeerCase what, Shape shape) {
        return all.stream().filter(each -> each.what() == what && each.shape() == shape);
    }

    private static double median(double[] values) {
        double[] sorted = Arrays.stream(values).sorted().toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

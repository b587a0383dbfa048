// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.report.Columns;
import org.talos.bench.report.Measure;

/** Compares the cases: medians over the rounds, ratios within each round first. Immutable. */
final class PeersResults {
    private static final double HALF = 0.5;

    private final Results results;
    private final PeersSettings settings;

    PeersResults(Results results, PeersSettings settings) {
        this.results = results;
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
        medians(columns, shape, "puts/s", PeersFigures.PUTS);
        medians(columns, shape, "put mean ms", PeersFigures.ofPuts(Measure::meanMillis));
        medians(columns, shape, "P99 ms", PeersFigures.ofPuts(each -> each.millisAt(99)));
        medians(columns, shape, "P999 ms", PeersFigures.ofPuts(each -> each.millisAt(99.9)));
        if (shape.hasGetters()) {
            medians(columns, shape, "gets/s", PeersFigures.GETS);
            medians(columns, shape, "got mean ms", PeersFigures.ofGets(Measure::meanMillis));
            medians(columns, shape, "P99 ms", PeersFigures.ofGets(each -> each.millisAt(99)));
            medians(columns, shape, "P999 ms", PeersFigures.ofGets(each -> each.millisAt(99.9)));
        }
        medians(columns, shape, "server CPU", PeersFigures.SERVER_CPU);
        medians(columns, shape, "client CPU", PeersFigures.CLIENT_CPU);
        medians(columns, shape, "server MiB", PeersFigures.SERVER_MIB);
        medians(columns, shape, "mapped MiB", PeersFigures.MAPPED_MIB);
        medians(columns, shape, "client MiB", PeersFigures.CLIENT_MIB);
        return columns.lines();
    }

    private void medians(Columns columns, Shape shape, String title, Figure figure) {
        results.medians(
                columns,
                cases(shape).stream()
                        .map(each -> PeersFigures.caseName(each, shape))
                        .toList(),
                title,
                figure);
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
                .filter(each -> results.has(PeersFigures.caseName(each, shape)))
                .toList();
    }

    /**
     * Half of the lowest rate of puts that the cases with the same promise had in a round under {@link Shape#MANY}; NaN
     * without any.
     */
    double pace(boolean synced, int round) {
        return cases(Shape.MANY).stream()
                        .filter(each -> each.isSynced() == synced)
                        .mapToDouble(each ->
                                results.value(PeersFigures.caseName(each, Shape.MANY), round, PeersFigures.PUTS))
                        .filter(rate -> rate > 0)
                        .min()
                        .orElse(Double.NaN)
                * HALF;
    }
}

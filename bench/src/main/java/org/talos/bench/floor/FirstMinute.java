// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import static org.talos.bench.report.Text.format;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.load.Timeline;
import org.talos.bench.report.Columns;
import org.talos.bench.report.Measure;

/**
 * Shows how soon a server reaches its steady rate: the rate of each process in each ten seconds since its load began,
 * and the rates of the first 20 s and of seconds 15 to 45 as shares of the steady rate. The steady rate is that of the
 * measured time, behind the warm-up.
 *
 * <p>Immutable.
 */
final class FirstMinute {
    private static final int STEP = 10;
    private static final Figure STEADY = Results.sum(Measure::perSecond);
    private static final Figure LATER = ofSteady(Span.LATER);

    /** The requests a second of seconds 0 to 20, as a share of the steady rate. */
    static final Figure EARLY = ofSteady(Span.EARLY);

    private final Results results;
    private final int rounds;

    FirstMinute(Results results, int rounds) {
        this.results = results;
        this.rounds = rounds;
    }

    /** Seconds of a load. Immutable. */
    private record Span(int from, int to) {
        private static final Span EARLY = new Span(0, 20);
        private static final Span LATER = new Span(15, 45);

        String figure() {
            return format("QPS s %03d-%03d", from, to);
        }

        Figure rate() {
            return Results.sum(each -> each.figure(figure()));
        }
    }

    /** A process of a server. Immutable. */
    private record Started(String caseName, int round) {}

    private static Figure ofSteady(Span span) {
        Figure rate = span.rate();
        return round -> rate.of(round) / STEADY.of(round);
    }

    /** Returns the rates of one operation of a process, by the names under which the table looks for them. */
    static SortedMap<String, Double> figures(Timeline timeline) {
        List<Span> spans = new ArrayList<>(List.of(Span.EARLY, Span.LATER));
        for (int from = 0; from + STEP <= timeline.seconds(); from += STEP) {
            spans.add(new Span(from, from + STEP));
        }
        SortedMap<String, Double> figures = new TreeMap<>();
        spans.stream()
                .filter(each -> each.to <= timeline.seconds())
                .forEach(each -> figures.put(each.figure(), timeline.perSecond(each.from, each.to)));
        return figures;
    }

    /** Returns a line for each process of these cases, with its rates. */
    List<String> table(List<String> cases) {
        List<Started> processes = processes(cases);
        Columns columns = new Columns();
        columns.text("requests/s of", processes, each -> each.caseName + ", round " + each.round);
        for (Span span = new Span(0, STEP); isMeasured(span, processes); span = new Span(span.to, span.to + STEP)) {
            add(columns, processes, "s " + span.from + "-" + span.to, span.rate());
        }
        add(columns, processes, "steady", STEADY);
        add(columns, processes, "s 0-20 : steady", EARLY);
        add(columns, processes, "s 15-45 : steady", LATER);
        return columns.lines();
    }

    private List<Started> processes(List<String> cases) {
        List<Started> processes = new ArrayList<>();
        for (String each : cases) {
            for (int round = 1; round <= rounds; round++) {
                if (!Double.isNaN(results.value(each, round, STEADY))) {
                    processes.add(new Started(each, round));
                }
            }
        }
        return processes;
    }

    private boolean isMeasured(Span span, List<Started> processes) {
        return processes.stream().anyMatch(each -> !Double.isNaN(value(each, span.rate())));
    }

    private void add(Columns columns, List<Started> processes, String title, Figure figure) {
        columns.numbers(title, processes, each -> value(each, figure));
    }

    private double value(Started process, Figure figure) {
        return results.value(process.caseName, process.round, figure);
    }
}

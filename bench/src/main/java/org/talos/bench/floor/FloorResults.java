// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Columns;
import org.talos.bench.report.Measure;

/** Compares the cases of the floor benchmark: medians over the rounds, ratios within each round first. Immutable. */
final class FloorResults {
    private static final double MOST_CPU = 1.7;
    private static final double LEAST_OF_BARE = 0.5;
    private static final double LEAST_OF_FLUSH = 0.9;
    private static final double MOST_P99 = 2.5;
    private static final double MOST_MEAN = 2;
    private static final Figure REQUESTS = Results.sum(Measure::perSecond);
    private static final Figure SERVER_CPU =
            Results.figure(FloorExperiment.PUT, each -> each.figure(FloorExperiment.SERVER_CPU));
    private static final Figure PUT_MEAN = Results.figure(FloorExperiment.PUT, Measure::meanMillis);
    private static final Figure READY = Results.figure(FloorExperiment.PUT, each -> each.figure(FloorExperiment.READY));
    private static final Figure PUT_P99 = Results.figure(FloorExperiment.PUT, each -> each.millisAt(99));

    private final Results results;
    private final FloorSettings settings;

    FloorResults(Results results, FloorSettings settings) {
        this.results = results;
        this.settings = settings;
    }

    /** A line for each case, one for each beside the bare ones, and one for each process. */
    List<String> table() {
        List<FloorCase> cases = Arrays.stream(FloorCase.values())
                .filter(each -> results.has(each.label()))
                .toList();
        List<String> labels = cases.stream().map(FloorCase::label).toList();
        List<String> lines = new ArrayList<>(absolute(labels));
        lines.add("");
        lines.addAll(beside(
                labels,
                cases.stream()
                        .filter(each -> !each.stores())
                        .map(FloorCase::label)
                        .toList()));
        lines.add("");
        int rounds = settings.timing().rounds();
        lines.addAll(new FirstMinute(results, rounds).table(labels));
        lines.add("");
        lines.add("CPU: processor seconds for 1,000 requests, puts and gets alike. Median of the rounds: " + rounds
                + "; ratios are taken within a round");
        lines.add("s 0-20: rate of the first 20 s of load; steady: rate of the measured time, behind the warm-up");
        return lines;
    }

    private List<String> absolute(List<String> cases) {
        Columns columns = new Columns();
        columns.text("case", cases);
        results.medians(columns, cases, "puts/s", Results.figure(FloorExperiment.PUT, Measure::perSecond));
        results.medians(columns, cases, "gets/s", Results.figure(FloorExperiment.GET, Measure::perSecond));
        results.medians(columns, cases, "server CPU", SERVER_CPU);
        results.medians(
                columns,
                cases,
                "client CPU",
                Results.figure(FloorExperiment.PUT, each -> each.figure(FloorExperiment.CLIENT_CPU)));
        results.medians(columns, cases, "put mean ms", PUT_MEAN);
        results.medians(columns, cases, "P99 ms", PUT_P99);
        results.medians(columns, cases, "get mean ms", Results.figure(FloorExperiment.GET, Measure::meanMillis));
        results.medians(columns, cases, "P99 ms", Results.figure(FloorExperiment.GET, each -> each.millisAt(99)));
        results.medians(columns, cases, "ready s", READY);
        results.medians(columns, cases, "s 0-20 : steady", FirstMinute.EARLY);
        return columns.lines();
    }

    private List<String> beside(List<String> cases, List<String> bare) {
        Columns columns = new Columns();
        columns.text("case", cases);
        for (String other : bare) {
            ratios(columns, cases, "requests of ", other, REQUESTS);
            ratios(columns, cases, "CPU of ", other, SERVER_CPU);
            ratios(columns, cases, "put mean of ", other, PUT_MEAN);
            ratios(columns, cases, "put P99 of ", other, PUT_P99);
        }
        return columns.lines();
    }

    private void ratios(Columns columns, List<String> cases, String title, String other, Figure figure) {
        columns.numbers(title + other, cases, each -> results.ratio(each, other, figure));
    }

    /** Returns the claims about the chosen load, as far as its cases were measured. */
    List<Claim> claims() {
        Stream<Optional<Claim>> claims = Stream.empty();
        if (settings.isLoad()) {
            claims = Stream.of(
                    atMost(FloorCase.FLUSH, FloorCase.SIGNED, "server CPU a request", SERVER_CPU, MOST_CPU),
                    atLeast(FloorCase.FLUSH, FloorCase.BARE, "requests a second", REQUESTS, LEAST_OF_BARE),
                    atLeast(FloorCase.FSYNC, FloorCase.FLUSH, "requests a second", REQUESTS, LEAST_OF_FLUSH),
                    atMost(FloorCase.FLUSH, FloorCase.SIGNED, "P99 of a put", PUT_P99, MOST_P99));
        } else if (settings.isOneProducer()) {
            claims = Stream.of(
                    atMost(FloorCase.FLUSH, FloorCase.SIGNED, "mean of one producer's put", PUT_MEAN, MOST_MEAN));
        }
        return claims.flatMap(Optional::stream).toList();
    }

    private Optional<Claim> atMost(FloorCase one, FloorCase other, String what, Figure figure, double limit) {
        return results.atMost(text(one, other, what), one.label(), other.label(), figure, limit);
    }

    private Optional<Claim> atLeast(FloorCase one, FloorCase other, String what, Figure figure, double limit) {
        return results.atLeast(text(one, other, what), one.label(), other.label(), figure, limit);
    }

    private static String text(FloorCase one, FloorCase other, String what) {
        return one.label() + " : " + other.label() + ", " + what;
    }
}

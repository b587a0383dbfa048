// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Columns;

/** Compares the cases of the floor benchmark: medians over the rounds, ratios within each round first. Immutable. */
final class FloorResults {
    private static final double MOST_CPU = 1.7;
    private static final double LEAST_OF_BARE = 0.5;
    private static final double LEAST_OF_FLUSH = 0.9;
    private static final double MOST_P99 = 2.5;
    private static final double MOST_MEAN = 2;
    private static final double P99 = 99;

    private final List<FloorFigures> all;
    private final FloorSettings settings;

    FloorResults(List<FloorFigures> all, FloorSettings settings) {
        this.all = List.copyOf(all);
        this.settings = settings;
    }

    /** A line for each case, and one for each beside the bare ones. */
    List<String> table() {
        List<FloorCase> cases =
                Arrays.stream(FloorCase.values()).filter(this::wasMeasured).toList();
        List<String> lines = new ArrayList<>(absolute(cases));
        lines.add("");
        lines.addAll(beside(cases));
        lines.add("");
        lines.add("CPU: processor seconds for 1,000 requests, puts and gets alike. Median of the rounds: "
                + settings.rounds() + "; ratios are taken within a round");
        return lines;
    }

    private List<String> absolute(List<FloorCase> cases) {
        Columns columns = new Columns();
        columns.text("case", cases.stream().map(FloorCase::label).toList());
        medians(columns, cases, "puts/s", FloorFigures::putsPerSecond);
        medians(columns, cases, "gets/s", FloorFigures::getsPerSecond);
        medians(columns, cases, "server CPU", FloorFigures::serverCpuPerThousand);
        medians(columns, cases, "client CPU", FloorFigures::clientCpuPerThousand);
        medians(columns, cases, "put mean ms", FloorFigures::putMeanMillis);
        medians(columns, cases, "P99 ms", each -> each.putMillisAt(P99));
        medians(columns, cases, "get mean ms", FloorFigures::getMeanMillis);
        medians(columns, cases, "P99 ms", each -> each.getMillisAt(P99));
        return columns.lines();
    }

    private List<String> beside(List<FloorCase> cases) {
        Columns columns = new Columns();
        columns.text("case", cases.stream().map(FloorCase::label).toList());
        for (FloorCase other : cases.stream().filter(each -> !each.stores()).toList()) {
            String of = " of " + other.label();
            ratios(columns, cases, "requests" + of, other, FloorFigures::requestsPerSecond);
            ratios(columns, cases, "CPU" + of, other, FloorFigures::serverCpuPerThousand);
            ratios(columns, cases, "put mean" + of, other, FloorFigures::putMeanMillis);
            ratios(columns, cases, "put P99" + of, other, each -> each.putMillisAt(P99));
        }
        return columns.lines();
    }

    private void medians(Columns columns, List<FloorCase> cases, String title, ToDoubleFunction<FloorFigures> figure) {
        columns.numbers(
                title,
                cases.stream()
                        .map(each ->
                                median(of(each).stream().mapToDouble(figure).toArray()))
                        .toList());
    }

    private void ratios(
            Columns columns,
            List<FloorCase> cases,
            String title,
            FloorCase other,
            ToDoubleFunction<FloorFigures> figure) {
        columns.numbers(
                title, cases.stream().map(each -> ratio(each, other, figure)).toList());
    }

    /** Returns the claims about the chosen load, as far as its cases were measured. */
    List<Claim> claims() {
        Against flushAndSigned = new Against(FloorCase.FLUSH, FloorCase.SIGNED);
        Against flushAndBare = new Against(FloorCase.FLUSH, FloorCase.BARE);
        Against fsyncAndFlush = new Against(FloorCase.FSYNC, FloorCase.FLUSH);
        Stream<Optional<Claim>> claims = Stream.empty();
        if (settings.isLoad()) {
            claims = Stream.of(
                    flushAndSigned.atMost("server CPU a request", FloorFigures::serverCpuPerThousand, MOST_CPU),
                    flushAndBare.atLeast("requests a second", FloorFigures::requestsPerSecond, LEAST_OF_BARE),
                    fsyncAndFlush.atLeast("requests a second", FloorFigures::requestsPerSecond, LEAST_OF_FLUSH),
                    flushAndSigned.atMost("P99 of a put", each -> each.putMillisAt(P99), MOST_P99));
        } else if (settings.isOneProducer()) {
            claims = Stream.of(
                    flushAndSigned.atMost("mean of one producer's put", FloorFigures::putMeanMillis, MOST_MEAN));
        }
        return claims.flatMap(Optional::stream).toList();
    }

    /** Claims of one case beside another; none if either was not measured. Immutable. */
    private final class Against {
        private final FloorCase one;
        private final FloorCase other;

        Against(FloorCase one, FloorCase other) {
            this.one = one;
            this.other = other;
        }

        Optional<Claim> atMost(String what, ToDoubleFunction<FloorFigures> figure, double limit) {
            return wereMeasured()
                    ? Optional.of(Claim.atMost(text(what), "", ratio(one, other, figure), limit))
                    : Optional.empty();
        }

        Optional<Claim> atLeast(String what, ToDoubleFunction<FloorFigures> figure, double limit) {
            return wereMeasured()
                    ? Optional.of(Claim.atLeast(text(what), "", ratio(one, other, figure), limit))
                    : Optional.empty();
        }

        private boolean wereMeasured() {
            return wasMeasured(one) && wasMeasured(other);
        }

        private String text(String what) {
            return one.label() + " : " + other.label() + ", " + what;
        }
    }

    /** A line for each figure in which a request failed or a message was lost. */
    List<String> wrong() {
        return all.stream()
                .filter(each -> !each.sound())
                .map(FloorFigures::wrong)
                .toList();
    }

    private boolean wasMeasured(FloorCase what) {
        return !of(what).isEmpty();
    }

    private List<FloorFigures> of(FloorCase what) {
        return all.stream().filter(each -> each.what() == what).toList();
    }

    /** The median of the ratios within the rounds that have both cases; NaN without any. */
    private double ratio(FloorCase one, FloorCase other, ToDoubleFunction<FloorFigures> figure) {
        return median(of(one).stream()
                .flatMapToDouble(each -> of(other).stream()
                        .filter(beside -> beside.round() == each.round())
                        .mapToDouble(beside -> figure.applyAsDouble(each) / figure.applyAsDouble(beside)))
                .toArray());
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

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.load.LoadResult;
import org.talos.bench.report.Measure;

/**
 * The figures of one case in one round. Immutable.
 *
 * @param gets of the consumers, if there are any
 * @param stored messages that the server has at the end; as many as were acknowledged, or it has lost some
 * @param received messages that consumers got
 */
record FloorFigures(
        FloorCase what,
        int round,
        LoadResult puts,
        Optional<LoadResult> gets,
        Costs costs,
        long stored,
        long received) {
    static final String PUT = "put";
    static final String GET = "get";

    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * What the measured time took. Immutable.
     *
     * @param serverCpuSeconds that the server's process used
     * @param clientCpuSeconds that this process used
     * @param compileSeconds of those, by its compilers; NaN if that is not known
     * @param warmUpSeconds before it
     */
    record Costs(double serverCpuSeconds, double clientCpuSeconds, double compileSeconds, double warmUpSeconds) {}

    double putsPerSecond() {
        return puts.perSecond();
    }

    double getsPerSecond() {
        return gets.map(LoadResult::perSecond).orElse(Double.NaN);
    }

    /** Puts and gets a second. */
    double requestsPerSecond() {
        return puts.perSecond() + gets.map(LoadResult::perSecond).orElse(0.0);
    }

    double putMeanMillis() {
        return puts.latency().getMean() / NANOS_PER_MILLI;
    }

    double putMillisAt(double percentile) {
        return puts.latency().getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    double getMeanMillis() {
        return gets.map(each -> each.latency().getMean() / NANOS_PER_MILLI).orElse(Double.NaN);
    }

    double getMillisAt(double percentile) {
        return gets.map(each -> each.latency().getValueAtPercentile(percentile) / NANOS_PER_MILLI)
                .orElse(Double.NaN);
    }

    /** Processor seconds of the server for 1,000 puts and gets. */
    double serverCpuPerThousand() {
        return perThousand(costs.serverCpuSeconds);
    }

    /** The same of the client. */
    double clientCpuPerThousand() {
        return perThousand(costs.clientCpuSeconds);
    }

    private double perThousand(double seconds) {
        long requests = puts.latency().getTotalCount()
                + gets.map(each -> each.latency().getTotalCount()).orElse(0L);
        return seconds * 1_000 / Math.max(1, requests);
    }

    long failed() {
        return puts.failed() + gets.map(LoadResult::failed).orElse(0L);
    }

    /** Whether nothing failed, everything that was acknowledged is there, once, and consumers got no more than that. */
    boolean sound() {
        return failed() == 0
                && gets.map(each -> each.succeeded() > 0).orElse(true)
                && (!what.stores() || (stored == puts.succeeded() && received <= stored));
    }

    /** What is wrong, as a line of text. */
    String wrong() {
        return String.format(
                Locale.ROOT,
                "WRONG: %s, round %d: %d acknowledged, %d stored, %d received, %d errors %s",
                what.label(),
                round,
                puts.succeeded(),
                stored,
                received,
                failed(),
                puts.firstFailure()
                        .or(() -> gets.flatMap(LoadResult::firstFailure))
                        .orElse(""));
    }

    /** For the report: the puts with what all requests took, and the gets. */
    List<Measure> measures() {
        SortedMap<String, Double> figures = new TreeMap<>();
        figures.put("server CPU s/1000", serverCpuPerThousand());
        figures.put("client CPU s/1000", clientCpuPerThousand());
        figures.put("compiler CPU s", costs.compileSeconds);
        figures.put("warm-up s", costs.warmUpSeconds);
        List<Measure> measures = new ArrayList<>();
        measures.add(puts.measure(what.label(), round, PUT, figures));
        gets.ifPresent(each -> measures.add(each.measure(what.label(), round, GET, new TreeMap<>())));
        return measures;
    }
}

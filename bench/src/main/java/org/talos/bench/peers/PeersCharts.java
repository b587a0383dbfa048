// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.talos.bench.client.LoadPhase;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.report.RunReport;

/** Draws what was measured, a few charts for each load. Immutable. */
final class PeersCharts {
    private final Results results;
    private final PeersResults cases;
    private final PeersSettings settings;

    PeersCharts(Results results, PeersSettings settings) {
        this.results = results;
        this.settings = settings;
        cases = new PeersResults(results, settings);
    }

    void draw(RunReport report) {
        for (Shape each : cases.shapes()) {
            String about = ", " + each.described(settings);
            rates(report, each, about);
            costs(report, each, about);
            report.percentileChart(each.label() + " put", "Latency of puts" + about, latencies(each, LoadPhase.PUT));
            if (each.hasGetters()) {
                report.percentileChart(
                        each.label() + " got",
                        "From the put to the getting thread" + about,
                        latencies(each, LoadPhase.GET));
            }
        }
    }

    private void rates(RunReport report, Shape shape, String about) {
        Map<String, Map<String, Double>> series = new LinkedHashMap<>();
        series.put("puts", bars(shape, PeersFigures.PUTS));
        if (shape.hasGetters()) {
            series.put("gets", bars(shape, PeersFigures.GETS));
        }
        report.barChart(shape.label() + " rate", "Messages a second" + about, "messages/s", series);
    }

    private void costs(RunReport report, Shape shape, String about) {
        Map<String, Map<String, Double>> cpu = new LinkedHashMap<>();
        cpu.put("server", bars(shape, PeersFigures.SERVER_CPU));
        cpu.put("client", bars(shape, PeersFigures.CLIENT_CPU));
        report.barChart(shape.label() + " CPU", "Processor time of 1,000 messages put or got" + about, "seconds", cpu);
        Map<String, Map<String, Double>> memory = new LinkedHashMap<>();
        memory.put("server's own", bars(shape, PeersFigures.SERVER_MIB));
        memory.put("files mapped by it", bars(shape, PeersFigures.MAPPED_MIB));
        memory.put("client", bars(shape, PeersFigures.CLIENT_MIB));
        report.barChart(shape.label() + " memory", "Resident memory" + about, "MiB", memory);
    }

    private Map<String, Double> bars(Shape shape, Figure figure) {
        Map<String, Double> bars = new LinkedHashMap<>();
        cases.cases(shape)
                .forEach(each -> bars.put(each.label(), results.median(PeersFigures.caseName(each, shape), figure)));
        return bars;
    }

    private Map<String, Histogram> latencies(Shape shape, String operation) {
        Map<String, Histogram> series = new LinkedHashMap<>();
        cases.cases(shape)
                .forEach(each ->
                        series.put(each.label(), results.latencies(PeersFigures.caseName(each, shape), operation)));
        return series;
    }
}

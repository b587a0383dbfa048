// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.talos.bench.experiment.Talos216Results.Case;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;

/** The charts of the report: each of the seven measures of puts, a bar for each case. Immutable. */
final class Talos216Charts {
    private final Talos216Results results;
    private final List<Integer> clients;

    Talos216Charts(Talos216Results results, List<Integer> clients) {
        this.results = results;
        this.clients = clients;
    }

    void draw(Storage store, RunReport report) {
        bars(store, report, "QPS", "puts a second", Measure::perSecond);
        bars(store, report, "mean", "ms", Measure::meanMillis);
        bars(store, report, "P75", "ms", measure -> measure.millisAt(75));
        bars(store, report, "P99", "ms", measure -> measure.millisAt(99));
        bars(store, report, "P999", "ms", measure -> measure.millisAt(99.9));
        bars(store, report, "queue wait", "ms, mean", measure -> Talos216Results.figure(measure, "queue wait ms mean"));
        bars(store, report, "CPU busy", "processors", measure -> Talos216Results.figure(measure, "server cores busy"));
        for (int number : clients) {
            report.percentileChart(
                    store.label() + " latency " + number,
                    "Latency of puts, " + store.label() + ", clients: " + number,
                    latencies(store, number));
        }
    }

    private void bars(Storage store, RunReport report, String name, String unit, ToDoubleFunction<Measure> what) {
        Map<String, Map<String, Double>> series = new LinkedHashMap<>();
        for (int number : clients) {
            Map<String, Double> bars = new LinkedHashMap<>();
            for (Version version : Version.values()) {
                bars.put(version.label(), results.median(new Case(store, version, number), what));
            }
            series.put(number == 1 ? "1 client" : number + " clients", bars);
        }
        report.barChart(store.label() + " " + name, name + " of puts, " + store.label(), unit, series);
    }

    private Map<String, Histogram> latencies(Storage store, int number) {
        Map<String, Histogram> series = new LinkedHashMap<>();
        for (Version version : Version.values()) {
            List<Measure> rounds = results.puts(new Case(store, version, number));
            if (!rounds.isEmpty()) {
                Histogram all = rounds.get(0).latencyNanos().copy();
                rounds.stream().skip(1).forEach(each -> all.add(each.latencyNanos()));
                series.put(version.label(), all);
            }
        }
        return series;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.report.RunReport;

/** The charts of the report: each of the seven measures of puts, a bar for each case. Immutable. */
final class Talos216Charts {
    private final Results results;
    private final List<Integer> clients;

    Talos216Charts(Results results, List<Integer> clients) {
        this.results = results;
        this.clients = clients;
    }

    void draw(Storage store, RunReport report) {
        bars(store, report, "QPS", "puts a second", Talos216Case.QPS);
        bars(store, report, "mean", "ms", Talos216Case.MEAN);
        bars(store, report, "P75", "ms", Talos216Case.millisAt(75));
        bars(store, report, "P99", "ms", Talos216Case.millisAt(99));
        bars(store, report, "P999", "ms", Talos216Case.millisAt(99.9));
        bars(store, report, "queue wait", "ms, mean", Talos216Case.named("queue wait ms mean"));
        bars(store, report, "CPU busy", "processors", Talos216Case.named("server cores busy"));
        for (int number : clients) {
            report.percentileChart(
                    store.label() + " latency " + number,
                    "Latency of puts, " + store.label() + ", clients: " + number,
                    latencies(store, number));
        }
    }

    private void bars(Storage store, RunReport report, String name, String unit, Figure what) {
        Map<String, Map<String, Double>> series = new LinkedHashMap<>();
        for (int number : clients) {
            Map<String, Double> bars = new LinkedHashMap<>();
            for (Version version : Version.values()) {
                bars.put(version.label(), results.median(new Talos216Case(store, version, number).label(), what));
            }
            series.put(number == 1 ? "1 client" : number + " clients", bars);
        }
        report.barChart(store.label() + " " + name, name + " of puts, " + store.label(), unit, series);
    }

    private Map<String, Histogram> latencies(Storage store, int number) {
        Map<String, Histogram> series = new LinkedHashMap<>();
        for (Version version : Version.values()) {
            String name = new Talos216Case(store, version, number).label();
            if (results.has(name)) {
                series.put(version.label(), results.latencies(name, "put"));
            }
        }
        return series;
    }
}

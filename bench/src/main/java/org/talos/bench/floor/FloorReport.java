// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/** The report of the floor benchmark: figures of all rounds as a table of medians, and as files. Immutable. */
final class FloorReport {
    private static final String CSV_HEAD =
            "round,case,puts_per_s,mean_ms,p50_ms,p99_ms,p999_ms,max_ms,server_cpu_s_per_1000,client_cpu_s_per_1000,"
                    + "measured,acknowledged,stored,errors\n";

    private final List<FloorFigures> all;

    FloorReport(List<FloorFigures> all) {
        this.all = List.copyOf(all);
    }

    /** Whether no case had an error or lost a message. */
    boolean sound() {
        return all.stream().allMatch(FloorFigures::sound);
    }

    /** The table: a line for each case with medians over the rounds, then the errors. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add("%-6s %9s %9s %9s %9s %9s %12s %12s %7s %8s"
                .formatted(
                        "case",
                        "puts/s",
                        "mean/ms",
                        "P50/ms",
                        "P99/ms",
                        "P999/ms",
                        "server CPU",
                        "client CPU",
                        "errors",
                        "of bare"));
        double bare = median(FloorCase.BARE, FloorFigures::perSecond);
        for (FloorCase each : FloorCase.values()) {
            if (!of(each).isEmpty()) {
                lines.add(row(each, bare));
            }
        }
        lines.add("CPU in seconds per 1,000 puts; of bare: puts/s beside those of the bare Jetty");
        all.stream().filter(each -> !each.sound()).map(FloorReport::wrong).forEach(lines::add);
        return lines;
    }

    private String row(FloorCase what, double bare) {
        return String.format(
                Locale.ROOT,
                "%-6s %9.0f %9.2f %9.2f %9.2f %9.2f %12.3f %12.3f %7d %8.3f",
                what.label(),
                median(what, FloorFigures::perSecond),
                median(what, FloorFigures::meanMillis),
                median(what, one -> one.percentileMillis(50)),
                median(what, one -> one.percentileMillis(99)),
                median(what, one -> one.percentileMillis(99.9)),
                median(what, FloorFigures::serverCpuPerThousand),
                median(what, FloorFigures::clientCpuPerThousand),
                of(what).stream().mapToLong(one -> one.load().failed()).sum(),
                median(what, FloorFigures::perSecond) / bare);
    }

    private static String wrong(FloorFigures figures) {
        return "WRONG: %s, round %d: %d acknowledged, %d stored, %d errors %s"
                .formatted(
                        figures.what().label(),
                        figures.round(),
                        figures.load().succeeded(),
                        figures.stored(),
                        figures.load().failed(),
                        figures.load().firstFailure().orElse(""));
    }

    private List<FloorFigures> of(FloorCase what) {
        return all.stream().filter(each -> each.what() == what).toList();
    }

    private double median(FloorCase what, ToDoubleFunction<FloorFigures> figure) {
        double[] sorted = of(what).stream().mapToDouble(figure).sorted().toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Writes the figures of every round. */
    void write(Path folder) throws IOException {
        StringBuilder csv = new StringBuilder(CSV_HEAD);
        for (FloorFigures each : all) {
            csv.append(String.format(
                    Locale.ROOT,
                    "%d,%s,%.1f,%.4f,%.4f,%.4f,%.4f,%.4f,%.5f,%.5f,%d,%d,%d,%d%n",
                    each.round(),
                    each.what().label(),
                    each.perSecond(),
                    each.meanMillis(),
                    each.percentileMillis(50),
                    each.percentileMillis(99),
                    each.percentileMillis(99.9),
                    each.percentileMillis(100),
                    each.serverCpuPerThousand(),
                    each.clientCpuPerThousand(),
                    each.load().latency().getTotalCount(),
                    each.load().succeeded(),
                    each.stored(),
                    each.load().failed()));
        }
        Files.writeString(folder.resolve("floor.csv"), csv);
        Files.write(folder.resolve("floor.txt"), table());
        for (FloorFigures each : all) {
            writeHistogram(folder, each);
        }
    }

    private static void writeHistogram(Path folder, FloorFigures figures) throws IOException {
        String name = figures.what().label() + "-" + figures.round();
        Histogram latency = figures.load().latency();
        HistogramLogWriter log =
                new HistogramLogWriter(folder.resolve(name + ".hlog").toFile());
        log.outputLogFormatVersion();
        log.outputLegend();
        log.outputIntervalHistogram(0, figures.load().measuredNanos() / 1e9, latency, 1e6);
        log.close();
        try (PrintStream text = new PrintStream(folder.resolve(name + ".hgrm").toFile(), StandardCharsets.UTF_8)) {
            latency.outputPercentileDistribution(text, 1e6);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandContext;

/**
 * The report folder of one run: settings.txt from the beginning, and whenever it is written the table of medians, the
 * figures of every round, their histograms, charts, and the claims.
 *
 * <p>Confined: the main thread of a command.
 */
public final class RunReport {
    private static final double NANOS_PER_MILLI = 1e6;

    private final CommandContext context;
    private final String experiment;
    private final Path folder;
    private final Map<String, Measure> measures = new LinkedHashMap<>(); // by the name of its histogram's file
    private final List<Claim> claims = new ArrayList<>();
    private final Map<String, String> charts = new LinkedHashMap<>(); // SVG, by the name of its file

    private RunReport(CommandContext context, String experiment, Path folder) {
        this.context = context;
        this.experiment = experiment;
        this.folder = folder;
    }

    /**
     * Creates the folder of the run, with its settings.txt.
     *
     * @param experiment name of the command, a word
     * @param settings the settings, by name
     */
    public static RunReport begin(CommandContext context, String experiment, SortedMap<String, String> settings)
            throws IOException {
        return new RunReport(context, experiment, RunFolder.begin(context.home(), experiment, settings));
    }

    /** Returns the folder of the report. Logs and other files of the run belong there too. */
    public Path folder() {
        return folder;
    }

    /** Adds a measure; there is one of each operation of a case in a round. */
    public void add(Measure measure) {
        String name = fileName(measure.caseName() + "-" + measure.round() + "-" + measure.operation());
        if (measures.putIfAbsent(name, measure) != null) {
            throw new IllegalArgumentException("measured twice: " + name);
        }
    }

    /** Adds a claim; claims are shown in this order. */
    public void add(Claim claim) {
        claims.add(claim);
    }

    /**
     * Draws a group of bars for each category; series and categories stay in their order. A chart of the same name
     * replaces the first.
     */
    public void barChart(String name, String title, String yTitle, Map<String, ? extends Map<String, Double>> series) {
        charts.put(fileName(name), Chart.ofBars(title, yTitle, series));
    }

    /**
     * Draws a line for each series; an axis whose values are far apart is logarithmic. A chart of the same name
     * replaces the first.
     */
    public void lineChart(
            String name, String title, String xTitle, String yTitle, Map<String, List<ChartPoint>> series) {
        charts.put(fileName(name), Chart.ofLines(title, xTitle, yTitle, series));
    }

    /** Draws latencies, recorded in nanoseconds, by percentile. A chart of the same name replaces the first. */
    public void percentileChart(String name, String title, Map<String, Histogram> series) {
        charts.put(fileName(name), Chart.ofPercentiles(title, series));
    }

    /** Names may hold what a file system does not take. */
    private static String fileName(String name) {
        return name.replaceAll("[^\\p{Alnum}._-]", "_");
    }

    /**
     * Writes everything added so far; a run that writes after each round leaves a report also when it is ended early.
     */
    public void write() throws IOException {
        Files.write(folder.resolve("table.txt"), table());
        Files.write(folder.resolve("claims.txt"), claimLines());
        new FiguresFile(experiment, rows()).write(folder);
        Path histograms = Files.createDirectories(folder.resolve("histograms"));
        for (Map.Entry<String, Measure> each : measures.entrySet()) {
            writeHistogram(histograms.resolve(each.getKey() + ".hlog"), each.getValue());
        }
        if (!charts.isEmpty()) {
            Path pictures = Files.createDirectories(folder.resolve("charts"));
            for (Map.Entry<String, String> each : charts.entrySet()) {
                Files.writeString(pictures.resolve(each.getKey() + ".svg"), each.getValue());
            }
        }
    }

    private static void writeHistogram(Path file, Measure measure) throws IOException {
        HistogramLogWriter log = new HistogramLogWriter(file.toFile());
        log.outputLogFormatVersion();
        log.outputLegend();
        log.outputIntervalHistogram(0, measure.seconds(), measure.latencyNanos(), NANOS_PER_MILLI);
        log.close();
    }

    /** A line for each operation of each case: medians over the rounds, and how many requests failed in all of them. */
    public List<String> table() {
        List<FigureRow> rows = rows();
        Map<FigureRow.Subject, Rounds> rounds = Rounds.of(rows);
        Columns columns = new Columns();
        columns.text("case", rounds.keySet(), FigureRow.Subject::caseName);
        columns.text("operation", rounds.keySet(), FigureRow.Subject::operation);
        FigureRow.RESULTS.forEach(name -> columns.numbers(name, rounds.values(), each -> each.median(name)));
        columns.numbers(FigureRow.FAILED, rounds.values(), each -> each.sum(FigureRow.FAILED));
        FigureRow.others(rows).forEach(name -> columns.numbers(name, rounds.values(), each -> each.median(name)));
        return columns.lines();
    }

    private List<FigureRow> rows() {
        return measures.values().stream().map(FigureRow::of).toList();
    }

    private List<String> claimLines() {
        return claims.stream().map(Claim::line).toList();
    }

    /**
     * Writes everything, and shows the last lines of the run, which are kept as well, in a file with the experiment's
     * name.
     *
     * @param tables lines before the claims
     * @param wrong lines behind them, about results that no server may cause
     * @return the exit code of the command: 1 if something is wrong
     */
    public int finish(List<String> tables, List<String> wrong) throws IOException {
        write();
        List<String> lines = new ArrayList<>(tables);
        lines.addAll(claimLines());
        lines.addAll(wrong);
        Files.write(folder.resolve(experiment + ".txt"), lines);
        for (String line : lines) {
            context.line(line);
        }
        context.line("report: " + folder);
        return wrong.isEmpty() ? 0 : 1;
    }
}

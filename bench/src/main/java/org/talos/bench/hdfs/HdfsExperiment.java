// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.talos.bench.engine.Experiment;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.report.ChartPoint;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;

/**
 * Compares the writers with each number of partitions. The claims are about medians of the ratios within a round.
 *
 * <p>Confined: the main thread.
 */
final class HdfsExperiment implements Experiment<HdfsExperiment.Writer> {
    static final List<Way> COMPARED = List.of(Way.RAW, Way.JOURNAL, Way.PIPELINE);
    private static final Duration LEAD_IN = Duration.ofSeconds(2);
    private static final double HALF_MORE = 1.5;
    private static final double A_THIRD_MORE = 4.0 / 3;
    private static final double MOST_OF_A_PUT = 0.6;

    private final HdfsRun run;
    private final List<Integer> partitions;
    private final Duration measured;

    HdfsExperiment(HdfsRun run, List<Integer> partitions, Duration measured) {
        this.run = run;
        this.partitions = List.copyOf(partitions);
        this.measured = measured;
    }

    /** A writer, with this number of partitions or files. Immutable. */
    record Writer(Way way, int partitions) {
        String label() {
            return way.label() + " " + partitions;
        }
    }

    @Override
    public List<Writer> cases(int round) {
        return partitions.stream()
                .flatMap(count -> COMPARED.stream().map(way -> new Writer(way, count)))
                .toList();
    }

    @Override
    public List<Measure> measure(Writer writer, int round)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        return List.of(run.measure(writer.way, writer.partitions, round, LEAD_IN, measured));
    }

    @Override
    public String line(Writer writer, List<Measure> measures) {
        Measure puts = measures.get(0);
        return format(
                "%-12s %7.0f puts/s, mean %.2f ms, P99 %.1f ms",
                writer.label(), puts.perSecond(), puts.meanMillis(), puts.millisAt(99));
    }

    /** The claims about the form with journals, with the fewest and with the most partitions. */
    @Override
    public List<Claim> claims(Results results) {
        int few = Collections.min(partitions);
        int many = Collections.max(partitions);
        return List.of(
                Claim.atLeast(text(many, "puts/s"), "", ratio(results, many, Measure::perSecond), HALF_MORE),
                Claim.atMost(text(many, "P99"), "", ratio(results, many, puts -> puts.millisAt(99)), 1),
                Claim.atMost(text(few, "mean latency"), "", ratio(results, few, Measure::meanMillis), A_THIRD_MORE),
                share(results, few),
                share(results, many));
    }

    private static String text(int partitions, String what) {
        return format("journal : raw at %d, %s", partitions, what);
    }

    private static double ratio(Results results, int partitions, ToDoubleFunction<Measure> what) {
        return results.ratio(
                new Writer(Way.JOURNAL, partitions).label(),
                new Writer(Way.RAW, partitions).label(),
                Results.figure(HdfsRun.OPERATION, what));
    }

    private static Claim share(Results results, int partitions) {
        double share = results.median(
                new Writer(Way.JOURNAL, partitions).label(),
                Results.figure(HdfsRun.OPERATION, puts -> puts.figure(Costs.SHARE)));
        return Claim.atLeast("HDFS' share of a put in the server at " + partitions, "", share, MOST_OF_A_PUT);
    }

    @Override
    public void draw(Results results, RunReport report) {
        Figure rate = Results.figure(HdfsRun.OPERATION, Measure::perSecond);
        Map<String, List<ChartPoint>> lines = new TreeMap<>();
        for (Way way : COMPARED) {
            lines.put(
                    way.label(),
                    partitions.stream()
                            .sorted()
                            .map(count -> new ChartPoint(count, results.median(new Writer(way, count).label(), rate)))
                            .toList());
        }
        report.lineChart("puts", "Puts a second by partitions", "partitions", "puts a second", lines);
    }
}

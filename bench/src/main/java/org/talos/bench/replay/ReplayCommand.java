// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.talos.bench.hdfs.Cluster;
import org.talos.bench.replay.ReplaySettings.Store;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures reading far behind the tail, beside a reader of the same files without a server, and what the tail feels of
 * it.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "replay",
        description = "Read a filled topic from its beginning, a consumer for each partition, while nothing else "
                + "happens (replay), and beside puts at a pace and consumers that wait for them (both); the same puts "
                + "without a replay (tail); and the same files read without a server (bare). On one server with its "
                + "logs on the local disk, or in an HDFS that is started on this machine. Rounds interleave the cases.",
        mixinStandardHelpOptions = true)
public final class ReplayCommand implements Callable<Integer> {
    private static final int MOST_PARTITIONS = 250;
    private static final double MOST_GIGABYTES = 10_000;
    private static final double MOST_PUTS = 1e6;
    private static final double OF_PEAK = 0.5;
    private static final List<ReplayCase> CASES =
            List.of(ReplayCase.TAIL, ReplayCase.BOTH, ReplayCase.REPLAY, ReplayCase.BARE);

    private final CommandContext context;

    @Option(names = "--short", description = "1 GB, two rounds of 10 s. With LOCAL within five minutes")
    private boolean brief;

    @Option(names = "--store", description = "LOCAL or HDFS: where the server keeps its logs. Default: LOCAL")
    private Store store = Store.LOCAL;

    @Option(
            names = "--devcluster",
            paramLabel = "DIR",
            description =
                    "Of a development cluster, which keeps running afterwards, for HDFS. Default: one that is started "
                            + "and ended")
    private Optional<Path> devCluster = Optional.empty();

    @Option(names = "--gb", description = "Of messages, that are replayed. Default: 10; short: 1")
    private Optional<Double> gigabytes = Optional.empty();

    @Option(names = "--partitions", description = "Of either topic, with a consumer each, 1 to 250. Default: 120")
    private int partitions = 120;

    @Option(names = "--size", description = "Bytes of a message, which cannot be compressed. Default: 10240")
    private int size = 10_240;

    @Option(
            names = "--puts",
            description = "A second, at the tail. Default: half of the most, which is measured before the first round")
    private Optional<Double> puts = Optional.empty();

    @Option(names = "--seconds", description = "Measured, each case. Default: 30; short: 10")
    private Optional<Integer> seconds = Optional.empty();

    @Option(
            names = "--warmup",
            description = "Seconds before each case, at most: it ends when the server's compilers are quiet. "
                    + "Default: 60; short: 12")
    private Optional<Integer> warmUp = Optional.empty();

    @Option(names = "--rounds", description = "Of all cases; the table has medians. Default: 5; short: 2")
    private Optional<Integer> rounds = Optional.empty();

    @Option(names = "--data", paramLabel = "DIR", description = "Where the server keeps data. Default: bench/target")
    private Optional<Path> data = Optional.empty();

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "For the server, as in the environment: LOG_SEGMENTBYTES=16MiB")
    private Map<String, String> set = new HashMap<>();

    @Option(
            names = "--server-options",
            paramLabel = "OPTIONS",
            description = "JVM of the server. Default: -Xms2g -Xmx2g -XX:+UseG1GC -XX:MaxGCPauseMillis=20")
    private String serverOptions = "-Xms2g -Xmx2g -XX:+UseG1GC -XX:MaxGCPauseMillis=20";

    /** Returns the command. */
    public ReplayCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException {
        ReplaySettings settings = settings();
        RunReport report = RunReport.begin(context, "replay", settings.described());
        try (Site site = site(settings, report.folder())) {
            KeptTopic kept = KeptTopic.fill(site, settings);
            context.line("filled");
            ReplayRun run = new ReplayRun(site, kept, settings);
            ReplayResults results = new ReplayResults();
            measure(run, settings, report, results);
            results.claims().forEach(report::add);
            report.write();
            report.print();
            List<String> lines = new ArrayList<>(results.ratios());
            run.failures().forEach(each -> lines.add("FAILED: " + each));
            Files.write(report.folder().resolve("replay.txt"), lines);
            for (String line : lines) {
                context.line(line);
            }
            return run.failures().isEmpty() ? 0 : 1;
        }
    }

    private Site site(ReplaySettings settings, Path folder) throws IOException, CommandException {
        Path log = folder.resolve("server.log");
        if (settings.store() == Store.LOCAL) {
            return LocalSite.start(settings, log);
        }
        Path home = context.home();
        Cluster cluster = devCluster.isPresent()
                ? Cluster.goingOn(home, devCluster.get())
                : Cluster.start(home, folder.resolve("cluster"), false);
        return HdfsSite.start(cluster, settings, log);
    }

    private void measure(ReplayRun run, ReplaySettings settings, RunReport report, ReplayResults results)
            throws IOException, TalosClientException, CommandException {
        double pace = settings.putsPerSecond().orElse(0.0);
        if (settings.putsPerSecond().isEmpty()) {
            List<Measure> peak = run.measure(ReplayCase.PEAK, 1, 0);
            measured(peak, settings, report, results);
            pace = OF_PEAK * peak.get(0).perSecond();
        }
        for (int round = 1; round <= settings.rounds(); round++) {
            List<ReplayCase> order = new ArrayList<>(CASES);
            if (round % 2 == 0) {
                Collections.reverse(order); // so that no case always comes before the other
            }
            for (ReplayCase each : order) {
                measured(run.measure(each, round, pace), settings, report, results);
            }
        }
    }

    private void measured(List<Measure> measures, ReplaySettings settings, RunReport report, ReplayResults results)
            throws IOException {
        for (Measure each : measures) {
            report.add(each);
            results.add(each);
            context.line(String.format(
                    Locale.ROOT,
                    "round %d of %d: %s, %s: %,.1f a second, mean %.2f ms, P99 %.2f ms%s",
                    each.round(),
                    settings.rounds(),
                    each.caseName(),
                    each.operation(),
                    each.perSecond(),
                    each.meanMillis(),
                    each.millisAt(99),
                    each.operation().equals(ReplayRun.READ)
                            ? String.format(
                                    Locale.ROOT, ", %.0f MB/s", each.figures().get(ReplayWindow.MEGABYTES))
                            : ""));
        }
        report.write();
    }

    private ReplaySettings settings() throws CommandException, IOException {
        if (devCluster.isPresent() && store != Store.HDFS) {
            throw CommandException.usage("--devcluster: is for --store HDFS");
        }
        return new ReplaySettings(
                store,
                Math.round(inRange("--gb", gigabytes.orElse(brief ? 1.0 : 10.0), 0, MOST_GIGABYTES) * 1e9),
                (int) inRange("--partitions", partitions, 1, MOST_PARTITIONS),
                (int) inRange("--size", size, 1, 1 << 20),
                puts.isPresent() ? Optional.of(inRange("--puts", puts.get(), 1, MOST_PUTS)) : puts,
                Duration.ofSeconds((long) inRange("--warmup", warmUp.orElse(brief ? 12 : 60), 0, 3_600)),
                Duration.ofSeconds((long) inRange("--seconds", seconds.orElse(brief ? 10 : 30), 1, 3_600)),
                (int) inRange("--rounds", rounds.orElse(brief ? 2 : 5), 1, 100),
                Files.createDirectories(data.orElse(RunFolder.work(context.home()))),
                List.of(serverOptions.strip().split(" +")),
                set);
    }

    private static double inRange(String name, double given, double least, double most) throws CommandException {
        if (!(given >= least && given <= most)) {
            throw CommandException.usage(
                    String.format(Locale.ROOT, "%s: %s (expected: %.0f..%.0f)", name, given, least, most));
        }
        return given;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.talos.bench.load.NumberedMessages;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.server.config.Durability;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures how long partitions in HDFS are not served when their server is killed.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "takeover",
        description = "Kill a server under load whose logs are in HDFS, start another, and measure until every "
                + "partition serves again; then check that each acknowledged put is there once. Starts HDFS on this "
                + "machine unless one is named.",
        mixinStandardHelpOptions = true)
public final class TakeoverCommand implements Callable<Integer> {
    private static final int MOST_PARTITIONS = 256;
    private static final int MOST_SEGMENTS = 10_000;

    private final CommandContext context;

    @Option(names = "--short", description = "Once, after a shorter load.")
    private boolean brief;

    @Option(names = "--config", paramLabel = "FILE", description = "A server's configuration, which names the HDFS")
    private Optional<Path> config = Optional.empty();

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Of the HDFS that is started; its data stays. Default: in the report, without its data")
    private Optional<Path> directory = Optional.empty();

    @Option(
            names = "--durability",
            description = "flush: in all replicas' memory; fsync: on their disks. Default: flush")
    private Durability durability = Durability.FLUSH;

    @Option(names = "--partitions", description = "1 to 256. Default: 120")
    private int partitions = 120;

    @Option(names = "--size", description = "Bytes of a message, which cannot be compressed. Default: 10240")
    private int size = 10_240;

    @Option(names = "--seconds", description = "Of load before the kill. Default: 20, with --short 5")
    private int seconds;

    @Option(names = "--rounds", description = "The table has medians. Default: 3, with --short 1")
    private int rounds;

    @Option(
            names = "--segments",
            split = ",",
            paramLabel = "NUMBER",
            description = "Sealed segments that each partition has before, 0 to 10000; with several numbers, each is "
                    + "measured in each round. Default: 0")
    private List<Integer> segments = List.of(0);

    @Option(names = "--way", split = ",", description = "JOURNAL, PIPELINE. Default: both")
    private List<Way> ways = List.of(Way.JOURNAL, Way.PIPELINE);

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "For the servers, as in the environment: HDFS_RECOVERIESATONCE=64")
    private Map<String, String> settings = new HashMap<>();

    /** Returns the command. */
    public TakeoverCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        seconds = seconds > 0 ? seconds : brief ? 5 : 20;
        rounds = rounds > 0 ? rounds : brief ? 1 : 3;
        check();
        RunReport report = RunReport.begin(context, "takeover", described());
        var settings =
                new TakeoverRun.Settings(partitions, size, Duration.ofSeconds(seconds), durability, this.settings);
        SortedMap<Integer, TakeoverSite> sites = new TreeMap<>();
        try (Cluster cluster = cluster(report.folder())) {
            for (int each : new TreeSet<>(segments)) {
                sites.put(each, site(cluster, settings, each, report.folder()));
            }
            measure(new TakeoverRun(settings, report.folder()), sites, report);
        } finally {
            sites.values().forEach(TakeoverSite::close);
        }
        report.print();
        return 0;
    }

    private void check() throws CommandException {
        if (partitions < 1 || partitions > MOST_PARTITIONS || size < NumberedMessages.LEAST_BYTES) {
            throw new CommandException(
                    "--partitions: 1 to " + MOST_PARTITIONS + ", --size: " + NumberedMessages.LEAST_BYTES + " or more");
        }
        if (!ways.stream().allMatch(Way::hasServer)
                || segments.stream().anyMatch(each -> each < 0 || each > MOST_SEGMENTS)) {
            throw new CommandException("--way: JOURNAL or PIPELINE, --segments: 0 to " + MOST_SEGMENTS);
        }
    }

    private Cluster cluster(Path folder) throws IOException, CommandException {
        return config.isPresent()
                ? Cluster.of(config.get())
                : Cluster.start(context.home(), directory.orElse(folder.resolve("cluster")), directory.isPresent());
    }

    private SortedMap<String, String> described() {
        TreeMap<String, String> lines = new TreeMap<>(Map.of(
                "durability", durability.name(),
                "partitions", Integer.toString(partitions),
                "message bytes", Integer.toString(size),
                "load s", Integer.toString(seconds),
                "rounds", Integer.toString(rounds),
                "segments", segments.toString(),
                "HDFS", config.map(Path::toString).orElse("started, heartbeats as HDFS has them: 3 s")));
        settings.forEach((key, value) -> lines.put("set " + key, value));
        return lines;
    }

    private TakeoverSite site(Cluster cluster, TakeoverRun.Settings all, int count, Path logs)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        long begun = System.nanoTime();
        TakeoverSite site = TakeoverSite.make(cluster, all, count, RunFolder.work(context.home()), logs);
        if (count > 0) {
            context.line(String.format(
                    Locale.ROOT,
                    "%d sealed segments in each of %d partitions, made in %d s",
                    count,
                    partitions,
                    TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun)));
        }
        return site;
    }

    private void measure(TakeoverRun run, SortedMap<Integer, TakeoverSite> sites, RunReport report)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        for (Way way : ways) {
            TakeoverResults results = new TakeoverResults(way);
            for (int round = 1; round <= rounds; round++) {
                for (TakeoverSite site : sites.values()) {
                    Measure one = run.measure(site, way, round);
                    report.add(one);
                    report.write();
                    results.add(site.segments(), one.figures().getOrDefault(TakeoverRun.SECONDS, Double.NaN));
                    context.line(String.format(
                            Locale.ROOT,
                            "round %d of %d: %s: all served after %.1f s, nothing lost, nothing twice",
                            round,
                            rounds,
                            one.caseName(),
                            one.seconds()));
                }
            }
            results.claims().forEach(report::add);
        }
        report.write();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.report.RunReport;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandException;
import org.talos.cli.Surroundings;
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
                + "machine unless told of one.",
        mixinStandardHelpOptions = true)
public final class TakeoverCommand implements Callable<Integer> {
    private static final int MOST_PARTITIONS = 256;
    private static final int LEAST_BYTES = 8;
    private static final double LONGEST_SECONDS = 30;

    private final Surroundings surroundings;

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

    @Option(names = "--size", description = "Bytes of a message, which can't be compressed. Default: 10240")
    private int size = 10_240;

    @Option(names = "--seconds", description = "Of load before the kill. Default: 20, with --short 5")
    private int seconds;

    @Option(names = "--rounds", description = "The table has medians. Default: 3, with --short 1")
    private int rounds;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "For the servers, as in the environment: HDFS_RECOVERIESATONCE=64")
    private Map<String, String> settings = new HashMap<>();

    /** Returns the command. */
    public TakeoverCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        seconds = seconds > 0 ? seconds : brief ? 5 : 20;
        rounds = rounds > 0 ? rounds : brief ? 1 : 3;
        if (partitions < 1 || partitions > MOST_PARTITIONS || size < LEAST_BYTES) {
            throw new CommandException(
                    "--partitions: 1 to " + MOST_PARTITIONS + ", --size: " + LEAST_BYTES + " or more");
        }
        RunReport report = RunReport.begin(surroundings, "takeover", described());
        try (Cluster cluster = cluster(report.folder())) {
            TakeoverRun run = new TakeoverRun(
                    cluster,
                    new TakeoverRun.Settings(partitions, size, Duration.ofSeconds(seconds), durability, settings),
                    RunFolder.work(surroundings.home()),
                    report.folder());
            measure(run, report);
        }
        report.print();
        return 0;
    }

    private Cluster cluster(Path folder) throws IOException, CommandException {
        return config.isPresent()
                ? Cluster.of(config.get())
                : Cluster.start(
                        surroundings.home(), directory.orElse(folder.resolve("cluster")), directory.isPresent());
    }

    private SortedMap<String, String> described() {
        TreeMap<String, String> lines = new TreeMap<>(Map.of(
                "durability", durability.name(),
                "partitions", Integer.toString(partitions),
                "message bytes", Integer.toString(size),
                "load s", Integer.toString(seconds),
                "rounds", Integer.toString(rounds),
                "HDFS", config.map(Path::toString).orElse("started, heartbeats as HDFS has them: 3 s")));
        settings.forEach((key, value) -> lines.put("set " + key, value));
        return lines;
    }

    private void measure(TakeoverRun run, RunReport report)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        for (Way way : List.of(Way.JOURNAL, Way.PIPELINE)) {
            List<Double> times = new ArrayList<>();
            for (int round = 1; round <= rounds; round++) {
                Measure one = run.measure(way, round);
                report.add(one);
                report.write();
                times.add(one.figures().get(TakeoverRun.SECONDS));
                surroundings.line(String.format(
                        Locale.ROOT,
                        "round %d of %d: %s: all served after %.1f s, nothing lost, nothing twice",
                        round,
                        rounds,
                        one.caseName(),
                        times.get(times.size() - 1)));
            }
            double longest = times.stream().max(Comparator.naturalOrder()).orElse(Double.NaN);
            report.add(Claim.atMost(way.label() + ", longest takeover", "s", longest, LONGEST_SECONDS));
        }
        report.write();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
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
 * Compares puts through the server with Hadoop's client alone, on a real HDFS.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "hdfs",
        description = "Write the same records to a real HDFS: with Hadoop's client alone, a file and a flush for each "
                + "thread, with the most threads also without flushes (bulk), and by puts to a server that keeps its logs there, from shared journals and from a file for "
                + "each partition. Starts HDFS on this machine unless one is named.",
        mixinStandardHelpOptions = true)
public final class HdfsCommand implements Callable<Integer> {
    private static final int MOST_PARTITIONS = 256;
    private static final Duration LEAD_IN = Duration.ofSeconds(2);
    private static final List<Way> COMPARED = List.of(Way.RAW, Way.JOURNAL, Way.PIPELINE);

    private final CommandContext context;

    @Option(names = "--short", description = "About 7 minutes.")
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

    @Option(names = "--partitions", split = ",", description = "1 to 256 each. Default: 1,8,32,120")
    private List<Integer> partitions = List.of(1, 8, 32, 120);

    @Option(names = "--size", description = "Bytes of a record, which cannot be compressed. Default: 10240")
    private int size = 10_240;

    @Option(names = "--seconds", description = "Measured, each way in each round. Default: 10, with --short 4")
    private int seconds;

    @Option(names = "--warmup", description = "Seconds of full load, each way. Default: 30")
    private int warmUp = 30;

    @Option(names = "--rounds", description = "The table has medians. Default: 5, with --short 3")
    private int rounds;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "For the servers, as in the environment: HDFS_JOURNALS=4")
    private Map<String, String> settings = new HashMap<>();

    /** Returns the command. */
    public HdfsCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        seconds = seconds > 0 ? seconds : brief ? 4 : 10;
        rounds = rounds > 0 ? rounds : brief ? 3 : 5;
        if (partitions.stream().anyMatch(each -> each < 1 || each > MOST_PARTITIONS)) {
            throw new CommandException("--partitions: 1 to " + MOST_PARTITIONS);
        }
        if (warmUp < 1) {
            throw new CommandException("--warmup: 1 or more");
        }
        RunReport report = RunReport.begin(context, "hdfs", described());
        try (Cluster cluster = cluster(report.folder());
                HdfsRun run = new HdfsRun(cluster, new HdfsRun.Settings(durability, size, settings))) {
            Path work = RunFolder.work(context.home());
            for (Way way : List.of(Way.JOURNAL, Way.PIPELINE)) {
                run.start(way, most(), work, report.folder().resolve(way.label() + ".log"));
            }
            warmUp(run);
            measure(run, report);
        }
        report.print();
        return 0;
    }

    private Cluster cluster(Path folder) throws IOException, CommandException {
        return config.isPresent()
                ? Cluster.of(config.get())
                : Cluster.start(context.home(), directory.orElse(folder.resolve("cluster")), directory.isPresent());
    }

    private SortedMap<String, String> described() {
        TreeMap<String, String> lines = new TreeMap<>(Map.of(
                "durability", durability.name(),
                "partitions", partitions.toString(),
                "message bytes", Integer.toString(size),
                "measured s", Integer.toString(seconds),
                "warm-up s", Integer.toString(warmUp),
                "rounds", Integer.toString(rounds),
                "HDFS", config.map(Path::toString).orElse("started")));
        settings.forEach((key, value) -> lines.put("set " + key, value));
        return lines;
    }

    private int most() {
        return partitions.stream().mapToInt(each -> each).max().orElse(1);
    }

    private void warmUp(HdfsRun run) throws IOException, CommandException, TalosClientException, InterruptedException {
        for (Way way : COMPARED) {
            var unused = run.measure(way, most(), 0, Duration.ofSeconds(warmUp), Duration.ofSeconds(1));
            context.line("warm: " + way.label());
        }
    }

    private void measure(HdfsRun run, RunReport report)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        HdfsResults results = new HdfsResults();
        for (int round = 1; round <= rounds; round++) {
            for (int count : partitions) {
                Map<Way, Measure> measured = new EnumMap<>(Way.class);
                for (Way way : COMPARED) {
                    measured.put(way, measured(run, way, count, round, report));
                }
                results.add(count, measured);
                report.write();
            }
        }
        results.claims().forEach(report::add);
        report.lineChart("puts", "Puts a second by partitions", "partitions", "puts a second", results.lines());
        report.write();
        for (int round = 1; round <= rounds; round++) { // last: what it leaves to be written and deleted is much
            var unused = measured(run, Way.BULK, most(), round, report);
            report.write();
        }
    }

    private Measure measured(HdfsRun run, Way way, int count, int round, RunReport report)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        Measure one = run.measure(way, count, round, LEAD_IN, Duration.ofSeconds(seconds));
        report.add(one);
        context.line(String.format(
                Locale.ROOT,
                "round %d of %d: %-12s %7.0f puts/s, mean %.2f ms, P99 %.1f ms",
                round,
                rounds,
                one.caseName(),
                one.perSecond(),
                one.meanMillis(),
                one.millisAt(99)));
        return one;
    }
}

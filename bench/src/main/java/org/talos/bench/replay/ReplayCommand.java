// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import static org.talos.bench.engine.ExperimentOptions.inRange;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.ExperimentRunner;
import org.talos.bench.engine.ServerSetup;
import org.talos.bench.hdfs.Cluster;
import org.talos.bench.replay.ReplaySettings.Store;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures reading far behind the tail, and what the tail feels of it. Confined: the main thread. */
@Command(
        name = "replay",
        description = "Read a filled topic from its beginning, a consumer for each partition, while nothing else "
                + "happens (replay), and beside puts at a pace and consumers that wait for them (both); the same puts "
                + "without a replay (tail); and the same files read without a server (bare). On one server with its "
                + "logs on the local disk, or in an HDFS that is started on this machine. Rounds interleave the cases.")
public final class ReplayCommand extends ExperimentCommand {
    private static final int MOST_PARTITIONS = 250;
    private static final double MOST_GIGABYTES = 10_000;
    private static final double MOST_PUTS = 1e6;

    @Option(names = "--store", description = "LOCAL or HDFS: where the server keeps its logs. Default: LOCAL")
    private Store store = Store.LOCAL;

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

    public ReplayCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("1 GB, two rounds of 10 s. With LOCAL within five minutes")
                        .devCluster("Of a development cluster, which keeps running afterwards, for HDFS")
                        .seconds("Measured, each case", 30, 10)
                        .warmUp(
                                "Seconds before each case, at most: it ends when the server's compilers are quiet",
                                60,
                                12)
                        .rounds("Of all cases; the table has medians", 5, 2)
                        .data("Where the server keeps data")
                        .set("For the server, as in the environment: LOG_SEGMENTBYTES=16MiB")
                        .jvm("JVM of the server", "-Xms2g -Xmx2g -XX:+UseG1GC -XX:MaxGCPauseMillis=20"));
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException, InterruptedException {
        ReplaySettings settings = settings();
        ExperimentRunner run = ExperimentRunner.begin(context(), "replay", settings.described());
        try (ReplaySite site = site(settings, run.folder())) {
            ReplayExperiment experiment = new ReplayExperiment(site, KeptTopic.fill(site, settings), settings);
            context().line("filled");
            if (settings.putsPerSecond().isEmpty()) {
                run.measure(experiment, ReplayCase.PEAK, 1, settings.timing().rounds());
            }
            experiment.pace(run.results());
            return run.run(experiment, settings.timing().rounds());
        }
    }

    private ReplaySite site(ReplaySettings settings, Path folder) throws IOException, CommandException {
        Path log = folder.resolve("server.log");
        if (settings.store() == Store.LOCAL) {
            return ReplaySite.local(settings, log);
        }
        Path home = context().home();
        Optional<Path> running = options().devCluster();
        Cluster cluster = running.isPresent()
                ? Cluster.goingOn(home, running.get())
                : Cluster.start(home, folder.resolve("cluster"), false);
        return ReplaySite.hdfs(cluster, settings, log);
    }

    private ReplaySettings settings() throws CommandException, IOException {
        if (options().devCluster().isPresent() && store != Store.HDFS) {
            throw CommandException.usage("--devcluster: is for --store HDFS");
        }
        double kept = gigabytes.orElse(options().isBrief() ? 1.0 : 10.0);
        return new ReplaySettings(
                store,
                Math.round(inRange("--gb", kept, 0, MOST_GIGABYTES) * 1e9),
                inRange("--partitions", partitions, 1, MOST_PARTITIONS),
                inRange("--size", size, 1, 1 << 20),
                puts.isPresent() ? Optional.of(inRange("--puts", puts.get(), 1, MOST_PUTS)) : puts,
                options().timing(),
                new ServerSetup(
                        Files.createDirectories(work()),
                        options().jvm(),
                        options().set()));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.talos.bench.load.ClusterUnderLoad;
import org.talos.bench.load.NumberedMessages;
import org.talos.bench.report.Claim;
import org.talos.bench.report.RunReport;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.server.config.ServerConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures how long partitions are without a server when they move, and when servers stop, die and come back.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "moves",
        description =
                "Move partitions, drain, restart and kill servers under load, and measure how long each partition "
                        + "is without a server; then check that each acknowledged put is there once. Starts HDFS, HBase, "
                        + "ZooKeeper and three servers on this machine.",
        mixinStandardHelpOptions = true)
public final class MovesCommand implements Callable<Integer> {
    private static final int SERVERS = 3;
    private static final List<String> JVM = List.of("-Xms512m", "-Xmx1g");
    private static final int MOST_PARTITIONS = 1_000;
    private static final long MILLIS_PER_SECOND = 1_000;

    private final CommandContext context;

    @Option(names = "--short", description = "One round.")
    private boolean brief;

    @Option(
            names = "--devcluster",
            paramLabel = "DIR",
            description =
                    "Of a development cluster, which keeps running afterwards. Default: one that is started and ended")
    private Optional<Path> devCluster = Optional.empty();

    @Option(names = "--partitions", description = "3 to 1000. Default: 60")
    private int partitions = 60;

    @Option(names = "--rate", description = "Puts a second to each partition, 1 to 1000, one in flight. Default: 20")
    private int rate = 20;

    @Option(names = "--size", description = "Bytes of a message, which cannot be compressed. Default: 1024")
    private int size = 1_024;

    @Option(names = "--warmup", description = "Seconds of load before. Default: 20")
    private int warmUp = 20;

    @Option(names = "--rounds", description = "Each with another server. Default: 3, with --short 1")
    private int rounds;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "For the servers, as in the environment: CLUSTER_DELAYREMOVED=10s")
    private Map<String, String> settings = new HashMap<>();

    /** Returns the command. */
    public MovesCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        rounds = rounds > 0 ? rounds : brief ? 1 : 3;
        if (partitions < SERVERS
                || partitions > MOST_PARTITIONS
                || rate < 1
                || rate > MILLIS_PER_SECOND
                || size < NumberedMessages.LEAST_BYTES) {
            throw new CommandException("--partitions: 3 to 1000, --rate: 1 to 1000, --size: 8 or more");
        }
        RunReport report = RunReport.begin(context, "moves", described());
        try (ClusterUnderLoad cluster = ClusterUnderLoad.start(context.home(), devCluster, report.folder())) {
            ClusterUnderLoad.Service service = cluster.service(settings);
            Path work = RunFolder.work(context.home());
            try (ClusterServers servers = ClusterServers.start(SERVERS, service, JVM, work, report.folder());
                    TalosClient client = new TalosClient(servers.clientConfig())) {
                measure(servers, client, results(service.config()), report);
            }
        }
        context.line("report: " + report.folder());
        return 0;
    }

    private SortedMap<String, String> described() {
        double busy = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        SortedMap<String, String> lines = new TreeMap<>(Map.of(
                "partitions", Integer.toString(partitions),
                "puts/s a partition", Integer.toString(rate),
                "message bytes", Integer.toString(size),
                "warm-up s", Integer.toString(warmUp),
                "rounds", Integer.toString(rounds),
                "load before", String.format(Locale.ROOT, "%.1f", busy),
                "cluster", devCluster.map(Path::toString).orElse("started, heartbeats as HDFS has them: 3 s")));
        settings.forEach((key, value) -> lines.put("set " + key, value));
        return lines;
    }

    private MovesResults results(ServerConfig config) throws IOException {
        Duration session = config.zookeeper().sessionTimeout();
        Duration delay = config.cluster().delayRemoved();
        context.line(String.format(
                Locale.ROOT,
                "zookeeper.sessionTimeout %d s, cluster.delayRemoved %d s",
                session.toSeconds(),
                delay.toSeconds()));
        return new MovesResults(session.plus(delay));
    }

    private void measure(ClusterServers servers, TalosClient client, MovesResults results, RunReport report)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        TopicDescription topic = new TalosAdmin(client).createTopic(NewTopic.of("moves", partitions));
        ServiceView view = new ServiceView(servers, topic);
        view.awaitPlaced();
        try (PacedPuts load = new PacedPuts(client, topic, size, Duration.ofMillis(MILLIS_PER_SECOND / rate))) {
            load.awaitAcknowledged(System.nanoTime());
            Thread.sleep(Duration.ofSeconds(warmUp).toMillis());
            Operations operations = new Operations(servers, view, load, results, context);
            for (int round = 1; round <= rounds; round++) {
                operations.run(round);
            }
            long acknowledged = load.check();
            context.line(acknowledged + " acknowledged puts are there, each once");
        }
        results.measures().forEach(report::add);
        results.claims().forEach(report::add);
        report.write();
        List<String> lines = new ArrayList<>(results.table());
        results.claims().stream().map(Claim::line).forEach(lines::add);
        Files.write(report.folder().resolve("moves.txt"), lines);
        for (String line : lines) {
            context.line(line);
        }
    }
}

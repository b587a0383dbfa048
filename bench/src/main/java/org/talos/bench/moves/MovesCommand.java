// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

import static org.talos.bench.engine.ExperimentOptions.inRange;
import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.load.ClusterUnderLoad;
import org.talos.bench.load.MeasuredServers;
import org.talos.bench.load.NumberedMessages;
import org.talos.bench.report.RunReport;
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
                        + "ZooKeeper and three servers on this machine.")
public final class MovesCommand extends ExperimentCommand {
    private static final int SERVERS = 3;
    private static final List<String> JVM = List.of("-Xms512m", "-Xmx1g");
    private static final int MOST_PARTITIONS = 1_000;
    private static final long MILLIS_PER_SECOND = 1_000;

    @Option(names = "--partitions", description = "3 to 1000. Default: 60")
    private int partitions = 60;

    @Option(names = "--rate", description = "Puts a second to each partition, 1 to 1000, one in flight. Default: 20")
    private int rate = 20;

    @Option(names = "--size", description = "Bytes of a message, which cannot be compressed. Default: 1024")
    private int size = 1_024;

    public MovesCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("One round.")
                        .devCluster("Of a development cluster, which keeps running afterwards")
                        .warmUp("Seconds of load before", 20, 20)
                        .rounds("Each with another server", 3, 1)
                        .set("For the servers, as in the environment: CLUSTER_DELAYREMOVED=10s"));
    }

    @Override
    public Integer call() throws IOException, CommandException, TalosClientException, InterruptedException {
        inRange("--partitions", partitions, SERVERS, MOST_PARTITIONS);
        inRange("--rate", rate, 1, MILLIS_PER_SECOND);
        inRange("--size", size, NumberedMessages.LEAST_BYTES, Integer.MAX_VALUE);
        RunReport report = RunReport.begin(context(), "moves", described());
        try (ClusterUnderLoad cluster =
                ClusterUnderLoad.start(context().home(), options().devCluster(), report.folder())) {
            ClusterUnderLoad.Service service = cluster.service(options().set());
            try (MeasuredServers servers = cluster.servers(SERVERS, service, JVM, work());
                    TalosClient client = new TalosClient(servers.clientConfig())) {
                MovesResults results = results(service.config());
                measure(servers, client, results);
                results.measures().forEach(report::add);
                results.claims().forEach(report::add);
                return report.finish(results.table(), List.of());
            }
        }
    }

    private SortedMap<String, String> described() throws CommandException {
        String started = "started, heartbeats as HDFS has them: 3 s";
        double busy = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        SortedMap<String, String> lines = new TreeMap<>(Map.of(
                "partitions", Integer.toString(partitions),
                "puts/s a partition", Integer.toString(rate),
                "message bytes", Integer.toString(size),
                "warm-up s", Long.toString(options().warmUp().toSeconds()),
                "rounds", Integer.toString(options().rounds()),
                "load before", format("%.1f", busy),
                "cluster", options().devCluster().map(Path::toString).orElse(started)));
        options().set().forEach((key, value) -> lines.put("set " + key, value));
        return lines;
    }

    private MovesResults results(ServerConfig config) throws IOException {
        Duration session = config.zookeeper().sessionTimeout();
        Duration delay = config.cluster().delayRemoved();
        line("zookeeper.sessionTimeout %d s, cluster.delayRemoved %d s", session.toSeconds(), delay.toSeconds());
        return new MovesResults(session.plus(delay));
    }

    private void measure(MeasuredServers servers, TalosClient client, MovesResults results)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        TopicDescription topic = new TalosAdmin(client).createTopic(NewTopic.of("moves", partitions));
        ServiceView view = new ServiceView(servers, topic);
        view.awaitPlaced();
        try (PacedPuts load = new PacedPuts(client, topic, size, Duration.ofMillis(MILLIS_PER_SECOND / rate))) {
            load.awaitAcknowledged(System.nanoTime());
            Thread.sleep(options().warmUp().toMillis());
            Operations operations = new Operations(servers, view, load, results, context());
            for (int round = 1; round <= options().rounds(); round++) {
                operations.run(round);
            }
            long acknowledged = load.check();
            context().line(acknowledged + " acknowledged puts are there, each once");
        }
    }
}

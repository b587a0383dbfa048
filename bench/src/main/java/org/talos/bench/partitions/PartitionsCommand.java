// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.load.ClusterUnderLoad;
import org.talos.bench.load.MeasuredServers;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.launcher.local.Folders;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what servers with many partitions cost while nobody uses them. Confined: the main thread. */
@Command(
        name = "partitions",
        description =
                "Makes this number of partitions on a server of its own, or on several of a cluster of its own, and "
                        + "prints what they cost: memory, files, processor, metrics, a restart, a takeover.")
public final class PartitionsCommand extends ExperimentCommand {
    private static final int STEP_IN_CLUSTER = 100;
    private static final int MOST_SERVERS = 9;

    /** One machine does the work of many, and what is slow is to be measured, not to fail. */
    private static final Map<String, String> PATIENCE = Map.of(
            "SERVICE_DEFAULTDEADLINE", "60s",
            "TRANSFER_CONNECTTIMEOUT", "10s",
            "HBASE_TIMEOUT", "30s");

    @Option(names = "--partitions", description = "Of all topics. Default: 10000")
    private int partitions = 10_000;

    @Option(names = "--topics", description = "Among which they are shared out. Default: as many as have 250 each")
    private int topics;

    @Option(
            names = "--servers",
            description = "1: on its disk; 2 to 9: with HDFS, HBase and ZooKeeper on this machine. Default: 1")
    private int servers = 1;

    @Option(
            names = "--first-puts",
            paramLabel = "N",
            description = "Into each Nth partition goes a message. Default: 1, in a cluster 100")
    private int step;

    public PartitionsCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .seconds("How long nothing happens while CPU is measured", 20, 20)
                        .data("Where all is kept meanwhile")
                        .devCluster("Of a development cluster, which keeps running afterwards")
                        .set("For the servers of a cluster, as in the environment: CLUSTER_DELAYREMOVED=10s")
                        .jvm("JVM of a server", "-Xmx1g"));
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException, InterruptedException {
        topics = topics == 0 ? PartitionedTopics.topicsFor(partitions) : topics;
        step = step == 0 ? (servers == 1 ? 1 : STEP_IN_CLUSTER) : step;
        requireRanges();
        Path work = Files.createDirectories(work());
        Path folder = Files.createTempDirectory(work, "partitions-");
        try {
            if (servers == 1) {
                new PartitionsRun(
                                folder,
                                work.resolve("partitions.log"),
                                options().jvm(),
                                context()::line)
                        .measure(
                                new PartitionedTopics(topics, partitions),
                                step,
                                options().seconds());
            } else {
                measureCluster(folder, RunFolder.begin(context().home(), "partitions", described()));
            }
        } finally {
            Folders.delete(folder);
        }
        return 0;
    }

    private void requireRanges() throws CommandException {
        boolean some = topics > 0 && partitions >= topics && step > 0;
        if (!some || servers < 1 || servers > MOST_SERVERS) {
            throw CommandException.usage("--topics, --first-puts: 1 or more; --servers: 1 to 9; --partitions: one"
                    + " for each topic or more");
        }
        var unused = options().seconds(); // in its range, before anything is started
    }

    private SortedMap<String, String> described() {
        SortedMap<String, String> lines = new TreeMap<>(Map.of(
                "partitions", Integer.toString(partitions),
                "topics", Integer.toString(topics),
                "servers", Integer.toString(servers),
                "a message in one of", Integer.toString(step),
                "server options", String.join(" ", options().jvm())));
        options().set().forEach((key, value) -> lines.put("set " + key, value));
        return lines;
    }

    private void measureCluster(Path folder, Path logs)
            throws IOException, TalosClientException, CommandException, InterruptedException {
        Map<String, String> all = new HashMap<>(PATIENCE);
        all.putAll(options().set());
        try (ClusterUnderLoad cluster =
                ClusterUnderLoad.start(context().home(), options().devCluster(), logs)) {
            context().line("logs: " + logs);
            ClusterUnderLoad.Service service = cluster.service(all);
            line(
                    "zookeeper.sessionTimeout %d s, cluster.delayRemoved %d s",
                    service.config().zookeeper().sessionTimeout().toSeconds(),
                    service.config().cluster().delayRemoved().toSeconds());
            try (MeasuredServers started =
                    cluster.servers(servers, service, options().jvm(), folder)) {
                new ClusterPartitionsRun(started, context()::line)
                        .measure(
                                new PartitionedTopics(topics, partitions),
                                step,
                                options().seconds());
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.talos.bench.load.FilledTopic;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.Observed;
import org.talos.bench.load.PutGetLoad;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.report.Measure;
import org.talos.bench.variant.VariantServer;
import org.talos.cli.CommandException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.server.config.Durability;

/** Measures all writers in turn, one at a time. Confined: the main thread. */
final class HdfsRun implements AutoCloseable {
    static final String OPERATION = "put";
    private static final String PACKETS_IN_FLIGHT = "dfs.client.write.max-packets-in-flight";
    private static final int FEW_PACKETS = 4;
    private static final List<String> JVM = MeasuredServer.withHeap("2g");
    /** A pause, since data of the previous writer is still being deleted. */
    private static final Duration REST = Duration.ofMillis(500);

    private final Cluster cluster;
    private final Settings settings;
    private final Map<Way, MeasuredServer> servers = new EnumMap<>(Way.class);

    HdfsRun(Cluster cluster, Settings settings) {
        this.cluster = cluster;
        this.settings = settings;
    }

    /**
     * The settings of a run. Immutable.
     *
     * @param server environment of the servers without {@code TALOS_}, over what they get anyway
     */
    record Settings(Durability durability, int recordBytes, Map<String, String> server) {
        Settings {
            server = Map.copyOf(server);
        }
    }

    /**
     * Starts the server of a way.
     *
     * @param workers that put: in the simple form each of them waits for its flush
     */
    void start(Way way, int workers, Path work, Path log) throws IOException {
        Map<String, String> environment = cluster.server(way);
        environment.put("LOG_DURABILITY", settings.durability.name().toLowerCase(Locale.ROOT));
        if (way == Way.PIPELINE) {
            environment.put("DISPATCH_PUT_WORKERS", Integer.toString(workers));
        }
        environment.putAll(settings.server);
        servers.put(way, MeasuredServer.start(VariantServer.class, JVM, environment, work, log));
    }

    /** Measures one writer with this number of partitions or files, and as many threads. */
    Measure measure(Way way, int partitions, int round, Duration warmUp, Duration measured)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        Thread.sleep(REST.toMillis());
        String name = format("%s %d", way.label(), partitions);
        Times times = new Times(warmUp, measured);
        if (way == Way.RAW) {
            Bare bare = new Bare(way, cluster.files(), Optional.of(settings.durability));
            return bare(bare, name, partitions, round, times);
        }
        if (way == Way.BULK) {
            Configuration fewPackets = new Configuration(cluster.files().getConf());
            fewPackets.setInt(PACKETS_IN_FLIGHT, FEW_PACKETS); // what waits in the client is not written yet
            try (FileSystem files = FileSystem.newInstance(cluster.files().getUri(), fewPackets)) {
                return bare(new Bare(way, files, Optional.empty()), name, partitions, round, times);
            }
        }
        MeasuredServer server = Objects.requireNonNull(servers.get(way));
        Observed costs = Costs.observed(cluster, server);
        LoadResult load = puts(server, partitions, times, costs);
        return load.measure(name, round, OPERATION, Costs.figuresOfServer(costs, load));
    }

    private record Times(Duration warmUp, Duration measured) {}

    /** One of the ways without a server. */
    private record Bare(Way way, FileSystem files, Optional<Durability> flushed) {}

    private Measure bare(Bare bare, String name, int files, int round, Times times) throws IOException {
        Observed costs = Costs.ofRaw(cluster);
        LoadResult load = new RawWrites(
                        bare.files,
                        cluster.directory(bare.way.label()),
                        cluster.hdfs(),
                        bare.flushed,
                        settings.recordBytes)
                .run(files, times.warmUp, times.measured, costs);
        return load.measure(name, round, OPERATION, Costs.figures(costs, load));
    }

    private LoadResult puts(MeasuredServer server, int partitions, Times times, Observed costs)
            throws IOException, CommandException, TalosClientException, InterruptedException {
        TalosClient client = new TalosClient(server.endpoint());
        TalosAdmin admin = new TalosAdmin(client);
        String name = "hdfs-" + Long.toString(System.currentTimeMillis(), 36);
        try {
            // A partition's first put makes its file, which is no part of what a put takes.
            TopicDescription topic = FilledTopic.make(client, name, partitions, 1, settings.recordBytes);
            List<SignedPuts> puts = server.puts(topic, settings.recordBytes, partitions);
            LoadResult load = new PutGetLoad(server.uri(), times.warmUp, times.measured)
                    .add(OPERATION, puts, 0)
                    .runOne(costs);
            check(load, admin, topic);
            return load;
        } finally {
            admin.deleteTopic(name);
        }
    }

    /** Checks that every acknowledged message is stored once. */
    private static void check(LoadResult load, TalosAdmin admin, TopicDescription topic)
            throws IOException, TalosClientException {
        long stored = admin.offsets(topic).stream()
                .mapToLong(PartitionOffsets::messages)
                .sum();
        long acknowledged = load.succeeded() + topic.partitions();
        if (stored != acknowledged) {
            throw new IOException(acknowledged + " puts were acknowledged, and " + stored + " messages are there");
        }
    }

    @Override
    public void close() throws IOException {
        for (MeasuredServer server : servers.values()) {
            server.close();
        }
    }
}

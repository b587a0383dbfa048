// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.talos.bench.cluster.HdfsAsShipped;
import org.talos.check.report.RunFolder;
import org.talos.cli.CommandException;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.launcher.local.DaemonJars;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.SharedKeys;
import org.talos.server.Main;
import org.talos.server.boot.setup.ClusterSetUp;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.metadata.MetadataException;

/**
 * Starts HDFS, HBase and ZooKeeper for a run, and groups of servers on them, each with logs, metadata and coordination
 * paths of its own.
 *
 * <p>Confined: one run.
 */
public final class ClusterUnderLoad implements AutoCloseable {
    /** The NameNode sets a whole block of each open file aside: with the usual 128 MiB a small disk is soon full. */
    private static final String BLOCK_BYTES = "32MiB";

    /**
     * A small machine with all of this on it is slow to begin with, and what is slow is to be measured, not to fail.
     */
    private static final Map<String, String> PATIENCE =
            Map.of("SERVICE_DEFAULTDEADLINE", "60s", "TRANSFER_CONNECTTIMEOUT", "10s");

    private static final List<String> JVM = MeasuredServer.withHeap("1g");

    private final DevCluster daemons;
    private final Path home;
    private final Path folder;
    private final Optional<Path> data; // to be deleted
    private int groups;

    private ClusterUnderLoad(DevCluster daemons, Path home, Path folder, Optional<Path> data) {
        this.daemons = daemons;
        this.home = home;
        this.folder = folder;
        this.data = data;
    }

    /**
     * Starts the daemons.
     *
     * @param home of the project
     * @param existing directory of a development cluster that continues afterwards; empty for one of this run's own
     * @param folder for all that the daemons and the servers write; logs stay there
     */
    public static ClusterUnderLoad start(Path home, Optional<Path> existing, Path folder)
            throws IOException, CommandException, InterruptedException {
        Path jars = DaemonJars.of(home);
        Path own = folder.resolve("cluster");
        DevCluster daemons =
                existing.isPresent() ? DevCluster.detached(existing.get(), jars, 0, 0) : DevCluster.attached(own, jars);
        try {
            if (existing.isEmpty()) {
                HdfsAsShipped.configure(own);
            }
            var unused = daemons.start(Parts.ALL);
            return new ClusterUnderLoad(
                    daemons, home, folder, existing.isPresent() ? Optional.empty() : Optional.of(own.resolve("data")));
        } catch (IOException | InterruptedException | RuntimeException e) {
            daemons.close();
            throw e;
        }
    }

    /**
     * Starts servers as one service; when they end, what they wrote is deleted.
     *
     * @param name for their logs
     * @param settings environment variables without {@code TALOS_}
     */
    public MeasuredServers servers(String name, int count, Map<String, String> settings)
            throws IOException, CommandException {
        return servers(Main.class, name, count, settings);
    }

    /**
     * Like the overload without a class.
     *
     * @param mainClass of the servers, or of ones that put something into them
     */
    public MeasuredServers servers(Class<?> mainClass, String name, int count, Map<String, String> settings)
            throws IOException, CommandException {
        Path logs = Files.createDirectories(folder.resolve(name));
        Map<String, String> all = new HashMap<>(PATIENCE);
        all.putAll(settings);
        Service service = service(all);
        return MeasuredServers.start(
                mainClass, count, JVM, service.settings, RunFolder.work(home), logs, service::delete);
    }

    /**
     * Starts the servers of a service; when they end, what they wrote is deleted.
     *
     * @param jvm options of each
     * @param work where their data directories are made
     */
    public MeasuredServers servers(int count, Service service, List<String> jvm, Path work) throws IOException {
        return MeasuredServers.start(Main.class, count, jvm, service.settings, work, folder, service::delete);
    }

    /**
     * Makes what servers need that are one service; none is started.
     *
     * @param settings environment variables without {@code TALOS_}
     */
    public Service service(Map<String, String> settings) throws IOException, CommandException {
        String root = "/bench-" + Long.toString(System.currentTimeMillis(), 36) + "-" + ++groups;
        InetSocketAddress zooKeeper = daemons.address(Daemon.ZOOKEEPER);
        String configuration = daemons.clientConfig().toString();
        Map<String, String> all = new HashMap<>(Map.ofEntries(
                Map.entry("STORAGE_LOGS", "hdfs"),
                Map.entry("STORAGE_METADATA", "hbase"),
                Map.entry("HDFS_CONFIGDIRECTORY", configuration),
                Map.entry("HDFS_ROOT", root),
                Map.entry("HDFS_BLOCKBYTES", BLOCK_BYTES),
                Map.entry("HBASE_CONFIGDIRECTORY", configuration),
                Map.entry("HBASE_TABLE", root.substring(1)),
                Map.entry("CLUSTER_COORDINATION", "zookeeper"),
                Map.entry("ZOOKEEPER_CONNECT", zooKeeper.getHostString() + ":" + zooKeeper.getPort()),
                Map.entry("ZOOKEEPER_ROOT", root),
                Map.entry("TRANSFER_PORT", "0"),
                Map.entry(
                        "TRANSFER_KEYFILE",
                        SharedKeys.transferKey(folder).toAbsolutePath().toString())));
        all.putAll(settings);
        return new Service(all, prepared(all));
    }

    /**
     * Logs, metadata and coordination paths of servers that are one service. Immutable.
     *
     * @param settings of all of them: environment variables without {@code TALOS_}
     */
    public record Service(Map<String, String> settings, ServerConfig config) {
        /** Copies the settings. */
        public Service {
            settings = Map.copyOf(settings);
        }

        /** Deletes what the servers wrote, once they have ended. */
        public void delete() {
            ClusterUnderLoad.delete(config);
        }
    }

    private static ServerConfig prepared(Map<String, String> settings) throws IOException, CommandException {
        Map<String, String> environment = new HashMap<>();
        settings.forEach((name, value) -> environment.put("TALOS_" + name, value));
        try {
            ServerConfig config = ConfigLoader.load(environment);
            var unused = ClusterSetUp.prepare(config);
            return config;
        } catch (ConfigException | MetadataException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }

    private static void delete(ServerConfig config) {
        var root = new org.apache.hadoop.fs.Path(config.hdfs().root());
        try (FileSystem files = FileSystem.newInstance(root.toUri(), ClientConfiguration.hdfs(config.hdfs()))) {
            files.delete(root, true);
        } catch (IOException e) {
            throw new UncheckedIOException("the servers' files were not deleted: " + root, e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            daemons.close();
        } finally {
            data.ifPresent(Folders::delete);
        }
    }
}

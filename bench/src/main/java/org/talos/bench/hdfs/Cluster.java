// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.talos.bench.cluster.HdfsAsShipped;
import org.talos.bench.variant.VariantServer;
import org.talos.bench.variant.Variants;
import org.talos.cli.CommandException;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.launcher.local.DaemonJars;
import org.talos.launcher.local.Folders;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.KerberosConfig;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.StorageConfig.LogsIn;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.hadoop.HadoopLogin;

/** The HDFS that is measured: a development cluster started for the run, or an existing cluster. Confined: one run. */
public final class Cluster implements AutoCloseable {
    /**
     * The NameNode sets a whole block of each open file aside: with the usual 128 MiB a small disk is soon all set
     * aside.
     */
    private static final Map<String, String> SMALL_BLOCKS = Map.of("TALOS_HDFS_BLOCKBYTES", "32MiB");

    private final ServerConfig config;
    private final String root;
    private final Optional<DevCluster> own;
    private final Optional<Path> data;
    private final List<ProcessHandle> daemons;
    private final HadoopLogin login;
    private final FileSystem files;
    private int servers;

    private Cluster(ServerConfig config, String root, Optional<DevCluster> own, Optional<Path> data)
            throws IOException {
        this.config = config;
        this.root = root;
        this.own = own;
        this.data = data;
        daemons = own.isPresent() ? ProcessHandle.current().children().toList() : List.of();
        login = HadoopLogin.open(config);
        files = FileSystem.newInstance(
                new org.apache.hadoop.fs.Path(root).toUri(), ClientConfiguration.hdfs(config.hdfs()));
    }

    /**
     * Starts a NameNode and three DataNodes, which notice failures as soon as those of a real cluster do.
     *
     * @param home of the project
     * @param directory where all of the cluster lies
     * @param kept whether its data stays there afterwards
     */
    public static Cluster start(Path home, Path directory, boolean kept) throws IOException, CommandException {
        HdfsAsShipped.configure(directory);
        DevCluster started = DevCluster.attached(directory, DaemonJars.of(home));
        try {
            started.start(Parts.HDFS);
            Optional<Path> data = kept ? Optional.empty() : Optional.of(directory.resolve("data"));
            ServerConfig config = load(started.talosConfig(), SMALL_BLOCKS);
            return new Cluster(config, "/bench", Optional.of(started), data);
        } catch (InterruptedException e) {
            started.close();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (IOException | CommandException e) {
            started.close();
            throw e;
        }
    }

    /**
     * The cluster that a server's configuration names. What is measured goes to a directory of its own there.
     *
     * @param file such as conf/talos-cluster.yaml
     */
    static Cluster of(Path file) throws IOException, CommandException {
        ServerConfig config = load(file, System.getenv());
        if (config.storage().logs() != LogsIn.HDFS) {
            throw new CommandException(file + ": storage.logs is not hdfs");
        }
        return goingOn(config);
    }

    /**
     * A development cluster that continues afterwards; starts what does not run of it.
     *
     * @param home of the project
     * @param directory of the development cluster
     */
    public static Cluster goingOn(Path home, Path directory) throws IOException, CommandException {
        try (DevCluster found = DevCluster.detached(directory, DaemonJars.of(home), 0, 0)) {
            found.start(Parts.HDFS);
            return goingOn(load(found.talosConfig(), SMALL_BLOCKS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static Cluster goingOn(ServerConfig config) throws IOException {
        String root = config.hdfs().root() + "/bench-" + Long.toString(System.currentTimeMillis(), 36);
        return new Cluster(config, root, Optional.empty(), Optional.empty());
    }

    private static ServerConfig load(Path file, Map<String, String> environment) throws CommandException {
        try {
            return ConfigLoader.load(file, environment);
        } catch (ConfigException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Hadoop's client with its own settings and those of the cluster's files. */
    public FileSystem files() {
        return files;
    }

    HdfsConfig hdfs() {
        return config.hdfs();
    }

    /** A directory for one kind of writer. */
    String directory(String name) {
        return root + "/" + name;
    }

    /**
     * The configuration of a new server, with a directory of its own: environment variables without {@code TALOS_}, and
     * the variant that a {@link VariantServer} takes from them.
     *
     * @param way JOURNAL or PIPELINE
     */
    public Map<String, String> server(Way way) throws IOException {
        String own = directory(way.label() + "-" + ++servers); // rows of one server refuse another's logs
        files.mkdirs(new org.apache.hadoop.fs.Path(own));
        HdfsConfig hdfs = config.hdfs();
        KerberosConfig kerberos = config.kerberos();
        return new HashMap<>(Map.ofEntries(
                Map.entry("STORAGE_LOGS", "hdfs"),
                Map.entry("STORAGE_METADATA", "rocksdb"),
                Map.entry("HDFS_CONFIGDIRECTORY", hdfs.configDirectory()),
                Map.entry("HDFS_ROOT", own),
                Map.entry(Variants.HDFS_FORM, way.label()),
                Map.entry("HDFS_JOURNALS", Integer.toString(hdfs.journals())),
                Map.entry("HDFS_REPLICATION", Integer.toString(hdfs.replication())),
                Map.entry("HDFS_BLOCKBYTES", Long.toString(hdfs.blockBytes())),
                Map.entry("HDFS_TIMEOUT", hdfs.timeout().toMillis() + "ms"),
                Map.entry("KERBEROS_PRINCIPAL", kerberos.principal()),
                Map.entry("KERBEROS_KEYTAB", kerberos.keytab())));
    }

    /** Processor time that the daemons have used, seconds; NaN if they are not ours. */
    public double daemonSeconds() {
        return daemons.isEmpty()
                ? Double.NaN
                : daemons.stream().mapToDouble(Cluster::seconds).sum();
    }

    static double seconds(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9;
    }

    @Override
    public void close() throws IOException {
        try (login;
                files) {
            files.delete(new org.apache.hadoop.fs.Path(root), true);
        } finally {
            if (own.isPresent()) {
                own.get().close();
            }
            data.ifPresent(Folders::delete);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.client.TalosEndpoint;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DaemonStatus;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.launcher.local.SharedKeys;
import org.talos.server.auth.UserAdmin;
import org.talos.server.boot.ClusterSetUp;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.metadata.MetadataException;

/**
 * The daemons of a development cluster, and servers on them, each reached at one address for the whole run.
 *
 * <p>Confined: the main thread.
 */
public final class Site implements AutoCloseable {
    /** How long the partitions of a failed server stay unserved before they are reassigned. */
    static final Duration DELAY_REMOVED = Duration.ofSeconds(5);

    /** What the servers have as {@code service.workerTtl}: short, so that partitions are reassigned often. */
    public static final Duration WORKER_TTL = Duration.ofSeconds(10);

    private final DevCluster cluster;
    private final Cuts cuts;
    private final Nemesis.Listener listener;
    private final List<TalosProcess> servers = new ArrayList<>();
    private final List<TalosEndpoint> endpoints = new ArrayList<>();

    private Site(DevCluster cluster, Cuts cuts, Nemesis.Listener listener) {
        this.cluster = cluster;
        this.cuts = cuts;
        this.listener = listener;
    }

    /**
     * Starts the daemons and the servers.
     *
     * @param jars of the daemons: target folder of the module {@code devcluster/daemons}
     * @param folder where everything of the daemons and the servers goes
     * @param set environment of the servers without {@code TALOS_}, over what they get anyway
     * @param listener gets a line for each daemon or server that has ended by itself and is started again
     */
    public static Site start(Path jars, Path folder, int servers, Map<String, String> set, Nemesis.Listener listener)
            throws IOException, CommandException, InterruptedException {
        DevCluster cluster = DevCluster.attached(folder.resolve("cluster"), jars);
        try {
            cluster.start(Parts.ALL);
            var unused = ClusterSetUp.prepare(ConfigLoader.load(cluster.talosConfig(), Map.of()));
            Site site = new Site(cluster, new Cuts(cluster, servers, folder), listener);
            site.startServers(servers, folder, set);
            return site;
        } catch (ConfigException | MetadataException e) {
            cluster.close();
            throw new CommandException(String.valueOf(e.getMessage()), e);
        } catch (IOException | CommandException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void startServers(int count, Path folder, Map<String, String> set)
            throws IOException, CommandException, InterruptedException {
        Path key = SharedKeys.transferKey(folder);
        for (int i = 0; i < count; i++) {
            Path data = Files.createDirectories(folder.resolve("server-" + i));
            if (i > 0) {
                SharedKeys.share(data.resolveSibling("server-0"), data);
            }
            int port = freePort();
            URI uri = URI.create("http://127.0.0.1:" + port);
            Map<String, String> settings = settings(i, data, port);
            if (count > 1) {
                settings.putAll(amongOthers(i, key));
            }
            settings.putAll(set);
            Map<String, String> environment = new HashMap<>();
            settings.forEach((name, value) -> environment.put("TALOS_" + name, value));
            TalosProcess server = new TalosProcess(
                    environment,
                    uri,
                    folder.resolve("server-" + i + ".log"),
                    data.resolve("clock-shift"),
                    this::startEndedDaemons);
            servers.add(server);
            server.start();
            endpoints.add(Connection.fromFile(uri, data.resolve(UserAdmin.FIRST_CREDENTIALS_FILE)));
        }
    }

    /** Small sizes, so that segments are sealed and journals deleted in the middle of a fault. */
    private Map<String, String> settings(int server, Path data, int port) {
        String configuration = cuts.configuration(server).toString();
        return new HashMap<>(Map.ofEntries(
                Map.entry("STORAGE_LOGS", "hdfs"),
                Map.entry("STORAGE_METADATA", "hbase"),
                Map.entry("HDFS_CONFIGDIRECTORY", configuration),
                Map.entry("HBASE_CONFIGDIRECTORY", configuration),
                Map.entry("HDFS_BLOCKBYTES", "1MiB"),
                Map.entry("LOG_SEGMENTBYTES", "512KiB"),
                Map.entry("LOG_JOURNALFILEBYTES", "1MiB"),
                Map.entry("LOG_MAXUNWRITTENBYTES", "8MiB"),
                Map.entry("LOG_TAILCACHEBYTES", "64KiB"),
                Map.entry("SERVICE_WORKERTTL", WORKER_TTL.toSeconds() + "s"),
                Map.entry("METRICSLOGINTERVAL", "0s"),
                Map.entry("DATADIRECTORY", data.toString()),
                Map.entry("HTTP_HOST", "127.0.0.1"),
                Map.entry("HTTP_PORT", Integer.toString(port)),
                Map.entry("MANAGEMENT_ENABLED", "false")));
    }

    /**
     * The cluster settings of a server. One that is down for longer than the delay is replaced, one that returns sooner
     * is not; the check needs both.
     */
    private Map<String, String> amongOthers(int server, Path key) throws IOException {
        InetSocketAddress zooKeeper = cuts.zooKeeper(server);
        int transferPort = freePort();
        return Map.ofEntries(
                Map.entry("CLUSTER_COORDINATION", "zookeeper"),
                Map.entry("CLUSTER_SERVERID", id(server)),
                Map.entry("CLUSTER_DELAYREMOVED", DELAY_REMOVED.toSeconds() + "s"),
                // A server must also start while its clock is wrong.
                Map.entry("CLUSTER_MAXCLOCKDIFFERENCE", "1d"),
                Map.entry("ZOOKEEPER_CONNECT", zooKeeper.getHostString() + ":" + zooKeeper.getPort()),
                Map.entry("ZOOKEEPER_SESSIONTIMEOUT", "6s"),
                Map.entry("TRANSFER_HOST", "127.0.0.1"),
                Map.entry("TRANSFER_PORT", Integer.toString(transferPort)),
                Map.entry("TRANSFER_ADVERTISEDHOST", cuts.beforeTransfer(server, transferPort)),
                Map.entry("TRANSFER_KEYFILE", key.toString()));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Each server, and its administrator's key. */
    public List<TalosEndpoint> endpoints() {
        return List.copyOf(endpoints);
    }

    /** The server's name within the cluster. */
    static String id(int server) {
        return "server-" + server;
    }

    /** Whether there are several servers, that share partitions. */
    boolean isShared() {
        return servers.size() > 1;
    }

    /** Starts every daemon and server that does not run, and reports those that ended by themselves. */
    void startEnded() throws IOException, InterruptedException {
        var unused = startEndedDaemons();
        for (int i = 0; i < servers.size(); i++) {
            TalosProcess server = servers.get(i);
            if (server.hasEnded()) {
                tellEnded("server " + i);
                server.kill();
            }
            server.start();
        }
    }

    private boolean startEndedDaemons() throws IOException, InterruptedException {
        boolean any = false;
        for (DaemonStatus each : cluster.status()) {
            if (each.state() == DaemonStatus.State.DEAD) {
                tellEnded(each.daemon().label());
                any = true;
            }
        }
        if (any) {
            cluster.heal();
        }
        return any;
    }

    private void tellEnded(String what) throws IOException {
        listener.line(what + " has ended by itself, and is started again");
    }

    Sessions sessions() throws IOException {
        return new Sessions(cluster.address(Daemon.ZOOKEEPER));
    }

    DevCluster cluster() {
        return cluster;
    }

    Cuts cuts() {
        return cuts;
    }

    List<TalosProcess> servers() {
        return servers;
    }

    @Override
    public void close() throws IOException {
        servers.forEach(TalosProcess::close);
        try (cluster) {
            cuts.close();
        }
    }
}

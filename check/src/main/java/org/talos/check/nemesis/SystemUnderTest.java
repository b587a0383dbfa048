// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.talos.check.faulty.JournalTrouble;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.client.TalosEndpoint;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DaemonStatus;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.FreePorts;
import org.talos.devcluster.Parts;
import org.talos.launcher.local.ServerCertificates;
import org.talos.launcher.local.SharedKeys;
import org.talos.server.auth.UserAdmin;
import org.talos.server.boot.setup.ClusterSetUp;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.metadata.MetadataException;

/**
 * Servers, each reached at one address for the whole run, and the daemons of a development cluster that they use: or
 * one server with all its data on this machine's disk.
 *
 * <p>Confined: the main thread.
 */
public final class SystemUnderTest implements AutoCloseable {
    /** How long the partitions of a failed server stay unserved before they are reassigned. */
    static final Duration DELAY_REMOVED = Duration.ofSeconds(5);

    private static final Duration CACHE_AGE = Duration.ofSeconds(2);
    private static final Duration LEADER_PATIENCE = Duration.ofSeconds(60);
    private static final int LEADER_PAUSE_MILLIS = 200;

    /** The servers' {@code service.memberTtl}: short, so that partitions are reassigned often. */
    public static final Duration MEMBER_TTL = Duration.ofSeconds(10);

    private final Shape shape;
    private final Nemesis.Listener listener;
    private final @Nullable Daemons daemons; // none with local storage
    private final List<TalosProcess> servers = new ArrayList<>();
    private final List<TalosEndpoint> endpoints = new ArrayList<>();
    private final List<Map<String, String>> environments = new ArrayList<>();

    /** The daemons, and the ways to them. Immutable. */
    private record Daemons(DevCluster cluster, Cuts cuts) {}

    private SystemUnderTest(Shape shape, @Nullable Daemons daemons, Nemesis.Listener listener) {
        this.shape = shape;
        this.daemons = daemons;
        this.listener = listener;
    }

    /** A system of which nothing runs, to draw the faults of one that does. */
    static SystemUnderTest planned(Shape shape) {
        return new SystemUnderTest(shape, null, line -> {});
    }

    /**
     * Starts the daemons and the servers.
     *
     * @param jars of the daemons: target folder of the module {@code devcluster/daemons}
     * @param folder where everything of the daemons and the servers goes
     * @param set environment of the servers without {@code TALOS_}, over what they get anyway
     * @param listener gets a line for each daemon or server that has ended by itself and is started again
     */
    public static SystemUnderTest start(
            Path jars, Path folder, Shape shape, Map<String, String> set, Nemesis.Listener listener)
            throws IOException, CommandException, InterruptedException {
        if (shape.local()) {
            return started(new SystemUnderTest(shape, null, listener), folder, set);
        }
        DevCluster cluster = DevCluster.attached(folder.resolve("cluster"), jars, shape.zooKeepers());
        try {
            if (shape.sasl()) {
                cluster.secureZooKeeper();
            }
            cluster.start(Parts.ALL);
            var unused = ClusterSetUp.prepare(ConfigLoader.load(cluster.talosConfig(), Map.of()));
            Cuts cuts = new Cuts(cluster, shape.servers(), folder);
            return started(new SystemUnderTest(shape, new Daemons(cluster, cuts), listener), folder, set);
        } catch (ConfigException | MetadataException e) {
            cluster.close();
            throw new CommandException(String.valueOf(e.getMessage()), e);
        } catch (IOException | CommandException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private static SystemUnderTest started(SystemUnderTest system, Path folder, Map<String, String> set)
            throws IOException, CommandException, InterruptedException {
        try {
            system.startServers(folder, set);
            return system;
        } catch (IOException | CommandException | InterruptedException | RuntimeException e) {
            system.close();
            throw e;
        }
    }

    private void startServers(Path folder, Map<String, String> set)
            throws IOException, CommandException, InterruptedException {
        Path key = SharedKeys.transferKey(folder);
        for (int i = 0; i < shape.servers(); i++) {
            Path data = Files.createDirectories(folder.resolve("server-" + i));
            if (i > 0) {
                SharedKeys.share(data.resolveSibling("server-0"), data);
            }
            int port = FreePorts.next();
            URI uri = URI.create("http://127.0.0.1:" + port);
            Map<String, String> settings = settings(data, port);
            settings.putAll(shape.local() ? onThisDisk() : onDaemons(i));
            if (shape.isShared()) {
                settings.putAll(amongOthers(i, key));
                cluster().zooKeeperPassword().ifPresent(file -> settings.putAll(knownBy(file)));
                settings.putAll(tls(folder));
            }
            settings.putAll(set);
            Map<String, String> environment = new HashMap<>();
            settings.forEach((name, value) -> environment.put("TALOS_" + name, value));
            TalosProcess server = new TalosProcess(
                    environment, uri, folder.resolve("server-" + i + ".log"), data, this::startEndedDaemons);
            environments.add(environment);
            servers.add(server);
            server.start();
            endpoints.add(Connection.fromFile(uri, data.resolve(UserAdmin.FIRST_CREDENTIALS_FILE)));
        }
    }

    /** Small sizes, so that segments are sealed and journals deleted in the middle of a fault. */
    private static Map<String, String> settings(Path data, int port) {
        return new HashMap<>(Map.ofEntries(
                Map.entry("LOG_SEGMENTBYTES", "512KiB"),
                Map.entry("LOG_JOURNALFILEBYTES", "1MiB"),
                Map.entry("LOG_MAXUNWRITTENBYTES", "8MiB"),
                Map.entry("LOG_TAILCACHEBYTES", "64KiB"),
                Map.entry("SERVICE_MEMBERTTL", MEMBER_TTL.toSeconds() + "s"),
                Map.entry("SERVICE_PARTITIONCHANGEINTERVAL", "0s"),
                Map.entry("METRICSLOGINTERVAL", "0s"),
                Map.entry("DATADIRECTORY", data.toString()),
                Map.entry("HTTP_HOST", "127.0.0.1"),
                Map.entry("HTTP_PORT", Integer.toString(port)),
                Map.entry("MANAGEMENT_ENABLED", "false")));
    }

    private static Map<String, String> onThisDisk() {
        return Map.of("STORAGE_LOGS", "local", "STORAGE_METADATA", "rocksdb");
    }

    private Map<String, String> onDaemons(int server) {
        String configuration = cuts().configuration(server).toString();
        return Map.of(
                "STORAGE_LOGS",
                "hdfs",
                "STORAGE_METADATA",
                "hbase",
                "HDFS_CONFIGDIRECTORY",
                configuration,
                "HBASE_CONFIGDIRECTORY",
                configuration,
                "HBASE_CACHEAGE",
                CACHE_AGE.toSeconds() + "s",
                "HDFS_BLOCKBYTES",
                "1MiB");
    }

    /**
     * The cluster settings of a server. One that is down for longer than the delay is replaced, one that returns sooner
     * is not; the check needs both.
     */
    private Map<String, String> amongOthers(int server, Path key) throws IOException {
        int transferPort = FreePorts.next();
        return Map.ofEntries(
                Map.entry("CLUSTER_COORDINATION", "zookeeper"),
                Map.entry("CLUSTER_SERVERID", id(server)),
                Map.entry("CLUSTER_DELAYREMOVED", DELAY_REMOVED.toSeconds() + "s"),
                Map.entry("CLUSTER_MAXCLOCKDIFFERENCE", MEMBER_TTL.toSeconds() + "s"), // it may not be above that
                Map.entry("ZOOKEEPER_CONNECT", cuts().zooKeeper(server)),
                Map.entry("ZOOKEEPER_SESSIONTIMEOUT", "6s"),
                Map.entry("TRANSFER_HOST", "127.0.0.1"),
                Map.entry("TRANSFER_PORT", Integer.toString(transferPort)),
                Map.entry("TRANSFER_ADVERTISEDHOST", cuts().beforeTransfer(server, transferPort)),
                Map.entry("TRANSFER_KEYFILE", key.toString()));
    }

    /** Everybody may read the nodes: who ends sessions has no password, and asks them whose they are. */
    private static Map<String, String> knownBy(Path passwordFile) {
        return Map.of(
                "ZOOKEEPER_SASL_ACCESS",
                "readable",
                "ZOOKEEPER_SASL_MECHANISM",
                "digest",
                "ZOOKEEPER_SASL_USER",
                DevCluster.ZOOKEEPER_USER,
                "ZOOKEEPER_SASL_PASSWORDFILE",
                passwordFile.toString());
    }

    /** One certificate for the addresses of all. */
    private Map<String, String> tls(Path folder) throws IOException, InterruptedException {
        if (!shape.tls()) {
            return Map.of();
        }
        List<String> addresses =
                IntStream.range(0, shape.servers()).mapToObj(Cuts::transferHost).toList();
        ServerCertificates made = ServerCertificates.make(folder, addresses);
        return Map.of(
                "TRANSFER_TLS_MODE",
                "require",
                "TRANSFER_TLS_CERTIFICATEFILE",
                made.certificate().toString(),
                "TRANSFER_TLS_KEYFILE",
                made.key().toString(),
                "TRANSFER_TLS_TRUSTEDFILE",
                made.trusted().toString());
    }

    /** Each server, and its administrator's key. */
    public List<TalosEndpoint> endpoints() {
        return List.copyOf(endpoints);
    }

    /** The server's name within the cluster. */
    static String id(int server) {
        return "server-" + server;
    }

    /** Returns the shape of the system. */
    Shape shape() {
        return shape;
    }

    /** Returns how long a server may continue with a topic that another has deleted. */
    public Duration deletedForAll() {
        return shape.isShared() ? CACHE_AGE : Duration.ZERO;
    }

    /** Undoes every fault: of the daemons and of the ways to them, and of the servers. */
    void heal() throws IOException, InterruptedException {
        if (daemons != null) {
            daemons.cluster().heal();
        }
        for (TalosProcess each : servers) {
            each.trouble(JournalTrouble.NONE);
        }
        startEnded();
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
        if (daemons == null) {
            return false;
        }
        DevCluster cluster = daemons.cluster();
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

    Sessions sessions() {
        return new Sessions(cluster().zooKeeper());
    }

    Operators operators() {
        return new Operators(endpoints);
    }

    /** The server that leads ZooKeeper's ensemble; waits until there is one. */
    Daemon zooKeeperLeader() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < LEADER_PATIENCE.toNanos()) {
            Optional<Daemon> leader = cluster().zooKeeperLeader();
            if (leader.isPresent()) {
                return leader.get();
            }
            Thread.sleep(LEADER_PAUSE_MILLIS);
        }
        throw new IOException("no server of ZooKeeper leads for " + LEADER_PATIENCE.toSeconds() + " s");
    }

    /** Returns the remains of deleted topics in the stores, by the topics' ids; may stop and start servers for it. */
    Map<String, String> leftovers() throws IOException, InterruptedException {
        try {
            ServerConfig config = ConfigLoader.load(environments.get(0));
            if (!shape.local()) {
                return Leftovers.onDaemons(config);
            }
            server(0).stop(); // which has its metadata to itself
            Map<String, String> left = Leftovers.onDisk(config);
            server(0).start();
            return left;
        } catch (ConfigException | MetadataException e) {
            throw new IOException("it cannot be seen what deleted topics have left: " + e.getMessage(), e);
        }
    }

    DevCluster cluster() {
        return running().cluster();
    }

    Cuts cuts() {
        return running().cuts();
    }

    private Daemons running() {
        if (daemons == null) {
            throw new IllegalStateException("a system without daemons");
        }
        return daemons;
    }

    List<TalosProcess> servers() {
        return servers;
    }

    TalosProcess server(int number) {
        return servers.get(number);
    }

    @Override
    public void close() throws IOException {
        servers.forEach(TalosProcess::close);
        if (daemons != null) {
            DevCluster cluster = daemons.cluster();
            try (cluster) {
                daemons.cuts().close();
            }
        }
    }
}

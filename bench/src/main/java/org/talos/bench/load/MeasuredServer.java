// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.devcluster.FreePorts;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.ServerState;
import org.talos.launcher.local.ShutdownHooks;
import org.talos.launcher.local.SpawnedServer;

/** A Talos server in a process of its own, on an empty data directory that goes with it. Confined: one run. */
public final class MeasuredServer implements Observable, AutoCloseable {
    private static final Duration ENDING = Duration.ofSeconds(10);

    private final String id;
    private final Starting starting;
    private final Path data;
    private final URI management;
    private volatile SpawnedServer process; // the ending of this JVM stops it, too

    private MeasuredServer(String id, Starting starting, Path data, URI management) throws IOException {
        this.id = id;
        this.starting = starting;
        process = starting.start();
        this.data = data;
        this.management = management;
    }

    /** Options of a server's JVM: those of {@code bin/talos server}, but for a heap of one size, such as {@code 2g}. */
    public static List<String> withHeap(String size) {
        return List.of("-Xms" + size, "-Xmx" + size, "-XX:MaxGCPauseMillis=20");
    }

    /**
     * Starts one and waits until it serves.
     *
     * @param mainClass of the server, or of one that puts something into it
     * @param settings environment variables, those of the server's configuration without {@code TALOS_}
     * @param work where its data directory is made
     * @param log where its standard error goes
     */
    public static MeasuredServer start(
            Class<?> mainClass, List<String> jvm, Map<String, String> settings, Path work, Path log)
            throws IOException {
        return start(List.of(), mainClass, jvm, settings, work, log);
    }

    /**
     * Like the overload without {@code before}, and puts something before the JVM's command.
     *
     * @param before what stands before the JVM's command, such as taskset
     */
    public static MeasuredServer start(
            List<String> before,
            Class<?> mainClass,
            List<String> jvm,
            Map<String, String> settings,
            Path work,
            Path log)
            throws IOException {
        return start(before, mainClass, jvm, settings, work, log, data -> {});
    }

    /** Starts the process, for the first time or again. */
    private interface Starting {
        SpawnedServer start() throws IOException;
    }

    /** Puts into a data directory what its server is to find there. */
    interface Filling {
        void into(Path data) throws IOException;
    }

    static MeasuredServer start(
            List<String> before,
            Class<?> mainClass,
            List<String> jvm,
            Map<String, String> settings,
            Path work,
            Path log,
            Filling filling)
            throws IOException {
        Files.createDirectories(work);
        Path data = Files.createTempDirectory(work, "bench-");
        String port = Integer.toString(FreePorts.next());
        Map<String, String> environment = new HashMap<>();
        settings.forEach((name, value) -> environment.put(name.startsWith("BENCH_") ? name : "TALOS_" + name, value));
        environment.put("TALOS_DATADIRECTORY", data.toString());
        environment.put("TALOS_HTTP_HOST", "127.0.0.1");
        environment.putIfAbsent("TALOS_HTTP_PORT", "0");
        environment.put("TALOS_MANAGEMENT_PORT", port);
        environment.put("TALOS_METRICSLOGINTERVAL", "0s");
        try {
            filling.into(data);
            MeasuredServer server = new MeasuredServer(
                    settings.getOrDefault("CLUSTER_SERVERID", ""),
                    () -> SpawnedServer.start(before, mainClass.getName(), jvm, environment, log),
                    data,
                    URI.create("http://127.0.0.1:" + port));
            ShutdownHooks.onExit("delete-data", () -> {
                var unused = server.process.stop(ENDING);
                Folders.delete(data); // of a run that was interrupted
            });
            return server;
        } catch (IOException e) {
            Folders.delete(data);
            throw e;
        }
    }

    /**
     * Stops it and starts it again with what it has stored, at another port unless it has one of its own; returns when
     * it serves.
     */
    public void restart() throws IOException {
        process.close();
        start();
    }

    /** Starts it again after it was stopped or killed; returns when it serves. */
    public void start() throws IOException {
        process = starting.start();
    }

    /** Stops it, and kills it if that takes longer; false if so. */
    public boolean stop(Duration patience) {
        return process.stop(patience);
    }

    /** Ends it as a power cut would. */
    public void kill() throws InterruptedException {
        process.kill();
    }

    /** Its name in the cluster; empty if it is alone. */
    public String id() {
        return id;
    }

    /** Its process, which may have ended. */
    public SpawnedServer process() {
        return process;
    }

    /** Where it listens for operators. */
    public URI management() {
        return management;
    }

    /** Returns the directory of its keys, its metadata, and its logs unless these are in HDFS. */
    public Path data() {
        return data;
    }

    /** Its administrator. */
    public TalosEndpoint endpoint() throws CommandException {
        return Connection.fromFile(process.uri(), credentials());
    }

    /** The administrator's client, which does not repeat what has failed. */
    public TalosAdmin admin() throws CommandException {
        return new TalosAdmin(new TalosClient(endpoint()).once());
    }

    /** The administrator's key. */
    public Credential credential() throws CommandException {
        TalosEndpoint endpoint = endpoint();
        return new Credential(endpoint.accessKey(), endpoint.secretKey());
    }

    /** Creates a topic of the administrator. */
    public TopicDescription topic(String name, int partitions) throws TalosClientException, CommandException {
        return admin().createTopic(NewTopic.of(name, partitions));
    }

    /** Returns puts of the administrator to all partitions, of messages that cannot be compressed. */
    public List<SignedPuts> puts(TopicDescription topic, int size, long seed) throws CommandException {
        return SignedPuts.toAll(topic, authority(), credential(), size, seed);
    }

    /** The file with its administrator's key. */
    public Path credentials() {
        return data.resolve("admin.credentials");
    }

    /** Its process id. */
    public long pid() {
        return process.pid();
    }

    /** Returns its address. */
    public URI uri() {
        return process.uri();
    }

    /** The same as a socket has it. */
    public InetSocketAddress address() {
        return new InetSocketAddress(uri().getHost(), uri().getPort());
    }

    /** The same as requests name it: host and port. */
    public String authority() {
        return uri().getAuthority();
    }

    /** Returns whether its process has not ended. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns what its process uses now, after a full garbage collection. */
    public ServerState state() throws IOException {
        return ServerState.of(process);
    }

    /** The most memory that its process has used at once. */
    public long mostResidentBytes() throws IOException {
        return ServerState.mostResidentBytes(process.pid());
    }

    /** Returns how many files it has open, including connections. */
    public long openFiles() throws IOException {
        return ServerState.openFiles(process.pid());
    }

    @Override
    public ServerMetrics metrics() throws IOException {
        return ServerMetrics.of(management);
    }

    @Override
    public double cpuSeconds() {
        return process.cpu().toNanos() / 1e9;
    }

    @Override
    public void close() throws IOException {
        try {
            process.close();
        } finally {
            Folders.delete(data);
        }
    }
}

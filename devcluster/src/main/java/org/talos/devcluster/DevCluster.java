// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Real daemons on 127.0.0.1, each its own JVM, with everything they write under one directory: the NameNode, three
 * DataNodes, ZooKeeper, HBase's master and a region server.
 *
 * <p>Whoever opens the same directory later, in this program or another, sees the same daemons: they are known by the
 * pids that the directory holds. Ports are chosen once and then kept there.
 *
 * <p>Thread-safe.
 */
public final class DevCluster implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);
    private static final Duration FORMAT_TIMEOUT = Duration.ofMinutes(1);

    private final Layout layout;
    private final Ports ports;
    private final NameNodeView nameNode;
    private final boolean attached;
    private final Object lock = new Object();

    private final Map<Daemon, DaemonProcess> processes = new EnumMap<>(Daemon.class); // not changed once constructed

    private DevCluster(Layout layout, Ports ports, boolean attached) {
        this.layout = layout;
        this.ports = ports;
        this.attached = attached;
        this.nameNode = new NameNodeView(ports);
        for (Daemon daemon : Daemon.values()) {
            processes.put(daemon, new DaemonProcess(layout, daemon));
        }
    }

    /**
     * The cluster of that directory, whose daemons end with this program at the latest, however it ends. Nothing is
     * started yet.
     *
     * @param directory where everything of it lies; made when it is not there
     * @param daemons target folder of the module {@code devcluster/daemons}
     */
    public static DevCluster attached(Path directory, Path daemons) throws IOException {
        return open(new Layout(directory, daemons), true, 0);
    }

    /**
     * The cluster of that directory, whose daemons go on when this program ends. Nothing is started yet.
     *
     * @param firstPort where the search for free ports begins, when they are not chosen yet; 0: anywhere
     */
    public static DevCluster detached(Path directory, Path daemons, int firstPort) throws IOException {
        return open(new Layout(directory, daemons), false, firstPort);
    }

    private static DevCluster open(Layout layout, boolean attached, int firstPort) throws IOException {
        layout.create();
        Ports ports = Ports.load(layout.portsFile(), firstPort > 0 ? firstPort : Ports.firstFor(layout.directory()));
        ports.save(layout.portsFile());
        return new DevCluster(layout, ports, attached);
    }

    /**
     * Starts what does not run yet of these parts, and returns when all of them work. A start that fails leaves nothing
     * running.
     */
    public void start(Parts parts) throws IOException, InterruptedException {
        synchronized (lock) {
            try (FileChannel channel =
                            FileChannel.open(layout.lockFile(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock held = exclusively(channel)) {
                new ConfigFiles(layout, ports).write(parts);
                startAll(parts, held);
            }
        }
    }

    private FileLock exclusively(FileChannel channel) throws IOException {
        FileLock held = channel.tryLock();
        if (held == null) {
            throw new IOException("another program is starting the cluster in " + layout.directory());
        }
        return held;
    }

    @GuardedBy("lock")
    private void startAll(Parts parts, FileLock held) throws IOException, InterruptedException {
        if (!held.isValid()) {
            throw new IOException("lost " + layout.lockFile());
        }
        try {
            format();
            startMissing(parts, false);
            awaitHdfs();
            startMissing(parts, true);
            awaitHBase(parts);
        } catch (IOException | InterruptedException | RuntimeException e) {
            try {
                stop();
            } catch (IOException | InterruptedException | RuntimeException stopping) {
                e.addSuppressed(stopping);
            }
            throw e;
        }
    }

    /** Stops everything, also what another program has started; what is on disk stays. */
    public void stop() throws IOException, InterruptedException {
        synchronized (lock) {
            List<DaemonProcess> reversed = new ArrayList<>(processes.values());
            Collections.reverse(reversed);
            for (DaemonProcess process : reversed) {
                process.stop(STOP_PATIENCE);
            }
        }
    }

    /** As {@link #stop} for a cluster that is attached; one that is detached goes on. */
    @Override
    public void close() throws IOException {
        if (attached) {
            try {
                stop();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while the daemons stop; they end with this program", e);
            }
        }
    }

    /**
     * The directory with {@code core-site.xml}, {@code hdfs-site.xml}, {@code hbase-site.xml} and {@code talos.yaml}.
     */
    public Path clientConfig() {
        return layout.clientConfig();
    }

    /** A Talos server's configuration for this cluster. */
    public Path talosConfig() {
        return layout.clientConfig().resolve("talos.yaml");
    }

    /** The NameNode as a file system's address: {@code hdfs://127.0.0.1:…}. */
    public URI hdfs() {
        return URI.create("hdfs://" + Ports.HOST + ":" + ports.of(Daemon.NAMENODE));
    }

    /** Where clients reach the daemon. */
    public InetSocketAddress address(Daemon daemon) throws IOException {
        return Ports.address(ports.of(daemon));
    }

    /**
     * Runs a program of Hadoop's or HBase's as a client of this cluster, as {@code org.apache.hadoop.fs.FsShell -ls /}.
     *
     * @return what it printed
     * @throws IOException it ended with an error; the message has what it printed
     */
    public String run(String mainClass, String... arguments) throws IOException, InterruptedException {
        return ClientProgram.run(layout, mainClass, List.of(arguments));
    }

    @GuardedBy("lock")
    private void format() throws IOException, InterruptedException {
        if (Files.exists(layout.data("namenode").resolve("current"))) {
            return;
        }
        DaemonProcess formatter = process(Daemon.NAMENODE);
        formatter.start(attached, List.of("-format", "-nonInteractive", "-clusterid", "talos-devcluster"));
        Waits.until(
                FORMAT_TIMEOUT,
                () -> "the NameNode's directory is not formatted",
                () -> formatter.find().isEmpty());
        if (!Files.exists(layout.data("namenode").resolve("current").resolve("VERSION"))) {
            throw new IOException("formatting the NameNode's directory failed" + formatter.lastWords());
        }
    }

    @GuardedBy("lock")
    private void startMissing(Parts parts, boolean hbase) throws IOException {
        for (DaemonProcess process : processes.values()) {
            Daemon daemon = process.daemon();
            if (parts.has(daemon) && daemon.isHBase() == hbase && process.find().isEmpty()) {
                start(process);
            }
        }
    }

    private void start(DaemonProcess process) throws IOException {
        process.start(attached, arguments(process.daemon()));
    }

    private List<String> arguments(Daemon daemon) {
        return switch (daemon) {
            case ZOOKEEPER -> List.of(layout.daemonConfig().resolve("zoo.cfg").toString());
            case NAMENODE -> List.of();
            case DATANODE_1, DATANODE_2, DATANODE_3 ->
                List.of(
                        "-Ddfs.datanode.data.dir=" + layout.data(daemon.label()).toUri(),
                        "-Ddfs.datanode.address=" + Ports.HOST + ":" + ports.of(daemon),
                        "-Ddfs.datanode.http.address=" + Ports.HOST + ":" + ports.http(daemon),
                        "-Ddfs.datanode.ipc.address=" + Ports.HOST + ":" + ports.ipc(daemon));
            case HMASTER -> List.of("start");
            case REGIONSERVER_1, REGIONSERVER_2 -> List.of("-Dhbase.regionserver.port=" + ports.of(daemon), "start");
        };
    }

    @GuardedBy("lock")
    private void awaitHdfs() throws IOException, InterruptedException {
        await(
                "HDFS is not ready",
                List.of(Daemon.NAMENODE, Daemon.DATANODE_1, Daemon.DATANODE_2, Daemon.DATANODE_3),
                () -> nameNode.isReady(Daemon.dataNodes().size()));
    }

    @GuardedBy("lock")
    private void awaitHBase(Parts parts) throws IOException, InterruptedException {
        if (parts == Parts.ALL) {
            await("ZooKeeper is not ready", List.of(Daemon.ZOOKEEPER), this::zooKeeperAnswers);
            await(
                    "HBase is not ready",
                    List.of(Daemon.HMASTER, Daemon.REGIONSERVER_1),
                    () -> process(Daemon.HMASTER).hasLogged("Master has completed initialization"));
        }
    }

    /** Waits for the condition, but no longer than all of these live. */
    @GuardedBy("lock")
    private void await(String missing, List<Daemon> needed, Waits.Condition condition)
            throws IOException, InterruptedException {
        Waits.until(START_TIMEOUT, () -> missing, () -> {
            for (Daemon daemon : needed) {
                DaemonProcess process = process(daemon);
                if (process.find().isEmpty()) {
                    throw new IOException(missing + ": " + daemon.label() + " has ended" + process.lastWords());
                }
            }
            return condition.holds();
        });
    }

    private boolean zooKeeperAnswers() {
        try (Socket socket = new Socket()) {
            socket.connect(address(Daemon.ZOOKEEPER), 1_000);
            socket.setSoTimeout(1_000);
            socket.getOutputStream().write("ruok".getBytes(StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readNBytes(4);
            return new String(answer, StandardCharsets.US_ASCII).equals("imok");
        } catch (IOException e) {
            return false; // not there, or not yet
        }
    }

    private DaemonProcess process(Daemon daemon) {
        DaemonProcess process = processes.get(daemon);
        if (process == null) {
            throw new IllegalStateException("no process for " + daemon);
        }
        return process;
    }
}

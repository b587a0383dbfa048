// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Real daemons on 127.0.0.1, each its own JVM, with everything they write under one directory: the NameNode, three
 * DataNodes, ZooKeeper as one server or an ensemble of three, HBase's master and a region server. It also injects
 * faults into them.
 *
 * <p>A later instance for the same directory, in this program or another, finds the same daemons by the pids in the
 * directory. Ports are chosen once and then kept there.
 *
 * <p>Thread-safe.
 */
public final class DevCluster implements AutoCloseable {
    /** Whom ZooKeeper knows, if it asks: see {@link #secureZooKeeper}. */
    public static final String ZOOKEEPER_USER = "talos";

    private static final int PASSWORD_BYTES = 24;
    private static final Duration NOTICED = Duration.ofMinutes(1);
    private static final int HEAL_ATTEMPTS = 3;
    private static final String HBASE_TOOL = "org.talos.devcluster.daemon.HBaseTool";

    private final Layout layout;
    private final Ports ports;
    private final boolean attached;
    private final NameNodeView nameNode;
    private final ZooKeeperView zooKeeper;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Daemons daemons;

    @GuardedBy("lock")
    private Parts parts = Parts.HDFS;

    /** True if a fault was injected since all daemons last worked. */
    @GuardedBy("lock")
    private boolean harmed;

    private DevCluster(Layout layout, Ports ports, boolean attached) {
        this.layout = layout;
        this.ports = ports;
        this.attached = attached;
        this.daemons = new Daemons(layout, ports, attached);
        this.nameNode = daemons.nameNode();
        this.zooKeeper = daemons.zooKeeper();
    }

    /**
     * Opens the cluster of that directory; its daemons end with this program at the latest, however it ends. Nothing is
     * started yet.
     *
     * @param directory where everything of it lies; made when it is missing
     * @param jars target folder of the module {@code devcluster/daemons}
     */
    public static DevCluster attached(Path directory, Path jars) throws IOException {
        return attached(directory, jars, 0);
    }

    /**
     * Like {@link #attached(Path, Path)}.
     *
     * @param zooKeepers how many servers ZooKeeper has, 1 or 3; 0: as many as it had before, else 1
     */
    public static DevCluster attached(Path directory, Path jars, int zooKeepers) throws IOException {
        return open(new Layout(directory, jars), true, 0, zooKeepers);
    }

    /**
     * Opens the cluster of that directory; its daemons continue when this program ends. Nothing is started yet.
     *
     * @param firstPort where the search for free ports begins; 0: those that the directory has, or any
     * @param zooKeepers how many servers ZooKeeper has, 1 or 3; 0: as many as it had before, else 1
     */
    public static DevCluster detached(Path directory, Path jars, int firstPort, int zooKeepers) throws IOException {
        return open(new Layout(directory, jars), false, firstPort, zooKeepers);
    }

    private static DevCluster open(Layout layout, boolean attached, int firstPort, int zooKeepers) throws IOException {
        layout.create();
        Ports known = Ports.load(layout.portsFile(), Ports.firstFor(layout.directory()), zooKeepers);
        if (firstPort > 0 && new Daemons(layout, known, attached).allStopped()) {
            Files.deleteIfExists(layout.portsFile());
            known = Ports.load(layout.portsFile(), firstPort, known.zooKeepers().size());
        }
        known.save(layout.portsFile());
        return new DevCluster(layout, known, attached);
    }

    /**
     * Starts what does not run of these parts, wakes what is paused, and returns when all of it works. A start that
     * fails leaves nothing running.
     *
     * @return whether there was anything to start or to wake
     */
    public boolean start(Parts wanted) throws IOException, InterruptedException {
        synchronized (lock) {
            try (FileChannel channel =
                            FileChannel.open(layout.lockFile(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock held = channel.tryLock()) {
                if (held == null) {
                    throw new IOException("another program is starting the cluster in " + layout.directory());
                }
                if (wanted == Parts.ALL) {
                    parts = wanted;
                }
                new ConfigFiles(layout, ports).write(parts);
                return startOrStop();
            }
        }
    }

    @GuardedBy("lock")
    private boolean startOrStop() throws IOException, InterruptedException {
        try {
            return daemons.start(parts) > 0;
        } catch (IOException | InterruptedException | RuntimeException e) {
            try {
                daemons.stop();
            } catch (IOException | InterruptedException | RuntimeException stopping) {
                e.addSuppressed(stopping);
            }
            throw e;
        }
    }

    /** Stops everything, also what another program has started; what is on disk stays. */
    public void stop() throws IOException, InterruptedException {
        synchronized (lock) {
            daemons.stop();
        }
    }

    /** As {@link #stop} for a cluster that is attached; one that is detached continues. */
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

    /** The status of each daemon, in the order of their start. */
    public List<DaemonStatus> status() throws IOException, InterruptedException {
        synchronized (lock) {
            List<DaemonStatus> all = new ArrayList<>();
            for (Daemon daemon : Daemon.values()) {
                if (ports.has(daemon)) {
                    all.add(daemons.status(daemon));
                }
            }
            return all;
        }
    }

    /** Starts a daemon that does not run, and returns when it works. */
    public void start(Daemon daemon) throws IOException, InterruptedException {
        synchronized (lock) {
            daemons.begin(daemon);
            daemons.await(daemon);
        }
    }

    /** Starts a daemon that does not run, and returns at once. */
    public void begin(Daemon daemon) throws IOException, InterruptedException {
        synchronized (lock) {
            daemons.begin(daemon);
        }
    }

    /** Stops a daemon in its own way. */
    public void stop(Daemon daemon) throws IOException, InterruptedException {
        synchronized (lock) {
            harmed = true;
            daemons.stop(daemon);
        }
    }

    /** Stops a daemon in its own way, starts it on the same data, and returns when it works. */
    public void restart(Daemon daemon) throws IOException, InterruptedException {
        synchronized (lock) {
            daemons.stop(daemon);
            daemons.begin(daemon);
            daemons.await(daemon);
        }
    }

    /** {@code kill -9}: returns when the process is gone. Other daemons are not notified. */
    public void kill(Daemon daemon) throws IOException, InterruptedException {
        synchronized (lock) {
            harmed = true;
            daemons.process(daemon).kill();
        }
    }

    /** {@code kill -9} of all daemons at once, as a power cut of the whole cluster. Start it again by {@link #heal}. */
    public void killAll() throws IOException, InterruptedException {
        synchronized (lock) {
            harmed = true;
            daemons.kill();
        }
    }

    /** Holds a daemon still (SIGSTOP): its connections stay open without answers. */
    public void pause(Daemon daemon) throws IOException, InterruptedException {
        synchronized (lock) {
            harmed = true;
            daemons.process(daemon).signal("STOP");
        }
    }

    /** Lets a daemon that is held still continue (SIGCONT). */
    public void resume(Daemon daemon) throws IOException, InterruptedException {
        synchronized (lock) {
            daemons.process(daemon).signal("CONT");
        }
    }

    /**
     * Makes each write of a DataNode to its disk fail from now on, as on a full disk: no file of it may grow (the soft
     * limit of the process for the size of a file is set to nothing). The NameNode does not know.
     */
    public void fillDisk(Daemon dataNode) throws IOException, InterruptedException {
        synchronized (lock) {
            harmed = true;
            daemons.process(dataNode).limitFiles("0");
        }
    }

    /** Undoes {@link #fillDisk}. */
    public void freeDisk(Daemon dataNode) throws IOException, InterruptedException {
        synchronized (lock) {
            daemons.process(dataNode).limitFiles("unlimited");
        }
    }

    /**
     * Undoes every fault: wakes what is paused, starts what is gone, frees disks, and returns when everything works
     * that was started by {@link #start(Parts)}, HBase's tables included. Costs nothing when no fault was made.
     */
    public void heal() throws IOException, InterruptedException {
        synchronized (lock) {
            if (!harmed && daemons.allAlive(parts)) {
                return;
            }
            IOException failure = new IOException("the cluster in " + layout.directory() + " cannot be healed");
            for (int attempt = 1; attempt <= HEAL_ATTEMPTS; attempt++) {
                try {
                    healOnce();
                    harmed = false;
                    return;
                } catch (IOException e) {
                    failure.addSuppressed(e);
                }
            }
            throw failure;
        }
    }

    /**
     * Heals once. Fails if a daemon ends meanwhile, as HBase's do minutes after a fault when their session expires;
     * then another attempt follows.
     */
    @GuardedBy("lock")
    private void healOnce() throws IOException, InterruptedException {
        startOrStop();
        for (Daemon dataNode : Daemon.dataNodes()) {
            daemons.process(dataNode).limitFiles("unlimited");
        }
        if (parts == Parts.ALL) {
            // HBase's clients wait very long for a region server that has ended.
            Daemons running = daemons;
            Parts needed = parts;
            ClientProgram.run(layout, HBASE_TOOL, List.of("check"), () -> running.allAlive(needed));
        }
        if (!daemons.allAlive(parts)) {
            throw new IOException("a daemon has ended after all of them worked");
        }
    }

    /** Waits until the NameNode counts the DataNode among the live. */
    public void awaitLive(Daemon dataNode) throws IOException, InterruptedException {
        Waits.until(
                NOTICED,
                () -> "the NameNode has had no heartbeat of " + dataNode.label(),
                () -> nameNode.isLive(dataNode));
    }

    /** Waits until the NameNode counts the DataNode as dead: 12 s after its last heartbeat. */
    public void awaitDead(Daemon dataNode) throws IOException, InterruptedException {
        Waits.until(
                NOTICED, () -> "the NameNode has not given up " + dataNode.label(), () -> nameNode.isDead(dataNode));
    }

    /**
     * Moves all regions of an HBase table: to the other region server when there are two, else each is closed and
     * opened again where it is.
     */
    public void moveRegions(String table) throws IOException, InterruptedException {
        run(HBASE_TOOL, "move", table);
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

    /**
     * Writes configuration as {@link #clientConfig} for a client that reaches these daemons only through proxies: the
     * NameNode and ZooKeeper where those listen, each DataNode at its {@link #proxyAddress}, where a proxy has to
     * listen before the client does anything.
     */
    public void writeProxiedConfig(Path directory, InetSocketAddress nameNodeProxy, InetSocketAddress zooKeeperProxy)
            throws IOException {
        writeProxiedConfig(directory, nameNodeProxy, List.of(zooKeeperProxy));
    }

    /**
     * Like {@link #writeProxiedConfig(Path, InetSocketAddress, InetSocketAddress)} with a proxy for each server of
     * ZooKeeper, in the order of {@link #zooKeepers}.
     */
    public void writeProxiedConfig(
            Path directory, InetSocketAddress nameNodeProxy, List<InetSocketAddress> zooKeeperProxies)
            throws IOException {
        Files.createDirectories(directory);
        Ports proxied = ports.with(Daemon.NAMENODE, nameNodeProxy.getPort());
        for (int i = 0; i < zooKeeperProxies.size(); i++) {
            proxied = proxied.with(zooKeepers().get(i), zooKeeperProxies.get(i).getPort());
        }
        new ConfigFiles(layout, proxied).writeProxied(directory);
    }

    /** The servers of ZooKeeper: one, or three as an ensemble. */
    public List<Daemon> zooKeepers() {
        return ports.zooKeepers();
    }

    /**
     * Has ZooKeeper know a user with a password (SASL, DIGEST-MD5) from the next start on, for good: nodes may belong
     * to that user. Clients without credentials are accepted all the same.
     *
     * @throws IOException ZooKeeper runs without
     */
    public void secureZooKeeper() throws IOException {
        synchronized (lock) {
            Path file = layout.zooKeeperPassword();
            if (Files.exists(file)) {
                return;
            }
            for (Daemon each : ports.zooKeepers()) {
                if (daemons.process(each).isAlive()) {
                    throw new IOException(
                            "ZooKeeper runs without passwords in " + layout.directory() + ": stop it first");
                }
            }
            byte[] password = new byte[PASSWORD_BYTES];
            new SecureRandom().nextBytes(password);
            PrivateFiles.write(file, Base64.getUrlEncoder().encodeToString(password) + "\n");
        }
    }

    /** The file with the password of {@link #ZOOKEEPER_USER}, if ZooKeeper asks for it. */
    public Optional<Path> zooKeeperPassword() {
        return Optional.of(layout.zooKeeperPassword()).filter(Files::exists);
    }

    /** Returns where ZooKeeper's clients connect to: {@code host:port}, of an ensemble several, separated by commas. */
    public String zooKeeper() {
        return ports.zooKeeper();
    }

    /** The server that leads ZooKeeper's ensemble; empty while none does, or if there is only one. */
    public Optional<Daemon> zooKeeperLeader() {
        return zooKeeper.leader();
    }

    /** The NameNode as a file system's address: {@code hdfs://127.0.0.1:…}. */
    public URI hdfs() {
        return URI.create("hdfs://" + Ports.HOST + ":" + ports.of(Daemon.NAMENODE));
    }

    /** Returns where clients reach the daemon. */
    public InetSocketAddress address(Daemon daemon) throws IOException {
        return Ports.address(ports.of(daemon));
    }

    /**
     * The address at which a client connects to a DataNode when it uses host names
     * ({@code dfs.client.use.datanode.hostname}): the same port of a loopback address of its own, at which nobody
     * listens but a proxy.
     */
    public InetSocketAddress proxyAddress(Daemon dataNode) throws IOException {
        return ports.proxyAddress(dataNode);
    }

    /**
     * Runs a program of Hadoop's or HBase's as a client of this cluster, as {@code org.apache.hadoop.fs.FsShell -ls /}.
     *
     * @return what it printed
     * @throws IOException it ended with an error; the message has what it printed
     */
    public String run(String mainClass, String... arguments) throws IOException, InterruptedException {
        return ClientProgram.run(layout, mainClass, List.of(arguments), () -> true);
    }
}

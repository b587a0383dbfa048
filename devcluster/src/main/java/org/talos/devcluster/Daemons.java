// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.talos.devcluster.DaemonStatus.State;

/**
 * Starts, awaits and stops the processes of a cluster in order.
 *
 * <p>Confined: the lock of its {@link DevCluster}.
 */
final class Daemons {
    private static final Duration START_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);
    private static final Duration PORT_PATIENCE = Duration.ofSeconds(10);
    private static final Duration FORMAT_TIMEOUT = Duration.ofMinutes(1);

    private final Layout layout;
    private final Ports ports;
    private final boolean attached;
    private final NameNodeView nameNode;
    private final ZooKeeperView zooKeeper;
    private final Map<Daemon, DaemonProcess> processes = new EnumMap<>(Daemon.class);

    Daemons(Layout layout, Ports ports, boolean attached) {
        this.layout = layout;
        this.ports = ports;
        this.attached = attached;
        this.nameNode = new NameNodeView(ports);
        this.zooKeeper = new ZooKeeperView(ports);
        for (Daemon daemon : Daemon.values()) {
            processes.put(daemon, new DaemonProcess(layout, daemon));
        }
    }

    /** Starts stopped daemons and resumes paused ones. Returns, once all work, how many it had to start or resume. */
    int start(Parts parts) throws IOException, InterruptedException {
        int changed = format() ? 1 : 0;
        changed += startMissing(parts, false);
        await(Daemon.NAMENODE);
        for (Daemon dataNode : Daemon.dataNodes()) {
            await(dataNode);
        }
        changed += startMissing(parts, true);
        if (parts == Parts.ALL) {
            for (Daemon each : ports.zooKeepers()) {
                await(each);
            }
            await(Daemon.HMASTER);
            await(Daemon.REGIONSERVER_1);
        }
        return changed;
    }

    private boolean format() throws IOException, InterruptedException {
        if (Files.exists(layout.data("namenode").resolve("current"))) {
            return false;
        }
        DaemonProcess formatter = process(Daemon.NAMENODE);
        formatter.start(attached, List.of("-format", "-nonInteractive", "-clusterid", "talos-devcluster"));
        Waits.until(FORMAT_TIMEOUT, () -> "the NameNode's directory is not formatted", () -> !formatter.isAlive());
        if (!Files.exists(layout.data("namenode").resolve("current").resolve("VERSION"))) {
            throw new IOException("formatting the NameNode's directory failed" + formatter.lastWords());
        }
        return true;
    }

    private int startMissing(Parts parts, boolean hbase) throws IOException, InterruptedException {
        int changed = 0;
        for (DaemonProcess process : processes.values()) {
            Daemon daemon = process.daemon();
            if (!has(parts, daemon) || daemon.isHBase() != hbase) {
                continue;
            }
            if (!process.isAlive()) {
                begin(daemon);
                changed++;
            } else if (process.isPaused()) {
                process.signal("CONT");
                changed++;
            }
        }
        return changed;
    }

    private boolean has(Parts parts, Daemon daemon) {
        return parts.has(daemon) && ports.has(daemon);
    }

    /** Starts it without waiting until it works. */
    void begin(Daemon daemon) throws IOException, InterruptedException {
        for (int port : ports.allOf(daemon)) {
            // A process that is just ending may still hold it.
            Waits.until(
                    PORT_PATIENCE,
                    () -> "port " + port + " of " + daemon.label() + " is taken by another program",
                    () -> FreePorts.isFree(port));
        }
        process(daemon).start(attached, arguments(daemon));
    }

    private List<String> arguments(Daemon daemon) {
        return switch (daemon) {
            case ZOOKEEPER, ZOOKEEPER_2, ZOOKEEPER_3 ->
                List.of(layout.zooKeeperConfig(daemon).toString());
            case NAMENODE -> List.of();
            case DATANODE_1, DATANODE_2, DATANODE_3 ->
                List.of(
                        "-Ddfs.datanode.data.dir=" + layout.data(daemon.label()).toUri(),
                        "-Ddfs.datanode.hostname=" + ports.proxyHost(daemon),
                        "-Ddfs.datanode.address=" + Ports.HOST + ":" + ports.of(daemon),
                        "-Ddfs.datanode.http.address=" + Ports.HOST + ":" + ports.http(daemon),
                        "-Ddfs.datanode.ipc.address=" + Ports.HOST + ":" + ports.ipc(daemon));
            case HMASTER -> List.of("start");
            case REGIONSERVER_1, REGIONSERVER_2 -> List.of("-Dhbase.regionserver.port=" + ports.of(daemon), "start");
        };
    }

    /** Returns when the daemon does its work, and fails as soon as it has ended. */
    void await(Daemon daemon) throws IOException, InterruptedException {
        DaemonProcess process = process(daemon);
        Waits.until(START_TIMEOUT, () -> daemon.label() + " is not ready, see " + layout.log(daemon), () -> {
            if (!process.isAlive()) {
                throw new IOException(daemon.label() + " has ended" + process.lastWords());
            }
            return isReady(process);
        });
    }

    private boolean isReady(DaemonProcess process) throws IOException, InterruptedException {
        Daemon daemon = process.daemon();
        return switch (daemon) {
            case ZOOKEEPER, ZOOKEEPER_2, ZOOKEEPER_3 -> zooKeeper.mode(daemon).isPresent();
            case NAMENODE -> nameNode.isOperational(livingDataNodes());
            // The NameNode would still count the previous process as live.
            case DATANODE_1, DATANODE_2, DATANODE_3 ->
                process.hasLogged("successfully registered with NN") && nameNode.isLive(daemon);
            case HMASTER -> process.hasLogged("Master has completed initialization");
            case REGIONSERVER_1, REGIONSERVER_2 -> process.hasLogged("Serving as ");
        };
    }

    private int livingDataNodes() throws IOException, InterruptedException {
        int living = 0;
        for (Daemon dataNode : Daemon.dataNodes()) {
            DaemonProcess process = process(dataNode);
            living += process.isAlive() && !process.isPaused() ? 1 : 0;
        }
        return living;
    }

    /** Stops all, also what another program has started. */
    void stop() throws IOException, InterruptedException {
        List<DaemonProcess> reversed = new ArrayList<>(processes.values());
        Collections.reverse(reversed);
        for (DaemonProcess process : reversed) {
            process.stop(STOP_PATIENCE);
        }
    }

    void stop(Daemon daemon) throws IOException, InterruptedException {
        process(daemon).stop(STOP_PATIENCE);
    }

    /** Kills all at once: none has the time to notice that another is gone. */
    void kill() throws IOException, InterruptedException {
        List<ProcessHandle> living = new ArrayList<>();
        for (DaemonProcess process : processes.values()) {
            process.find().ifPresent(living::add);
        }
        living.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle process : living) {
            DaemonProcess.awaitEnd(process, STOP_PATIENCE);
        }
    }

    /** Returns whether no daemon is alive. */
    boolean allStopped() throws IOException {
        for (DaemonProcess process : processes.values()) {
            if (process.isAlive()) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether each daemon of these parts is alive. */
    boolean allAlive(Parts parts) throws IOException {
        for (DaemonProcess process : processes.values()) {
            if (has(parts, process.daemon()) && !process.isAlive()) {
                return false;
            }
        }
        return true;
    }

    ZooKeeperView zooKeeper() {
        return zooKeeper;
    }

    NameNodeView nameNode() {
        return nameNode;
    }

    DaemonStatus status(Daemon daemon) throws IOException, InterruptedException {
        DaemonProcess process = process(daemon);
        Optional<ProcessHandle> living = process.find();
        State state;
        if (living.isEmpty()) {
            state = Files.exists(layout.pidFile(daemon)) ? State.DEAD : State.STOPPED;
        } else if (process.isPaused()) {
            state = State.PAUSED;
        } else {
            state = FreePorts.isFree(ports.of(daemon)) ? State.STARTING : State.UP;
        }
        OptionalLong pid = living.isPresent() ? OptionalLong.of(living.get().pid()) : OptionalLong.empty();
        return new DaemonStatus(daemon, state, pid, ports.of(daemon), layout.log(daemon));
    }

    DaemonProcess process(Daemon daemon) {
        DaemonProcess process = processes.get(daemon);
        if (process == null) {
            throw new IllegalStateException("no process for " + daemon);
        }
        return process;
    }
}

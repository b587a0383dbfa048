// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.talos.bench.load.MeasuredServer;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.ShutdownHooks;
import org.talos.launcher.local.SpawnedServer;
import org.talos.server.Main;

/** A server of any product in a process of its own, on an empty directory that goes with it. Confined: one run. */
final class PeerServer implements AutoCloseable {
    /** Names, as nothing of theirs can be loaded here. */
    private static final String KAFKA = "org.talos.bench.kafka.KafkaBroker";

    private static final String ROCKETMQ = "org.talos.bench.rocketmq.RocketMqServer";

    static final List<String> KAFKA_JVM = List.of(
            "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent");

    static final List<String> ROCKETMQ_JVM = List.of(
            "-XX:G1HeapRegionSize=16m",
            "-XX:G1ReservePercent=25",
            "-XX:InitiatingHeapOccupancyPercent=30",
            "-XX:SoftRefLRUPolicyMSPerMB=0");

    private final String address;
    private final long pid;
    private final Path folder;
    private final Ending ending;

    private PeerServer(String address, long pid, Path folder, Ending ending) {
        this.address = address;
        this.pid = pid;
        this.folder = folder;
        this.ending = ending;
    }

    /** Ends the process. */
    private interface Ending {
        void end() throws IOException;
    }

    /**
     * Starts one and waits until it serves.
     *
     * @param log where its standard error goes
     * @throws IOException it does not; the log says why
     */
    static PeerServer start(PeerCase what, PeersSettings settings, Path log) throws IOException, InterruptedException {
        Files.createDirectories(settings.work());
        if (what.product() == Product.TALOS) {
            MeasuredServer server = MeasuredServer.start(
                    Main.class,
                    settings.serverOptions(),
                    Map.of("LOG_DURABILITY", what.library().label()),
                    settings.work(),
                    log);
            Path data = server.credentials().toAbsolutePath().resolveSibling("");
            return new PeerServer(server.uri().toString(), server.pid(), data, server::close);
        }
        Path data = Files.createTempDirectory(settings.work(), what.product().label() + "-")
                .toAbsolutePath();
        try {
            return foreign(what, settings, data, log);
        } catch (IOException e) {
            Folders.delete(data);
            throw e;
        }
    }

    private static PeerServer foreign(PeerCase what, PeersSettings settings, Path data, Path log)
            throws IOException, InterruptedException {
        if (what.product() == Product.NATS) {
            Path program = settings.places().natsServer().orElseThrow();
            NatsServer server = NatsServer.start(program, what.isSynced(), data, log);
            ShutdownHooks.onExit("delete-data", () -> {
                server.close();
                Folders.delete(data); // of a run that was interrupted
            });
            return new PeerServer(server.address(), server.pid(), data, server::close);
        }
        String classPath = settings.places().classPath(what.product());
        SpawnedServer server = SpawnedServer.start(
                classPath, program(what, settings.tuning(), data), jvm(what.product(), settings, data), log);
        ShutdownHooks.onExit("delete-data", () -> {
            end(server);
            Folders.delete(data); // of a run that was interrupted
        });
        return new PeerServer(server.uri().getAuthority(), server.pid(), data, () -> end(server));
    }

    /** Without waiting for an orderly end: what it has is deleted next. */
    private static void end(SpawnedServer server) {
        try {
            server.kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * As their own start scripts have it, but for the size of the heap, which is the same for all, and for native
     * libraries and certificates, which they would leave behind in the machine's directory for such when they are
     * ended.
     */
    private static List<String> jvm(Product product, PeersSettings settings, Path data) {
        List<String> options = new ArrayList<>(product == Product.KAFKA ? KAFKA_JVM : ROCKETMQ_JVM);
        options.addAll(settings.serverOptions());
        options.add("-Djava.io.tmpdir=" + data);
        return options;
    }

    /** Main class and arguments of a broker. */
    static List<String> program(PeerCase what, PeersSettings.Tuning tuning, Path data) {
        List<String> program = new ArrayList<>();
        program.add(what.product() == Product.KAFKA ? KAFKA : ROCKETMQ);
        program.add(data.toString());
        if (what.isSynced()) {
            program.add(what.product() == Product.KAFKA ? "log.flush.interval.messages=1" : "flushDiskType=SYNC_FLUSH");
        }
        tuning.of(what.product()).forEach((key, value) -> program.add(key + "=" + value));
        return program;
    }

    /** Returns the address for its clients: host and port, or URL. */
    String address() {
        return address;
    }

    long pid() {
        return pid;
    }

    /** Of its data, and of what its clients write. */
    Path folder() {
        return folder;
    }

    @Override
    public void close() throws IOException {
        try {
            ending.end();
        } finally {
            Folders.delete(folder);
        }
    }
}

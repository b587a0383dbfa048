// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.client.TalosEndpoint;
import org.talos.launcher.local.SpawnedServer;
import org.talos.server.Main;

/**
 * One server of a cluster at an address of its own, whose process is stopped, killed and started again.
 *
 * <p>Confined: the main thread.
 */
public final class ClusterServer implements AutoCloseable {
    private final String id;
    private final URI uri;
    private final URI management;
    private final Path data;
    private final List<String> jvm;
    private final Path log;
    private final Map<String, String> environment;
    private @Nullable SpawnedServer process;

    /**
     * Nothing is started yet.
     *
     * @param id its name in the cluster
     * @param jvm its options
     * @param environment its whole configuration
     */
    ClusterServer(
            String id,
            URI uri,
            URI management,
            Path data,
            List<String> jvm,
            Path log,
            Map<String, String> environment) {
        this.id = id;
        this.uri = uri;
        this.management = management;
        this.data = data;
        this.jvm = List.copyOf(jvm);
        this.log = log;
        this.environment = Map.copyOf(environment);
    }

    /** Its name in the cluster. */
    public String id() {
        return id;
    }

    /** Where it listens. */
    public URI uri() {
        return uri;
    }

    /** Where it listens for operators. */
    public URI management() {
        return management;
    }

    /** Its process, if it runs. */
    public Optional<SpawnedServer> process() {
        return Optional.ofNullable(process);
    }

    Path data() {
        return data;
    }

    /** Its address, and the administrator's key. */
    public TalosEndpoint endpoint() throws CommandException {
        return Connection.fromFile(uri, data.resolve("admin.credentials"));
    }

    /** Returns when it listens. */
    public void start() throws IOException {
        process = SpawnedServer.start(Main.class.getName(), jvm, environment, log);
    }

    /** Asks it to stop; returns when it has ended. */
    void stop() throws IOException {
        if (process != null) {
            process.close();
            process = null;
        }
    }

    /** Likewise, and kills it if that takes longer; false if so. */
    public boolean stop(Duration patience) {
        boolean ended = process == null || process.stop(patience);
        process = null;
        return ended;
    }

    /** Ends it as a power cut would. */
    public void kill() throws InterruptedException {
        if (process != null) {
            process.kill();
            process = null;
        }
    }

    @Override
    public void close() throws IOException {
        stop();
    }
}

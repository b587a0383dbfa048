// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
final class ClusterServer implements AutoCloseable {
    private static final List<String> JVM = List.of("-Xms512m", "-Xmx1g");

    private final String id;
    private final URI uri;
    private final Path data;
    private final Path log;
    private final Map<String, String> environment;
    private @Nullable SpawnedServer process;

    /**
     * Nothing is started yet.
     *
     * @param id its name in the cluster
     * @param environment its whole configuration
     */
    ClusterServer(String id, URI uri, Path data, Path log, Map<String, String> environment) {
        this.id = id;
        this.uri = uri;
        this.data = data;
        this.log = log;
        this.environment = Map.copyOf(environment);
    }

    String id() {
        return id;
    }

    URI uri() {
        return uri;
    }

    Path data() {
        return data;
    }

    /** Its address, and the administrator's key. */
    TalosEndpoint endpoint() throws CommandException {
        return Connection.fromFile(uri, data.resolve("admin.credentials"));
    }

    /** Returns when it listens. */
    void start() throws IOException {
        process = SpawnedServer.start(Main.class.getName(), JVM, environment, log);
    }

    /** Asks it to stop; returns when it has ended. */
    void stop() throws IOException {
        if (process != null) {
            process.close();
            process = null;
        }
    }

    /** Ends it as a power cut would. */
    void kill() throws InterruptedException {
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

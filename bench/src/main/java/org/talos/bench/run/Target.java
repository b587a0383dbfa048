// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.run;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.Observable;
import org.talos.bench.load.ServerMetrics;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.client.TalosEndpoint;

/** The servers under load: running ones, or one that is started for the run. Confined: one run. */
final class Target implements Observable, AutoCloseable {
    private static final List<String> JVM = MeasuredServer.withHeap("2g");

    private final List<URI> servers;
    private final TalosEndpoint endpoint;
    private final Optional<URI> management;
    private final Optional<MeasuredServer> own;

    private Target(List<URI> servers, TalosEndpoint endpoint, Optional<URI> management, Optional<MeasuredServer> own) {
        this.servers = List.copyOf(servers);
        this.endpoint = endpoint;
        this.management = management;
        this.own = own;
    }

    /** @param management of the one whose metrics are read; empty for none */
    static Target running(List<URI> servers, Path credentials, Optional<URI> management) throws CommandException {
        return new Target(servers, Connection.fromFile(servers.get(0), credentials), management, Optional.empty());
    }

    /** @param settings environment variables without {@code TALOS_} */
    static Target started(Map<String, String> settings, Path work, Path log) throws IOException, CommandException {
        MeasuredServer server = MeasuredServer.start(org.talos.server.Main.class, JVM, settings, work, log);
        try {
            return new Target(List.of(server.uri()), server.endpoint(), Optional.empty(), Optional.of(server));
        } catch (CommandException e) {
            server.close();
            throw e;
        }
    }

    List<URI> servers() {
        return servers;
    }

    TalosEndpoint endpoint() {
        return endpoint;
    }

    /** Returns whether metrics of the server can be read. */
    boolean isObservable() {
        return own.isPresent() || management.isPresent();
    }

    @Override
    public ServerMetrics metrics() throws IOException {
        if (own.isPresent()) {
            return own.get().metrics();
        }
        return management.isPresent() ? ServerMetrics.of(management.get()) : ServerMetrics.NONE;
    }

    @Override
    public double cpuSeconds() {
        return own.map(MeasuredServer::cpuSeconds).orElse(Double.NaN);
    }

    @Override
    public void close() throws IOException {
        if (own.isPresent()) {
            own.get().close();
        }
    }
}

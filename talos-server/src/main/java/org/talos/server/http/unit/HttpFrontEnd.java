// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.unit;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.talos.server.config.HttpConfig;
import org.talos.server.frontend.FrontEnd;
import org.talos.server.frontend.FrontEndContext;
import org.talos.server.http.HttpPort;
import org.talos.server.http.console.PageHandler;
import org.talos.server.http.rest.RestHandler;
import org.talos.server.http.rest.Router;
import org.talos.server.http.rest.resource.Routes;
import org.talos.server.http.thrift.ThriftHandler;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.RequestMetrics;

/** The front end for HTTP: the calls of the SDKs, REST with its streams, and the pages for browsers. Thread-safe. */
public final class HttpFrontEnd implements FrontEnd {
    private final HttpConfig config;
    private final RestHandler rest;
    private final HttpPort port;

    /**
     * Creates the front end, which does not listen yet.
     *
     * @param config its section of the configuration, instead of the context's settings
     * @param console whether there are pages for people
     */
    public HttpFrontEnd(FrontEndContext context, HttpConfig config, boolean console) {
        this.config = config;
        MemoryBudget memory = context.bounds().memory();
        RequestMetrics requests = context.meters().requests();
        HttpPort.Parts parts = new HttpPort.Parts(
                config,
                context.authentication(),
                context.calls(),
                memory,
                requests,
                context.clocks().ticker(),
                context.clocks().clock());
        rest = new RestHandler(parts, context.operations(), new Router(Routes.all()));
        port = new HttpPort(
                parts,
                new PageHandler(parts, console, rest),
                new ThriftHandler(parts),
                context.bounds().grace());
        requests.watch(memory::used, rest::openStreams, port::certificateEndSeconds);
    }

    @Override
    public String name() {
        return "http";
    }

    @Override
    public void start() throws IOException {
        port.start();
    }

    @Override
    public List<Address> addresses() {
        return List.of(new Address(config.tls().enabled() ? "https" : "http", config.host(), port.port()));
    }

    @Override
    public Optional<String> failure() {
        return port.failure();
    }

    @Override
    public void drain() {
        rest.moveStreams();
    }

    @Override
    public void endStreams() {
        rest.endStreams();
    }

    @Override
    public void close() {
        port.close();
    }
}

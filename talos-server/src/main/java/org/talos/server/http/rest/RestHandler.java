// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.Graceful;
import org.eclipse.jetty.websocket.core.server.WebSocketServerComponents;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.HttpPort;
import org.talos.server.http.rest.stream.OpenStreams;
import org.talos.server.service.Operations;

/** Takes everything under /v1/ that is not Thrift as a request of REST. Thread-safe. */
public final class RestHandler extends Handler.Abstract.NonBlocking implements Graceful {
    private static final String ROOT = "/v1/";
    private static final String THRIFT = "/v1/api/";

    private final HttpPort.Parts parts;
    private final Operations operations;
    private final Credentials credentials;
    private final Router router;
    private final OpenStreams streams;

    /** REST on the operations of a server, by the router's routes. */
    public RestHandler(HttpPort.Parts parts, Operations operations, Router router) {
        this.parts = parts;
        this.operations = operations;
        credentials = new Credentials(parts.authentication(), parts.config().plainNetworks());
        this.router = router;
        streams = new OpenStreams(
                new OpenStreams.Bounds(
                        parts.config().limits().streams(),
                        parts.config().limits().streamsPerUser()),
                OpenStreams.interval(parts.config().idleTimeout()),
                (delay, task) -> {
                    var unused = getServer().getScheduler().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
                },
                parts.ticker());
    }

    /** Ends the requests without an end, which would keep the server from stopping. */
    public void endStreams() {
        var unused = streams.stop();
    }

    /** Asks the clients of streams to move to other servers: this server is drained. */
    public void moveStreams() {
        streams.move();
    }

    /** Returns the number of open streams. */
    public int openStreams() {
        return streams.count();
    }

    @Override
    protected void doStart() throws Exception {
        WebSocketServerComponents.ensureWebSocketComponents(getServer());
        super.doStart();
    }

    @Override
    public CompletableFuture<@Nullable Void> shutdown() {
        return streams.stop();
    }

    @Override
    public boolean isShutdown() {
        return streams.isStopped();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        String path = request.getHttpURI().getPath();
        if (path == null || !path.startsWith(ROOT) || path.startsWith(THRIFT)) {
            return false;
        }
        new RestExchange(parts, operations, credentials, router, streams, request, response, callback).begin(path);
        return true;
    }
}

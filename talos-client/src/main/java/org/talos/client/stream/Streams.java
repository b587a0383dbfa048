// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import org.talos.client.transport.ClientRuntime;
import org.talos.client.transport.ClientThreads;
import org.talos.client.transport.RoutedCalls;

/**
 * How a client opens streams: to whom, signed how, with which window.
 *
 * <p>Thread-safe.
 */
public final class Streams {
    private static final String SUBPROTOCOL = "talos.v1";
    private static final int CLOCK_TOO_SKEWED = 412;
    /** What a block has in front of it at most: attributes that no SDK sets. */
    private static final int AROUND_BYTES = 1 << 20;

    private final RoutedCalls routes;
    private final Optional<SSLContext> tls;
    private final Duration timeout;
    private final int window;
    private final ClientRuntime runtime;
    private final LongSupplier nanos;
    private final ExecutorService threads;
    private final Set<StreamReads> reading = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * The streams of one client.
     *
     * @param tls what servers are trusted; empty for what the JVM trusts
     * @param timeout in which a server has opened a stream, and then answers something
     * @param window bytes that either side may send before the other grants more
     */
    public Streams(
            RoutedCalls routes,
            Optional<SSLContext> tls,
            Duration timeout,
            int window,
            ClientRuntime runtime,
            LongSupplier nanos) {
        this.routes = routes;
        this.tls = tls;
        this.timeout = timeout;
        this.window = window;
        this.runtime = runtime;
        this.nanos = nanos;
        threads = runtime.pool("stream");
    }

    /** Ends all that is read; nothing is opened from now on. */
    public void close() {
        closed = true;
        reading.forEach(StreamReads::close);
    }

    /** Notes who has streams to be closed with the client. */
    void reading(StreamReads reads) {
        reading.add(reads);
    }

    /** Forgets who has none any more. */
    void read(StreamReads reads) {
        reading.remove(reads);
    }

    /**
     * A stream that is to be started.
     *
     * @param topic its resource name, which no later topic has
     * @param producer identity of its puts; empty for a stream that reads
     */
    StreamConnection connection(URI server, String topic, String producer, StreamConnection.Listener listener) {
        String query = "?window=" + window + (producer.isEmpty() ? "" : "&producer=" + producer);
        return new StreamConnection(() -> open(server, topic, query), listener, threads);
    }

    /** Opens one; again if it was refused because of the clock. */
    private WebSocket open(URI server, String topic, String query) throws IOException {
        try {
            return openOnce(server, topic, query);
        } catch (UpgradeRefusedException e) {
            if (e.status() == CLOCK_TOO_SKEWED && routes.learnClock(server, e.headers())) {
                return openOnce(server, topic, query);
            }
            throw e;
        }
    }

    private WebSocket openOnce(URI server, String topic, String query) throws IOException {
        if (closed) {
            throw new IOException("the client is closed");
        }
        String encoded = URLEncoder.encode(topic, StandardCharsets.UTF_8).replace("+", "%20");
        return WebSocket.open(
                new WebSocket.Request(
                        server,
                        "/v1/topics/" + encoded + "/stream" + query,
                        SUBPROTOCOL,
                        routes.signedGet(server, "/v1/topics/" + topic + "/stream"),
                        tls,
                        timeout,
                        window + AROUND_BYTES),
                nanos);
    }

    /** Bytes that either side of a stream may send before the other grants more. */
    public int window() {
        return window;
    }

    RoutedCalls routes() {
        return routes;
    }

    ClientRuntime runtime() {
        return runtime;
    }

    /** Runs a task after a time, in any case: nobody would tell that it was lost. */
    void later(Duration after, Runnable task) {
        runtime.later(after.toNanos(), ClientThreads.sure(threads)).execute(task);
    }

    Duration timeout() {
        return timeout;
    }

    long nanos() {
        return nanos.getAsLong();
    }
}

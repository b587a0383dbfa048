// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.IOException;
import java.net.PasswordAuthentication;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import org.talos.client.transport.ClientRuntime;
import org.talos.client.transport.ClientThreads;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RoutedCalls;
import org.talos.client.transport.socket.Dialer;
import org.talos.client.transport.socket.Wires;

/**
 * Opens the streams of a client: chooses the server, signs the request, and sets the window.
 *
 * <p>Thread-safe.
 */
public final class Streams {
    /** Then several messages arrive with one wake-up, and each partition still has room for its next messages. */
    private static final int SHARING = 8;

    private static final String SUBPROTOCOL = "talos.v1";
    private static final int CLOCK_TOO_SKEWED = 412;
    /** The most bytes in front of a block: attributes that no SDK sets. */
    private static final int AROUND_BYTES = 1 << 20;

    private final RoutedCalls routes;
    private final Duration timeout;
    private final int window;
    private final ClientRuntime runtime;
    private final LongSupplier nanos;
    private final ExecutorService threads;
    private final Wires wires;
    private final Set<StreamReads> reading = ConcurrentHashMap.newKeySet();
    private final Map<String, Readers> latest = new ConcurrentHashMap<>(); // by topics' resource names
    private volatile boolean closed;

    /**
     * The partitions that are read, and the reads that share the streams of their topic. Confined: the map's steps for
     * the topic.
     */
    private record Readers(StreamReads reads, Set<Integer> partitions) {
        /** Returns whether there is room for one more: two of one partition cannot be distinguished on a stream. */
        boolean takes(int partition) {
            return partitions.size() < SHARING && !partitions.contains(partition);
        }
    }

    /**
     * Creates the streams of one client.
     *
     * @param tls trusted servers; empty for those that the JVM trusts
     * @param login user and password that are sent only to proxies
     * @param timeout in which a server has opened a stream, and then answers something
     * @param window bytes that either side may send before the other grants more
     */
    public Streams(
            RoutedCalls routes,
            Optional<SSLContext> tls,
            Optional<PasswordAuthentication> login,
            Duration timeout,
            int window,
            ClientRuntime runtime,
            LongSupplier nanos) {
        this.routes = routes;
        this.timeout = timeout;
        this.window = window;
        this.runtime = runtime;
        this.nanos = nanos;
        threads = runtime.pool("stream");
        wires = new Wires(new Dialer(threads), tls, login);
    }

    /** Ends all reads, and opens no more streams. */
    public void close() {
        closed = true;
        reading.forEach(StreamReads::close);
    }

    /**
     * Reads a partition over a stream that it may share with a few others of the topic, which are read alike.
     *
     * @param onArrival as of {@link StreamReads#reader}
     */
    public StreamReads.Reader shared(PartitionRef partition, Runnable onArrival) {
        Readers with = latest.compute(partition.resourceName(), (topic, known) -> {
            Readers to = known != null && known.takes(partition.number())
                    ? known
                    : new Readers(reads(topic, SHARING), new HashSet<>());
            to.partitions.add(partition.number());
            return to;
        });
        return with.reads.reader(partition, onArrival);
    }

    /** Returns the same over a stream of its own. */
    public StreamReads.Reader own(PartitionRef partition, Runnable onArrival) {
        return reads(partition.resourceName(), 1).reader(partition, onArrival);
    }

    /** @param most streams at a time: the next is opened when one is over */
    private StreamReads reads(String topic, int most) {
        return new StreamReads(this, topic, new Semaphore(most * window));
    }

    /** Registers an owner of streams, which are closed with the client. */
    void reading(StreamReads reads) {
        reading.add(reads);
    }

    /** Forgets an owner without streams. */
    void read(StreamReads reads) {
        reading.remove(reads);
    }

    /**
     * Returns a stream to be started.
     *
     * @param topic its resource name, which no later topic has
     * @param producer identity of its puts; empty for a stream that reads
     */
    StreamConnection connection(URI server, String topic, String producer, StreamConnection.Listener listener) {
        String query = "window=" + window + (producer.isEmpty() ? "" : "&producer=" + producer);
        return new StreamConnection(() -> open(server, topic, query), listener, threads);
    }

    /** Opens a stream, and once more if it was refused because of the clock. */
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
                        server.getRawPath() + "/v1/topics/" + encoded + "/stream?" + query,
                        SUBPROTOCOL,
                        routes.signedGet(server, "/v1/topics/" + topic + "/stream", query),
                        timeout,
                        window + AROUND_BYTES),
                wires,
                nanos);
    }

    /** Returns the bytes that either side of a stream may send before the other grants more. */
    public int window() {
        return window;
    }

    RoutedCalls routes() {
        return routes;
    }

    ClientRuntime runtime() {
        return runtime;
    }

    /** Runs a task after a time, even if threads are short, because nobody would notice its loss. */
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

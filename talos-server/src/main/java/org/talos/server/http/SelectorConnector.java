// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.net.InetAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiPredicate;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.address.AddressRanges;
import org.talos.server.http.client.ProxyHeaderLog;
import org.talos.server.http.client.ProxyListener;
import org.talos.server.http.connection.EndedTunnels;
import org.talos.server.http.connection.PendingHeads;
import org.talos.server.http.fairness.SharedEvents;
import org.talos.server.http.fairness.UserTurn;
import org.talos.server.http.lent.LentBuffers;
import org.talos.server.memory.AnonymousMemory;
import org.talos.server.memory.DirectMemory;
import org.talos.server.runtime.client.Presence;
import org.talos.server.runtime.client.SeenPresence;
import org.talos.server.runtime.thread.Continuation;
import org.talos.server.runtime.thread.FairThreads;
import org.talos.server.runtime.time.Ticker;

/**
 * Listens, and runs the continuations of a request on the selector thread of its connection. Under load that thread is
 * awake anyway, and takes all accumulated tasks at once. A thread of the pool would have to be woken for each.
 *
 * <p>Thread-safe.
 */
final class SelectorConnector extends ServerConnector {
    /** At most, where there is memory for so many heads. */
    private static final int UNCOUNTED_DISCARDS = 1_000;

    private static final long STREAMS_POLL_MILLIS = 100;

    private final PendingHeads heads;
    /** For work of milliseconds, for which all other connections of a selector would wait. */
    private final FairThreads heavy =
            new FairThreads("http-large", Runtime.getRuntime().availableProcessors());

    private final AnonymousMemory anonymous;
    private final LentBuffers lentBuffers = LentBuffers.ofDirectMemory(DirectMemory.most());
    private final Semaphore uncountedDiscards;
    private final Set<SelectedEndPoint> heard = ConcurrentHashMap.newKeySet(); // without closed ones
    private final Ticker ticker;
    private AddressRanges proxies = AddressRanges.NONE; // set before it starts
    private @Nullable ProxyListener proxyListener; // likewise
    private volatile boolean hasFailed;
    private long graceNanos; // set before it starts
    private volatile long stoppedNanos; // set before the flag
    private volatile boolean isStopping;

    SelectorConnector(
            Server server,
            int heads,
            int selectors,
            Ticker ticker,
            AnonymousMemory anonymous,
            ConnectionFactory... factories) {
        super(server, null, null, null, 1, selectors, factories);
        this.heads = new PendingHeads(heads);
        uncountedDiscards = new Semaphore(Math.min(UNCOUNTED_DISCARDS, heads));
        this.anonymous = anonymous;
        this.ticker = ticker;
        addBean(new EndedTunnels(getScheduler(), heads));
    }

    /**
     * Sets how long requests in flight may take once the server stops.
     *
     * @param time at least
     */
    void setGrace(Duration time) {
        graceNanos = time.toNanos();
    }

    /**
     * Ends idle connections soon, as Jetty does, except HTTP/2 connections with requests in flight: Jetty would end
     * such a connection with all of them.
     */
    @Override
    public CompletableFuture<Void> shutdown() {
        stoppedNanos = ticker.nanos();
        isStopping = true;
        CompletableFuture<Void> done = super.shutdown();
        for (EndPoint each : getConnectedEndPoints()) {
            if (hasStreams(each.getConnection())) {
                each.setIdleTimeout(TimeUnit.NANOSECONDS.toMillis(graceNanos));
                endSoonWithoutStreams(each);
            }
        }
        return done;
    }

    /** Also ends the threads for heavy work, after their waiting tasks have run. */
    @Override
    protected void doStop() throws Exception {
        try {
            super.doStop();
        } finally {
            heavy.close();
        }
    }

    /** Ends a connection as soon as an idle one once its requests have ended: the stop waits for it. */
    private void endSoonWithoutStreams(EndPoint endPoint) {
        if (hasStreams(endPoint.getConnection())) {
            var unused = getScheduler()
                    .schedule(() -> endSoonWithoutStreams(endPoint), STREAMS_POLL_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            endPoint.setIdleTimeout(getShutdownIdleTimeout());
        }
    }

    /**
     * Returns whether HTTP/2 requests are in flight. A WebSocket's stream does not count: it ends by its own close
     * frame.
     */
    private static boolean hasStreams(@Nullable Connection connection) {
        Connection plain = connection instanceof SslConnection encrypted
                ? encrypted.getSslEndPoint().getConnection()
                : connection;
        return plain instanceof HTTP2Connection http2
                && http2.getSession().getStreams().stream().anyMatch(each -> !isTunnel(each));
    }

    private static boolean isTunnel(Stream stream) {
        return stream instanceof HTTP2Stream known && known.getAttachment() instanceof EndPoint;
    }

    /** Returns whether the connector of the request is shut down or about to be. */
    static boolean isStopping(Request request) {
        return connectorOf(request) instanceof SelectorConnector connector && connector.isStopping;
    }

    /**
     * Returns whether the connector of the request is shut down, and its requests still have their grace period. At the
     * end of that period, there must be time for a last answer.
     */
    static boolean isWithinGrace(Request request) {
        return connectorOf(request) instanceof SelectorConnector connector
                && connector.isStopping
                && connector.ticker.nanos() - connector.stoppedNanos
                        < connector.graceNanos - 2 * TimeUnit.MILLISECONDS.toNanos(connector.getShutdownIdleTimeout());
    }

    private static Connector connectorOf(Request request) {
        return request.getConnectionMetaData().getConnector();
    }

    @Override
    protected SelectorManager newSelectorManager(Executor executor, Scheduler scheduler, int selectors) {
        return new ServerConnectorManager(executor, scheduler, selectors) {
            @Override
            protected ManagedSelector newSelector(int id) {
                return new SelectorTurn(this, id, ticker, () -> hasFailed = true);
            }
        };
    }

    /** Returns whether some of its connections, and further ones, will never be served again. */
    boolean hasFailed() {
        return hasFailed;
    }

    /** Runs tasks on the thread of the selector with the request's connection, in their order; null for none. */
    static @Nullable Continuation selectorOf(Request request) {
        SelectedEndPoint endPoint = endPointOf(request);
        return endPoint == null ? null : endPoint.turn;
    }

    /** Returns a user's turns on the thread of the selector that has the request's connection. */
    static UserTurn turnsOf(Request request, String user) {
        SelectedEndPoint endPoint = endPointOf(request);
        return endPoint == null ? UserTurn.ALONE : endPoint.turn.of(user);
    }

    private static @Nullable SelectedEndPoint endPointOf(Request request) {
        return selected(request.getConnectionMetaData().getConnection().getEndPoint());
    }

    private static @Nullable SelectedEndPoint selected(EndPoint endPoint) {
        EndPoint socket = endPoint instanceof SslConnection.SslEndPoint encrypted
                ? encrypted.getSslConnection().getEndPoint()
                : endPoint;
        return socket instanceof SelectedEndPoint selected ? selected : null;
    }

    /** Returns the count of events of a new connection of HTTP/2. */
    static RateControl countedBy(SharedEvents events, EndPoint endPoint) {
        SharedEvents.Connection connection = events.of(endPoint);
        SelectedEndPoint selected = selected(endPoint);
        if (selected != null) {
            selected.events = connection;
        }
        return connection;
    }

    /** Counts the events of the request's connection for this user, too, if it is a connection of HTTP/2. */
    static void countFor(Request request, String user) {
        SelectedEndPoint endPoint = endPointOf(request);
        SharedEvents.@Nullable Connection events = endPoint == null ? null : endPoint.events;
        if (events != null) {
            events.sentBy(user);
        }
    }

    /** Lets the selector read from the request's connection, which changes its protocol. Nothing waits in it. */
    static void readOnSelector(Request request) {
        SelectedEndPoint endPoint = endPointOf(request);
        if (endPoint != null && request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_2) {
            endPoint.isReadOnSelector = true;
        }
    }

    /** The presence of the request's client. The connection is watched only once somebody asks. */
    static Presence presenceOf(Request request) {
        return new ClientPresence(request);
    }

    /** The client of one request. Thread-safe. */
    private static final class ClientPresence implements Presence {
        private final Request request;
        private final SeenPresence seen = new SeenPresence();
        private final AtomicBoolean watched = new AtomicBoolean();

        ClientPresence(Request request) {
            this.request = request;
        }

        @Override
        public Runnable onGone(Runnable task) {
            Runnable undo = seen.onGone(task);
            if (watched.compareAndSet(false, true)) {
                watch();
            }
            return undo;
        }

        private void watch() {
            SelectedEndPoint endPoint = endPointOf(request);
            if (request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2) {
                request.addIdleTimeoutListener(idle -> false); // a request that waits is not idle
                request.addFailureListener(failure -> seen.leave());
            } else if (endPoint != null) {
                endPoint.watch(seen::leave);
            }
        }

        @Override
        public boolean isGone() {
            return seen.isGone();
        }
    }

    /**
     * Returns the threads that compute digests, decode, and write large bodies and answers, and those that may be large
     * after decompression.
     */
    static FairThreads heavyOf(Request request) {
        return ((SelectorConnector) request.getConnectionMetaData().getConnector()).heavy;
    }

    /** Returns the memory of requests whose senders have shown no key. */
    static AnonymousMemory anonymousOf(Request request) {
        return ((SelectorConnector) request.getConnectionMetaData().getConnector()).anonymous;
    }

    /** Returns the buffers from which answers are written. */
    static LentBuffers lentBuffersOf(Request request) {
        return ((SelectorConnector) request.getConnectionMetaData().getConnector()).lentBuffers;
    }

    /** Places for requests that are refused for lack of memory, until the rest of their bodies has arrived. */
    static Semaphore uncountedDiscardsOf(Request request) {
        return ((SelectorConnector) request.getConnectionMetaData().getConnector()).uncountedDiscards;
    }

    /** The connections that were accepted, or have received something, since the last call of this. */
    Collection<EndPoint> takeHeard() {
        List<SelectedEndPoint> taken = new ArrayList<>(heard);
        for (SelectedEndPoint each : taken) {
            heard.remove(each);
            each.isHeard = false;
        }
        return List.copyOf(taken);
    }

    /**
     * Makes connections of trusted proxies begin with a header of the PROXY protocol. Call it before the start.
     *
     * @param from the proxies
     * @param admits whether a connection of a client may stay that has come through a proxy
     */
    void expectProxyHeaders(AddressRanges from, BiPredicate<SelectableChannel, InetAddress> admits) {
        proxies = from;
        proxyListener = new ProxyHeaderLog(admits, ticker);
    }

    @Override
    protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key) {
        boolean isOfProxy = proxies.contains(channel.socket().getRemoteSocketAddress());
        SelectedEndPoint endPoint = new SelectedEndPoint(
                channel, (SelectorTurn) selector, key, getScheduler(), heard, heads, isOfProxy ? proxyListener : null);
        endPoint.setIdleTimeout(getIdleTimeout());
        endPoint.heard();
        return endPoint;
    }
}

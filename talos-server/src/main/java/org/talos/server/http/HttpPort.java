// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.TalosException;
import org.talos.common.tls.CipherWarmUp;
import org.talos.server.auth.Authentication;
import org.talos.server.auth.AuthenticationException;
import org.talos.server.auth.Authenticator;
import org.talos.server.auth.Principal;
import org.talos.server.auth.SessionTokens;
import org.talos.server.auth.SessionTokens.Session;
import org.talos.server.auth.StreamTokens;
import org.talos.server.config.HttpConfig;
import org.talos.server.config.HttpLimits;
import org.talos.server.http.connection.AcceptBound;
import org.talos.server.http.connection.AddressConnectionLimit;
import org.talos.server.http.connection.BoundedBuffers;
import org.talos.server.http.connection.UnfinishedRequests;
import org.talos.server.http.fairness.SharedEvents;
import org.talos.server.http.lent.LentBuffers;
import org.talos.server.http.tls.FrontTls;
import org.talos.server.memory.AnonymousMemory;
import org.talos.server.memory.ConnectionMemory;
import org.talos.server.memory.DirectMemory;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.RequestMetrics;
import org.talos.server.runtime.PortFailure;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.service.call.CallHandler;
import org.talos.thrift.ErrorCode;

/**
 * The server's port: HTTP/1.1 and HTTP/2, in clear or under TLS.
 *
 * <p>Thread-safe.
 */
public final class HttpPort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpPort.class);

    static final int TOO_SLOW = 408;
    public static final int TOO_LARGE = 413;
    public static final int UNAVAILABLE = 503;

    /** The path at which people sign in with key and secret in a body. */
    public static final String SESSION_PATH = "/v1/session";

    /** The cookie with the token of a session. */
    public static final String SESSION_COOKIE = "talos-session";

    /** Attribute of a request whose refusal by 401 is not a wrong guess: its credentials are right, or were. */
    static final String NO_GUESS = HttpPort.class.getName() + ".noGuess";

    /** Attribute of a request whose body failed before any work was done for it. */
    static final String NOT_BEGUN = HttpPort.class.getName() + ".notBegun";

    /**
     * At a stop, connections that are idle for this part of the grace period are closed, and at most for Jetty's 1 s.
     */
    private static final int IDLE_PART_OF_GRACE = 10;

    private final HttpConfig config;
    private final FrontTls tls;
    private final SharedEvents events;
    private final Server server;
    private final SelectorConnector connector;

    /**
     * The parts that check requests, and the parts that handle them. Immutable.
     *
     * @param budget memory of bodies in flight
     */
    public record Parts(
            HttpConfig config,
            Authentication authentication,
            CallHandler services,
            MemoryBudget budget,
            RequestMetrics metrics,
            Ticker ticker,
            InstantSource clock) {
        public Authenticator authenticator() {
            return authentication.authenticator();
        }

        public StreamTokens tokens() {
            return authentication.tokens();
        }

        public SessionTokens sessions() {
            return authentication.sessions();
        }

        /**
         * Returns the sender of a request, checked at each call: fails with INVALID_AUTH_INFO once the key or the
         * session has ended.
         *
         * @param session of the request; null if it has other credentials
         */
        public Supplier<Principal> known(Principal sender, @Nullable Session session) {
            return () -> {
                try {
                    return authentication.stillKnown(sender, session);
                } catch (AuthenticationException e) {
                    throw TalosException.refused(ErrorCode.INVALID_AUTH_INFO, e.sentence());
                }
            };
        }

        /** Returns how Jetty may run the handlers: without a thread of their own, unless calls block. */
        public Invocable.InvocationType invocation() {
            return services.blocks() ? Invocable.InvocationType.BLOCKING : Invocable.InvocationType.NON_BLOCKING;
        }
    }

    /**
     * Not yet listening.
     *
     * @param rest handles requests other than Thrift, and passes on requests that are not its own
     * @param thrift answers all else
     */
    public HttpPort(Parts parts, Handler rest, Handler thrift, Duration grace) {
        config = parts.config();
        tls = new FrontTls(config.tls(), parts.clock());
        events = new SharedEvents(config.limits().http2EventsPerSecond(), config.proxies(), parts.ticker());
        ConnectionMemory memory = ConnectionMemory.of(
                Runtime.getRuntime().maxMemory(),
                DirectMemory.most(),
                config.tls().enabled());
        server = new Server(
                threads(config.workers()),
                null,
                new BoundedBuffers(LentBuffers.LARGEST_BYTES, memory.directBytes(), DirectMemory.used()));
        CrossOrigins origins = new CrossOrigins(config.origins());
        server.setErrorHandler(new Refusals(parts.clock(), origins));
        server.setRequestLog(new RequestLogger(parts.ticker()));
        server.setStopTimeout(grace.toMillis());
        connector = new SelectorConnector(
                server,
                memory.heads(),
                selectors(config.workers()),
                parts.ticker(),
                new AnonymousMemory(parts.budget()),
                new HttpProtocols(config, tls, events).factories());
        connector.setHost(config.host());
        connector.setPort(config.port());
        connector.setIdleTimeout(config.idleTimeout().toMillis());
        connector.setShutdownIdleTimeout(Math.min(
                connector.getShutdownIdleTimeout(),
                grace.dividedBy(IDLE_PART_OF_GRACE).toMillis()));
        connector.setGrace(grace);
        connector.setAcceptQueueSize(1_024);
        server.addConnector(connector);
        limitConnections(parts, memory);
        GracefulHandler graceful = new GracefulHandler();
        graceful.setHandler(origins.around(
                new TransferCodings(parts.clock(), new GuessLimit(parts, new Handler.Sequence(rest, thrift)))));
        server.setHandler(graceful);
    }

    private static SelectorThreads threads(int workers) {
        SelectorThreads threads = new SelectorThreads(workers);
        threads.setName("talos-http");
        threads.setDaemon(true);
        return threads;
    }

    /** Returns the number of Jetty's selector threads. */
    public static int selectors(int workers) {
        return Math.max(2, Math.min(workers / 4, Runtime.getRuntime().availableProcessors()));
    }

    private void limitConnections(Parts parts, ConnectionMemory memory) {
        HttpLimits limits = config.limits();
        UnfinishedRequests unfinished =
                new UnfinishedRequests(connector, connector::takeHeard, limits.headTimeout(), parts.ticker());
        connector.addBean(unfinished);
        connector.addBean(new AcceptBound(
                connector,
                config.maxConnections(),
                limits.acceptsPerSecond(),
                unfinished::closeOldest,
                parts.ticker()));
        AddressConnectionLimit addresses = new AddressConnectionLimit(limits.connectionsPerAddress(), config.proxies());
        connector.addBean(addresses);
        connector.addBean(events);
        if (config.proxyProtocol()) {
            connector.expectProxyHeaders(
                    config.proxies(),
                    (channel, client) -> !events.isRefused(client) && addresses.admits(channel, client));
        }
        connector.addBean(new RefusedStreams(connector.getScheduler(), limits.headTimeout(), memory.heads()));
    }

    /** Keeps the refusal of a request from counting as a wrong guess of a key if it is known not to be one. */
    public static void markUnlessAGuess(Request request, AuthenticationException refusal) {
        if (!refusal.mayBeAGuess()) {
            request.setAttribute(NO_GUESS, true);
        }
    }

    /**
     * Begins to listen.
     *
     * @throws IOException the address is taken, or the key store cannot be read
     */
    public void start() throws IOException {
        tls.load();
        try {
            server.start();
        } catch (Exception e) {
            throw PortFailure.of("http", String.valueOf(connector.getHost()), connector.getPort(), e);
        }
        if (tls.enabled()) {
            connector.getExecutor().execute(CipherWarmUp::run); // the first clients would wait for it
        }
        tls.watch();
    }

    /** Uses the key store for further connections if its file has changed, now instead of within 10 s. */
    void reloadCertificate() {
        tls.reload();
    }

    /** Returns when the certificate that clients see ends, in seconds since 1970, or 0 without TLS. */
    public long certificateEndSeconds() {
        return tls.endSeconds();
    }

    /** The port that it listens on. */
    public int port() {
        return connector.getLocalPort();
    }

    /** Returns why it will never serve all connections again; empty while it does. */
    public Optional<String> failure() {
        return connector.hasFailed() ? Optional.of("a selector failed, restart the server") : Optional.empty();
    }

    /** Closes the port, answers the requests in flight within the grace period, and stops. */
    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            LOG.warn("front end not stopped cleanly", e);
        }
        tls.close();
    }
}

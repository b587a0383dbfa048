// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.management;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.http.HostPortHttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.HttpLimits;
import org.talos.server.config.ManagementConfig;
import org.talos.server.http.connection.AcceptBound;
import org.talos.server.http.connection.UnfinishedRequests;
import org.talos.server.metrics.PrometheusText;
import org.talos.server.runtime.PortFailure;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.time.Ticker;

/**
 * The operators' port, which answers also when the clients' port is full: {@code /metrics}, {@code /health/live},
 * {@code /health/ready}, {@code /info} and {@code /config}. It reads and changes nothing else.
 *
 * <p>Thread-safe.
 */
public final class ManagementPort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ManagementPort.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int THREADS = 4;
    private static final int MAX_HEADER_BYTES = 8 << 10;
    private static final int IDLE_MILLIS = 30_000;

    private final Server server;
    private final ServerConnector connector;

    /**
     * The contents that the port shows. Immutable.
     *
     * @param info of the build and the process
     * @param config with secrets masked
     */
    public record Shown(
            PrometheusText metrics, Readiness readiness, Map<String, String> info, Map<String, Object> config) {}

    /**
     * Not yet listening.
     *
     * @param limits of the clients' port, which hold here too as far as they are of one connection
     * @param names that it may be asked by, beside those of its configuration
     */
    public ManagementPort(ManagementConfig config, HttpLimits limits, Set<String> names, Shown shown, Ticker ticker) {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS, THREADS);
        threads.setName("talos-management");
        threads.setDaemon(true);
        server = new Server(threads);
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(MAX_HEADER_BYTES);
        connector = new ServerConnector(server, null, null, null, 1, 1, new HttpConnectionFactory(http));
        connector.setHost(config.host());
        connector.setPort(config.port());
        connector.setIdleTimeout(IDLE_MILLIS);
        server.addConnector(connector);
        connector.addBean(
                new AcceptBound(connector, Integer.MAX_VALUE, limits.acceptsPerSecond(), () -> false, ticker));
        connector.addBean(new ConnectionTurnover(config.maxConnections()));
        connector.addBean(
                new UnfinishedRequests(connector, connector::getConnectedEndPoints, limits.headTimeout(), ticker));
        Set<String> all = new HashSet<>(config.names());
        all.addAll(names);
        server.setHandler(new Pages(shown, new HostNames(all)));
    }

    /**
     * Begins to listen.
     *
     * @throws IOException the address is taken
     */
    public void start() throws IOException {
        try {
            server.start();
        } catch (Exception e) {
            throw PortFailure.of("management", String.valueOf(connector.getHost()), connector.getPort(), e);
        }
        LOG.info("management port={}", port());
    }

    /** The port that it listens on. */
    public int port() {
        return connector.getLocalPort();
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            LOG.warn("management port not stopped cleanly", e);
        }
    }

    /** Answers the port's requests. Thread-safe. */
    private static final class Pages extends Handler.Abstract {
        private final Shown shown;
        private final HostNames names;

        Pages(Shown shown, HostNames names) {
            this.shown = shown;
            this.names = names;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws JsonProcessingException {
            if (!names.has(host(request))) {
                String detail = "the host's name is none of this port's: add it to management.hostNames";
                json(response, callback, HttpStatus.MISDIRECTED_REQUEST_421, Map.of("detail", detail));
                return true;
            }
            if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
                response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
                json(response, callback, HttpStatus.METHOD_NOT_ALLOWED_405, Map.of("detail", "read only"));
                return true;
            }
            switch (String.valueOf(request.getHttpURI().getPath())) {
                case "/metrics" ->
                    write(response, callback, HttpStatus.OK_200, PrometheusText.CONTENT_TYPE, shown.metrics.write());
                case "/health/live" -> live(response, callback);
                case "/health/ready" -> ready(response, callback);
                case "/info" -> json(response, callback, HttpStatus.OK_200, shown.info);
                case "/config" -> json(response, callback, HttpStatus.OK_200, shown.config);
                default -> json(response, callback, HttpStatus.NOT_FOUND_404, Map.of("detail", "nothing is here"));
            }
            return true;
        }

        private static @Nullable String host(Request request) {
            return request.getHeaders().getField(HttpHeader.HOST) instanceof HostPortHttpField named
                    ? named.getHost()
                    : request.getHeaders().get(HttpHeader.HOST);
        }

        private void live(Response response, Callback callback) throws JsonProcessingException {
            Map<String, String> reasons = shown.readiness.ends();
            int status = reasons.isEmpty() ? HttpStatus.OK_200 : HttpStatus.SERVICE_UNAVAILABLE_503;
            json(response, callback, status, Map.of("live", reasons.isEmpty(), "reasons", reasons));
        }

        private void ready(Response response, Callback callback) throws JsonProcessingException {
            Map<String, String> reasons = shown.readiness.reasons();
            int status = reasons.isEmpty() ? HttpStatus.OK_200 : HttpStatus.SERVICE_UNAVAILABLE_503;
            Map<String, Object> body = new LinkedHashMap<>();
            body.put("ready", reasons.isEmpty());
            body.put("reasons", reasons);
            body.put("warnings", shown.readiness.warnings());
            json(response, callback, status, body);
        }

        private static void json(Response response, Callback callback, int status, Map<String, ?> body)
                throws JsonProcessingException {
            write(response, callback, status, "application/json", JSON.writeValueAsString(body));
        }

        private static void write(Response response, Callback callback, int status, String type, String text) {
            ByteBuffer body = StandardCharsets.UTF_8.encode(text);
            response.setStatus(status);
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.remaining());
            response.getHeaders().put("X-Content-Type-Options", "nosniff");
            response.write(true, body, callback);
        }
    }
}

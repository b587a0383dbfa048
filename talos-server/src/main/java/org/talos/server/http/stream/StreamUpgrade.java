// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.Configuration;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeRequest;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeResponse;
import org.eclipse.jetty.websocket.core.server.WebSocketMappings;
import org.eclipse.jetty.websocket.core.server.WebSocketNegotiator;
import org.eclipse.jetty.websocket.core.server.WebSocketServerComponents;
import org.talos.server.auth.StreamTokens;
import org.talos.server.config.HttpConfig;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Upgrade;
import org.talos.server.http.rest.json.ProblemException;

/**
 * The opening of a stream: checks what was asked for, and makes the request's connection a stream.
 *
 * <p>Confined: one request.
 */
final class StreamUpgrade implements Upgrade {
    static final String SUBPROTOCOL = "talos.v1";
    static final String WINDOW = "window";
    static final String PRODUCER = "producer";

    private static final int USUAL_WINDOW = 2 << 20;
    private static final int SMALLEST_WINDOW = 64 << 10;
    private static final int LARGEST_WINDOW = 64 << 20;
    private static final Pattern PRODUCER_FORM = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    private static final int BUFFER_BYTES = 64 << 10; // pooled, and given back while nothing comes
    private static final int BATCH_BYTES = 16 << 10;

    private final RestRequest asked;
    private final int window;
    private final String producer;
    private final int partitions;
    private final boolean mayPut;

    /**
     * Checks what was asked for.
     *
     * @throws ProblemException 400: what is no stream of ours
     */
    StreamUpgrade(RestRequest asked) {
        this.asked = asked;
        requireWebSocket(asked.headers());
        window = (int) asked.query().number(WINDOW, USUAL_WINDOW, SMALLEST_WINDOW, LARGEST_WINDOW);
        producer = asked.query().text(PRODUCER).orElse("");
        if (asked.query().text(PRODUCER).isPresent()
                && !PRODUCER_FORM.matcher(producer).matches()) {
            throw ProblemException.badRequest("parameter producer (expected: 1 to 64 of A-Z a-z 0-9 - _)");
        }
        mayPut = asked.query().text(StreamTokens.PARAMETER).isEmpty();
        partitions = asked.operations().openableBy(asked.context(), asked.variable(0));
    }

    private static void requireWebSocket(HttpFields headers) {
        boolean upgrades = headers.contains(HttpHeader.UPGRADE, "websocket")
                && headers.contains(HttpHeader.CONNECTION, "upgrade")
                && headers.contains(HttpHeader.SEC_WEBSOCKET_KEY)
                && headers.contains(HttpHeader.SEC_WEBSOCKET_VERSION, "13");
        if (!upgrades) {
            throw ProblemException.badRequest("a stream is a WebSocket of version 13, and this request opens none");
        }
        List<String> offered = headers.getCSV(HttpHeader.SEC_WEBSOCKET_SUBPROTOCOL, false);
        if (!offered.contains(SUBPROTOCOL)) {
            throw ProblemException.badRequest("subprotocols " + offered + " (expected: " + SUBPROTOCOL + ")");
        }
    }

    @Override
    public Upgraded open(Ground ground, Request request) {
        HttpConfig config = ground.parts().config();
        requireOrigin(config, request);
        StreamCalls calls = new StreamCalls(asked.operations(), ground.contexts(), asked.variable(0), producer);
        int largestPut = (int) Math.min(window, config.maxBodyBytes());
        StreamSession session = new StreamSession(
                new StreamTerms(window, largestPut, partitions, mayPut),
                calls,
                asked.memory().part());
        StreamSocket socket =
                new StreamSocket(session, calls, ground, request.getComponents().getScheduler());
        return new Opened(socket);
    }

    /** A page of another origin would use what the browser knows of its user's server. */
    private static void requireOrigin(HttpConfig config, Request request) {
        String origin = request.getHeaders().get(HttpHeader.ORIGIN);
        if (origin != null && !config.origins().contains(origin) && !isOwn(origin, request)) {
            throw ProblemException.refused(
                    403, "foreign-origin", "pages of this origin may not use this server (http.corsOrigins)");
        }
    }

    private static boolean isOwn(String origin, Request request) {
        String host = request.getHeaders().get(HttpHeader.HOST);
        String scheme = request.isSecure() ? "https" : "http";
        return origin.equalsIgnoreCase(scheme + "://" + host);
    }

    /** A stream that is ready to take its connection. Thread-safe. */
    private static final class Opened implements Upgraded {
        private final StreamSocket socket;

        Opened(StreamSocket socket) {
            this.socket = socket;
        }

        @Override
        public boolean begin(Request request, Response response, Callback callback, Runnable onEnd) {
            socket.onEnd(onEnd);
            Server server = request.getConnectionMetaData().getConnector().getServer();
            return new WebSocketMappings(WebSocketServerComponents.getWebSocketComponents(server))
                    .upgrade(new Negotiator(socket), request, response, callback, Opened::configure);
        }

        private static void configure(Configuration connection) {
            connection.setIdleTimeout(Duration.ZERO); // the pings of all streams together look after that
            connection.setAutoFragment(true);
            connection.setMaxFrameSize(0); // whatever its length, a frame is read in pieces
            connection.setInputBufferSize(BUFFER_BYTES);
            connection.setOutputBufferSize(BATCH_BYTES);
        }

        @Override
        public void stop() {
            socket.stop();
        }

        @Override
        public void beat() {
            socket.beat();
        }
    }

    /** Takes the subprotocol, and no extension. Immutable. */
    private record Negotiator(FrameHandler socket) implements WebSocketNegotiator {
        @Override
        public FrameHandler negotiate(ServerUpgradeRequest request, ServerUpgradeResponse response, Callback callback) {
            response.setAcceptedSubProtocol(SUBPROTOCOL);
            response.setExtensions(List.of());
            return socket;
        }
    }
}

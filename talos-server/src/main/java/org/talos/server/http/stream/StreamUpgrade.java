// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.TunnelSupport;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.Configuration;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeRequest;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeResponse;
import org.eclipse.jetty.websocket.core.server.WebSocketMappings;
import org.eclipse.jetty.websocket.core.server.WebSocketNegotiator;
import org.eclipse.jetty.websocket.core.server.WebSocketServerComponents;
import org.jspecify.annotations.Nullable;
import org.talos.server.auth.StreamTokens;
import org.talos.server.config.HttpConfig;
import org.talos.server.http.connection.AnsweredOpening;
import org.talos.server.http.lent.CopiedWrites;
import org.talos.server.http.rest.OwnOrigin;
import org.talos.server.http.rest.RequestHeaders;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Upgrade;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.http.stream.incoming.JsonDecoder;
import org.talos.server.http.stream.incoming.MessageDecoder;
import org.talos.server.http.stream.incoming.MessageSource;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.message.MessageOperations.OpenTopic;

/**
 * The opening of a stream: checks the request, and turns its connection into a stream.
 *
 * <p>Confined: one request.
 */
final class StreamUpgrade implements Upgrade {
    static final String SUBPROTOCOL = "talos.v1";
    static final String JSON_SUBPROTOCOL = "talos.v1.json";
    static final String WINDOW = "window";
    static final String PRODUCER = "producer";
    static final String AS = "as";

    private static final int USUAL_WINDOW = 2 << 20;
    private static final int SMALLEST_WINDOW = 64 << 10;
    private static final int LARGEST_WINDOW = 64 << 20;
    private static final String WEBSOCKET = "websocket";
    private static final Pattern KEY_FORM = Pattern.compile("[A-Za-z0-9+/]{22}=="); // 16 bytes
    private static final Pattern PRODUCER_FORM = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    private static final int BUFFER_BYTES = 64 << 10; // pooled, and given back while nothing comes
    private static final int BATCH_BYTES = 16 << 10;
    /** Over HTTP/2, where each write is copied ({@link CopiedWrites}): a batch would be a copy of a copy. */
    private static final int NO_BATCH_BYTES = 1;

    private final RestRequest asked;
    private final BlockMessages blocks;
    private final String subprotocol;
    private final Form form; // of messages in JSON
    private final int window;
    private final String producer;
    private final OpenTopic topic;
    private final boolean mayPut;

    /**
     * Checks the request.
     *
     * @throws ProblemException 400: it does not ask for a stream of this protocol
     */
    StreamUpgrade(RestRequest asked, BlockMessages blocks) {
        this.asked = asked;
        this.blocks = blocks;
        subprotocol = subprotocol(asked.headers());
        form = Form.of(asked.query().text(AS));
        window = (int) asked.query().number(WINDOW, USUAL_WINDOW, SMALLEST_WINDOW, LARGEST_WINDOW);
        producer = asked.query().text(PRODUCER).orElse("");
        if (asked.query().text(PRODUCER).isPresent()
                && !PRODUCER_FORM.matcher(producer).matches()) {
            throw ProblemException.badRequest("parameter producer (expected: 1 to 64 of A-Z a-z 0-9 - _)");
        }
        mayPut = asked.query().text(StreamTokens.PARAMETER).isEmpty()
                && asked.session()
                        .current()
                        .isEmpty(); // nothing in an opening shows that its page may change something
        topic = asked.operations().messages().openableBy(asked.context(), asked.variable(0));
    }

    /** All that Jetty asks for, which would else fail where nothing can be answered any more. */
    private static void requireWebSocket(Request request) {
        HttpFields headers = request.getHeaders();
        boolean opens = HttpMethod.CONNECT.is(request.getMethod()) ? opensTunnel(request) : upgrades(request, headers);
        if (!opens || !headers.getValuesList(HttpHeader.SEC_WEBSOCKET_VERSION).equals(List.of("13"))) {
            throw ProblemException.badRequest("a stream is a WebSocket of version 13, and this request opens none");
        }
    }

    /** The first of the client's that is known. */
    private static String subprotocol(RequestHeaders headers) {
        List<String> offered = headers.elements(HttpHeader.SEC_WEBSOCKET_SUBPROTOCOL.asString()); // as Jetty reads them
        return offered.stream()
                .filter(each -> each.equals(SUBPROTOCOL) || each.equals(JSON_SUBPROTOCOL))
                .findFirst()
                .orElseThrow(() -> ProblemException.badRequest(
                        "subprotocols " + offered + " (expected: " + SUBPROTOCOL + " or " + JSON_SUBPROTOCOL + ")"));
    }

    private static boolean opensTunnel(Request request) {
        TunnelSupport tunnel = request.getTunnelSupport();
        return tunnel != null && WEBSOCKET.equals(tunnel.getProtocol());
    }

    private static boolean upgrades(Request request, HttpFields headers) {
        List<String> to = headers.getValuesList(HttpHeader.UPGRADE);
        List<String> keys = headers.getValuesList(HttpHeader.SEC_WEBSOCKET_KEY);
        return HttpVersion.HTTP_1_1.is(request.getConnectionMetaData().getProtocol())
                && to.size() == 1
                && to.get(0).equalsIgnoreCase(WEBSOCKET)
                && headers.getCSV(HttpHeader.CONNECTION, true).stream().anyMatch("upgrade"::equalsIgnoreCase)
                && keys.size() == 1
                && KEY_FORM.matcher(keys.get(0)).matches();
    }

    @Override
    public Upgraded open(Ground ground, Request request) {
        requireWebSocket(request);
        HttpConfig config = ground.parts().config();
        requireOrigin(config, request);
        boolean isText = subprotocol.equals(JSON_SUBPROTOCOL);
        RequestMemory memory = asked.memory().part();
        Reading reading =
                isText ? new Reading.Texts(blocks, form, asked.heavy(), memory, window) : new Reading.Blocks(memory);
        StreamCalls calls = new StreamCalls(
                asked.operations(), ground.contexts(), topic.resourceName(), asked.address(), producer, reading);
        StreamTerms terms =
                new StreamTerms(window, (int) Math.min(window, config.maxBodyBytes()), topic.partitions(), mayPut);
        StreamSession session =
                new StreamSession(terms, isText ? JsonMessages.JSON : ServerMessages.BINARY, calls, memory);
        MessageSource source = isText ? new JsonDecoder(terms.largestPut(), memory::part) : new MessageDecoder(session);
        StreamSocket socket = new StreamSocket(
                session,
                source,
                calls,
                ground,
                connection(request),
                request.getComponents().getScheduler(),
                asked.heavy());
        return new Opened(socket, subprotocol);
    }

    private static EndPoint connection(Request request) {
        TunnelSupport tunnel = request.getTunnelSupport();
        return HttpMethod.CONNECT.is(request.getMethod()) && tunnel != null
                ? tunnel.getEndPoint()
                : request.getConnectionMetaData().getConnection().getEndPoint();
    }

    /** A page of another origin would use the browser's credentials for its user's server. */
    private static void requireOrigin(HttpConfig config, Request request) {
        String origin = request.getHeaders().get(HttpHeader.ORIGIN);
        if (origin != null && !config.origins().contains(origin) && !OwnOrigin.is(origin, request)) {
            throw ProblemException.refused(
                    403, "foreign-origin", "pages of this origin may not use this server (http.corsOrigins)");
        }
    }

    /** A stream that is ready to take its connection. Thread-safe. */
    private static final class Opened implements Upgraded {
        private final StreamSocket socket;
        private final String subprotocol;

        Opened(StreamSocket socket, String subprotocol) {
            this.socket = socket;
            this.subprotocol = subprotocol;
        }

        @Override
        public boolean begin(Request request, Response response, Callback callback, Runnable onEnd) {
            socket.onEnd(onEnd);
            request.addHttpStreamWrapper(stream -> new AnsweredOpening(stream, socket::endUnlessOpened));
            Server server = request.getConnectionMetaData().getConnector().getServer();
            return new WebSocketMappings(WebSocketServerComponents.getWebSocketComponents(server))
                    .upgrade(
                            new Negotiator(socket, subprotocol),
                            new WithoutExtensions(request),
                            response,
                            callback,
                            configuration(HttpMethod.CONNECT.is(request.getMethod()) ? NO_BATCH_BYTES : BATCH_BYTES));
        }

        private static Configuration.Customizer configuration(int batchBytes) {
            return connection -> {
                connection.setIdleTimeout(Duration.ZERO); // the pings of all streams together look after that
                connection.setAutoFragment(true);
                connection.setMaxFrameSize(0); // whatever its length, a frame is read in pieces
                connection.setInputBufferSize(BUFFER_BYTES);
                connection.setOutputBufferSize(batchBytes);
            };
        }

        @Override
        public void stop(int withinMillis) {
            socket.stop(withinMillis);
        }

        @Override
        public void move(int withinMillis) {
            socket.move(withinMillis);
        }

        @Override
        public void beat() {
            socket.beat();
        }
    }

    /**
     * A request of whose extensions none is taken, so that none is read either, and whose frames are copied. Confined:
     * as the request.
     */
    private static final class WithoutExtensions extends Request.Wrapper {
        private final HttpFields headers;
        private final @Nullable TunnelSupport tunnel;

        WithoutExtensions(Request request) {
            super(request);
            headers = HttpFields.build(request.getHeaders())
                    .remove(HttpHeader.SEC_WEBSOCKET_EXTENSIONS)
                    .asImmutable();
            TunnelSupport ofHttp2 = request.getTunnelSupport();
            tunnel = ofHttp2 == null ? null : new Tunnel(ofHttp2.getProtocol(), CopiedWrites.to(ofHttp2.getEndPoint()));
        }

        @Override
        public HttpFields getHeaders() {
            return headers;
        }

        @Override
        public @Nullable TunnelSupport getTunnelSupport() {
            return tunnel;
        }
    }

    /** A stream of HTTP/2 that is a connection from now on. Immutable. */
    private record Tunnel(String getProtocol, EndPoint getEndPoint) implements TunnelSupport {}

    /** Takes the subprotocol, and no extension. Immutable. */
    private record Negotiator(FrameHandler socket, String subprotocol) implements WebSocketNegotiator {
        @Override
        public FrameHandler negotiate(ServerUpgradeRequest request, ServerUpgradeResponse response, Callback callback) {
            response.setAcceptedSubProtocol(subprotocol);
            response.setExtensions(List.of());
            return socket;
        }
    }
}

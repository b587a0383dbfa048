// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HostPortHttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeRequest;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeResponse;
import org.eclipse.jetty.websocket.core.server.WebSocketMappings;
import org.eclipse.jetty.websocket.core.server.WebSocketNegotiator;
import org.eclipse.jetty.websocket.core.server.WebSocketServerComponents;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A Jetty of its own that opens WebSockets over HTTP/2; when the client's reset comes is the test's to say. */
@Timeout(60)
final class AnsweredOpeningTest {
    private static final String DONE = "done";
    private static final String OPENED = "opened";

    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final Server server = new Server();
    private final HTTP2Client client = new HTTP2Client();
    private boolean resets;

    /** Answers each request with a WebSocket. */
    private final class Opening extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            EndPoint tunnel = request.getTunnelSupport().getEndPoint();
            if (resets) {
                request.addHttpStreamWrapper(wrapped -> new HttpStream.Wrapper(wrapped) {
                    @Override
                    public void succeeded() {
                        ((HTTP2Stream) tunnel.getTransport()).close(); // as a reset that has just come does
                        super.succeeded();
                    }
                });
            }
            request.addHttpStreamWrapper(wrapped -> new AnsweredOpening(wrapped, () -> events.add(DONE)));
            return new WebSocketMappings(WebSocketServerComponents.getWebSocketComponents(server))
                    .upgrade(new Negotiator(), request, response, callback, connection -> {});
        }
    }

    /** Takes no extension. */
    private final class Negotiator implements WebSocketNegotiator {
        @Override
        public FrameHandler negotiate(ServerUpgradeRequest request, ServerUpgradeResponse response, Callback callback) {
            response.setExtensions(List.of());
            return new Socket();
        }
    }

    /** Answers as the test says. */
    private final class Socket implements FrameHandler {
        @Override
        public void onOpen(CoreSession session, Callback callback) {
            events.add(OPENED);
            callback.succeeded();
        }

        @Override
        public void onFrame(Frame frame, Callback callback) {
            callback.succeeded();
        }

        @Override
        public void onError(Throwable cause, Callback callback) {
            events.add("error");
            callback.succeeded();
        }

        @Override
        public void onClosed(CloseStatus status, Callback callback) {
            events.add("closed");
            callback.succeeded();
        }
    }

    @AfterEach
    void stop() throws Exception {
        client.stop();
        server.stop();
    }

    private void open() throws Exception {
        HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(new HttpConfiguration());
        http2.setConnectProtocolEnabled(true);
        ServerConnector connector = new ServerConnector(server, 1, 1, http2);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Opening());
        WebSocketServerComponents.ensureWebSocketComponents(server);
        server.start();
        client.start();
        Session session = client.connect(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), connector.getLocalPort()),
                        new Session.Listener() {})
                .get(20, TimeUnit.SECONDS);
        HttpFields headers = HttpFields.build().put("sec-websocket-version", "13");
        session.newStream(
                        new HeadersFrame(
                                new MetaData.ConnectRequest(
                                        "http",
                                        new HostPortHttpField("127.0.0.1:" + connector.getLocalPort()),
                                        "/",
                                        headers,
                                        "websocket"),
                                null,
                                false),
                        new Stream.Listener() {})
                .get(20, TimeUnit.SECONDS);
    }

    private String next() throws Exception {
        return events.poll(20, TimeUnit.SECONDS);
    }

    @Test
    void openingIsDoneAfterTheWebSocketHasOpened() throws Exception {
        open();

        assertThat(next()).isEqualTo(OPENED);
        assertThat(next()).isEqualTo(DONE);
    }

    @Test
    void openingIsDoneWhenTheStreamIsResetAndNothingOpensOrCloses() throws Exception {
        resets = true;

        open();

        assertThat(next()).isEqualTo(DONE);
        assertThat(events).isEmpty();
    }
}

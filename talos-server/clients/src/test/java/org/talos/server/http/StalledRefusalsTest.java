// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients of HTTP/2 who read nothing, so that no reset can be sent either, beyond a bound of a few. */
@Timeout(60)
final class StalledRefusalsTest {
    private static final int MAX_WAITING = 4;
    /** Number of connections that may stay beyond the bound. */
    private static final int FEW = 15;
    /** Each more than a socket takes. */
    private static final int ANSWER_BYTES = 16 << 20;

    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int WINDOW_UPDATE = 8;
    private static final int END_STREAM_AND_HEADERS = 5;

    /** GET http / at a, by HPACK's static table. */
    private static final byte[] GET = {(byte) 0x82, (byte) 0x86, (byte) 0x84, 0x01, 1, 'a'};

    private final List<RawConnection> connections = new ArrayList<>();
    private final AtomicInteger answered = new AtomicInteger();
    private Server server;
    private ServerConnector connector;

    @BeforeEach
    void start() throws Exception {
        server = new Server();
        HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(new HttpConfiguration());
        http2.setFlowControlStrategyFactory(RefusedStreams::flowControl);
        connector = new ServerConnector(server, http2);
        connector.setHost("127.0.0.1");
        connector.addBean(new RefusedStreams(connector.getScheduler(), Duration.ofSeconds(30), MAX_WAITING));
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract.NonBlocking() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                ByteBuffer body = ByteBuffer.allocate(ANSWER_BYTES);
                RefusedStreams.answer(request, callback, taken -> response.write(true, body, taken));
                answered.incrementAndGet();
                return true;
            }
        });
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        for (RawConnection connection : connections) {
            connection.close();
        }
        server.stop();
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .putInt(payload.length << 8 | type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    /** A connection with all the window that there is, and so many requests, whose answers nobody reads. */
    private void stalled(int requests) throws IOException {
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        sent.write(frame(SETTINGS, 0, 0, new byte[] {0, 4, 0x7f, -1, -1, -1}));
        sent.write(frame(WINDOW_UPDATE, 0, 0, new byte[] {0x70, 0, 0, 0}));
        for (int i = 0; i < requests; i++) {
            sent.write(frame(HEADERS, END_STREAM_AND_HEADERS, 2 * i + 1, GET));
        }
        RawConnection connection = new RawConnection(connector.getLocalPort());
        connections.add(connection);
        connection.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").send(sent.toByteArray());
    }

    @Test
    void withFarTooManyTheConnectionThatTakesNoResetEndsHoweverFewItHas() throws Exception {
        stalled(FEW);
        await().until(() -> answered.get() == FEW);
        EndPoint first = connector.getConnectedEndPoints().iterator().next();

        stalled(FEW); // nobody reads on it, or it might take its resets
        await().until(() -> answered.get() > FEW);

        await().untilAsserted(
                        () -> assertThat(connector.getConnectedEndPoints()).containsExactly(first));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.transport.socket.Dialer;
import org.talos.client.transport.socket.LentBuffers;
import org.talos.client.transport.socket.Wires;

/** Answers whose bodies come in chunks, as proxies send them. */
@Timeout(30)
class HttpPoolChunksTest {
    private final HttpPool http = new HttpPool(
            Duration.ofSeconds(5),
            (time, task) -> new CompletableFuture<>(),
            new Wires(new Dialer(Runnable::run), Optional.empty()),
            20 << 20,
            new LentBuffers());

    @AfterEach
    void stop() {
        http.close();
    }

    private HttpAnswer post(RawServer server) throws IOException, CallFailure {
        return http.post(new HttpCall(
                server.uri(),
                "/path",
                Map.of(),
                new RequestBody(List.of(ByteBuffer.wrap(new byte[] {'x'}))),
                Duration.ofSeconds(10)));
    }

    private static String text(HttpAnswer answer) {
        return new String(answer.body(), ISO_8859_1);
    }

    private static RawServer answering(String answer) throws IOException {
        return new RawServer(wire -> wire.answerAll(answer));
    }

    @Test
    void bodyInChunksIsReadToItsEndAndTheConnectionKept() throws Exception {
        try (RawServer server = answering(String.join(
                "\r\n",
                "HTTP/1.1 200 OK",
                "Transfer-Encoding: Chunked",
                "",
                "3",
                "abc",
                "0a;name=value",
                "0123456789",
                "0",
                "X-Trailer: 1",
                "",
                ""))) {
            assertThat(text(post(server))).isEqualTo("abc0123456789");
            assertThat(text(post(server))).isEqualTo("abc0123456789");
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    /** The bytes around them are far more than a head may have. */
    @Test
    void bodyMayHaveAnyNumberOfChunks() throws Exception {
        int chunks = 50_000;
        try (RawServer server = answering(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + "2\r\nab\r\n".repeat(chunks) + "0\r\n\r\n")) {
            assertThat(text(post(server))).isEqualTo("ab".repeat(chunks));
            assertThat(text(post(server))).hasSize(2 * chunks);
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @Test
    void lineOfAChunkWithoutAnEndIsAbandoned() throws Exception {
        try (RawServer server =
                answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + "2;" + "x".repeat(100_000))) {
            assertThatThrownBy(() -> post(server)).isInstanceOf(ProtocolException.class);
        }
    }

    @Test
    void headersBehindTheLastChunkWithoutAnEndAreAbandoned() throws Exception {
        try (RawServer server = answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + "2\r\nab\r\n0\r\n"
                + "X: 1\r\n".repeat(20_000))) {
            assertThatThrownBy(() -> post(server)).isInstanceOf(ProtocolException.class);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.transport.socket.Dialer;
import org.talos.client.transport.socket.LentBuffers;
import org.talos.client.transport.socket.Wires;

/** Calls where memory is short. */
@Timeout(30)
class HttpPoolMemoryTest {
    private static final String EMPTY = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

    private static HttpPool http(IntFunction<ByteBuffer> allocate) {
        return new HttpPool(
                Duration.ofSeconds(5),
                (time, task) -> new CompletableFuture<>(),
                new Wires(new Dialer(Runnable::run), Optional.empty()),
                20 << 20,
                new LentBuffers(allocate));
    }

    private static HttpCall call(RawServer server, byte[] body) {
        return new HttpCall(
                server.uri(),
                "/path",
                Map.of(),
                new RequestBody(List.of(ByteBuffer.wrap(body))),
                Duration.ofSeconds(10));
    }

    @Test
    void bytesGoThroughTheHeapWhereThereIsNoMemoryOutsideOfIt() throws Exception {
        byte[] body = new byte[1 << 20];
        new Random(5).nextBytes(body);
        HttpPool http = http(bytes -> {
            throw new OutOfMemoryError("made to fail");
        });
        try (RawServer server = new RawServer(wire -> {
            while (wire.request()) {
                wire.write("HTTP/1.1 200 OK\r\nContent-Length: " + body.length + "\r\n\r\n")
                        .write(body);
            }
        })) {
            for (int i = 0; i < 2; i++) {
                assertThat(Arrays.equals(http.post(call(server, body)).body(), body))
                        .isTrue();
            }
            assertThat(server.accepted()).isEqualTo(1);
        } finally {
            http.close();
        }
    }

    @Test
    void requestOfWhichNoByteCouldBeWrittenSurelyDidNothingAndItsConnectionIsClosed() throws Exception {
        HttpPool http = http(bytes -> {
            throw new InternalError("made to fail");
        });
        try (RawServer server = new RawServer(wire -> wire.answerAll(EMPTY))) {
            assertThatThrownBy(() -> http.post(call(server, new byte[1])))
                    .isInstanceOfSatisfying(CallFailure.class, e -> {
                        assertThat(e.code()).isEqualTo("CLIENT");
                        assertThat(e.surelyNotDone()).isTrue();
                        assertThat(e.retriable()).isTrue();
                        assertThat(e).hasMessageContaining("made to fail");
                    });
            assertThat(server.end()).isEqualTo("ended");
            assertThat(http.idle()).isZero();
        } finally {
            http.close();
        }
    }
}

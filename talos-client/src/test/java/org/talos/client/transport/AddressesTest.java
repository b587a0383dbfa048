// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.transport.socket.Dialer;
import org.talos.client.transport.socket.LentBuffers;
import org.talos.client.transport.socket.Wires;

/** A server whose name has several addresses. */
@Timeout(30)
class AddressesTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void addressAtWhichNobodyListensKeepsNoCallFromTheServer() throws Exception {
        InetAddress nobody = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
        Dialer dialer = new Dialer(threads, host -> new InetAddress[] {nobody, InetAddress.getLoopbackAddress()});
        HttpPool http = new HttpPool(
                Duration.ofSeconds(5),
                (time, task) -> new CompletableFuture<>(),
                new Wires(dialer, Optional.empty()),
                1 << 20,
                new LentBuffers());
        try (RawServer server = new RawServer(wire -> wire.answerAll("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))) {
            HttpAnswer answer = http.post(new HttpCall(
                    URI.create("http://talos.test:" + server.uri().getPort()),
                    "/path",
                    Map.of(),
                    new RequestBody(List.of(ByteBuffer.wrap(new byte[1]))),
                    Duration.ofSeconds(10)));

            assertThat(answer.status()).isEqualTo(200);
            assertThat(server.accepted()).isEqualTo(1);
        } finally {
            http.close();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.talos.client.Nobody;

class PlainHttpTest extends HttpPoolContract {
    @Override
    Optional<SSLContext> trusted() {
        return Optional.empty();
    }

    @Override
    RawServer server(RawServer.Peer peer) throws IOException {
        return new RawServer(peer);
    }

    @Test
    void headerThatWouldBreakTheHeadIsRefused() {
        HttpCall broken = new HttpCall(
                URI.create("http://127.0.0.1:1"),
                "/",
                Map.of("X-One", "1\r\nX-Two: 2"),
                new RequestBody(List.of(ByteBuffer.wrap(new byte[1]))),
                Duration.ofSeconds(1));

        assertThatThrownBy(() -> http.post(broken)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void nobodyThereIsNoConnection() throws Exception {
        try (Nobody nobody = new Nobody()) {
            assertThatThrownBy(() -> http.post(call(nobody.uri(), new byte[1]))).isInstanceOf(ConnectException.class);
        }
        assertThatThrownBy(() -> http.post(call(URI.create("http://no-such-host.invalid:1"), new byte[1])))
                .isInstanceOf(ConnectException.class);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.lent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CopiedWritesTest {
    private final Tunnel tunnel = new Tunnel();
    private final EndPoint writes = CopiedWrites.to(tunnel);

    @AfterEach
    void close() {
        tunnel.close();
    }

    @Test
    void headAndContentArePassedOnAsOneBufferInTheHeap() {
        ByteBuffer head = ByteBuffer.allocateDirect(2).put(new byte[] {1, 2}).flip();
        ByteBuffer content = ByteBuffer.wrap(new byte[] {3, 4, 5});

        writes.write(Callback.NOOP, head, content);

        assertThat(tunnel.written).containsExactly(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}));
        assertThat(tunnel.written.get(0).isDirect()).isFalse();
        assertThat(head.hasRemaining() || content.hasRemaining()).isFalse();
    }

    @Test
    void bufferThatIsUsedAgainChangesNothingOfWhatIsPassedOn() {
        byte[] pooled = {1, 2, 3};

        writes.write(Callback.NOOP, ByteBuffer.wrap(pooled));
        pooled[1] = 9;

        assertThat(tunnel.written).containsExactly(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }

    @Test
    void allElseIsThatOfTheStreamAndFailsAsItDoes() throws IOException {
        tunnel.addInput("ab");
        ByteBuffer into = ByteBuffer.allocate(4).limit(0);

        assertThat(writes.fill(into)).isEqualTo(2);
        assertThat(((EndPoint.Wrapper) writes).unwrap()).isSameAs(tunnel);
        tunnel.shutdownOutput();
        assertThat(writes.isOutputShutdown()).isTrue();
        assertThatThrownBy(() -> writes.flush(ByteBuffer.allocate(1))).isExactlyInstanceOf(IOException.class);
    }

    /** Keeps what is written to it, as it was passed. */
    private static final class Tunnel extends ByteArrayEndPoint {
        private final List<ByteBuffer> written = new ArrayList<>();

        @Override
        public void write(Callback callback, ByteBuffer... buffers) {
            written.addAll(List.of(buffers));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class ResponseBufferTest {
    private static final String HEAD = "HTTP/1.1 413 Too large\r\nX: y\r\ncontent-LENGTH:  5 \r\nZ: \r\n\r\n";

    private static ReadableByteChannel channel(String text) {
        InputStream bytes = new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
        return Channels.newChannel(bytes);
    }

    /** Gives a few bytes, then none, as a socket does. */
    private static ReadableByteChannel inPieces(String text, int piece) {
        return new ReadableByteChannel() {
            private int at;
            private boolean pause;

            @Override
            public int read(ByteBuffer target) {
                pause = !pause;
                if (pause) {
                    return 0;
                }
                int end = Math.min(text.length(), at + Math.min(piece, target.remaining()));
                target.put(text.substring(at, end).getBytes(StandardCharsets.ISO_8859_1));
                int read = end - at;
                at = end;
                return read;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
    }

    private static String text(ByteBuffer body) {
        return StandardCharsets.ISO_8859_1.decode(body).toString();
    }

    @Test
    void responseIsReadHoweverItIsCut() throws IOException {
        String response = HEAD + "hello";
        for (int piece = 1; piece <= response.length(); piece++) {
            var buffer = new ResponseBuffer();
            ReadableByteChannel channel = inPieces(response, piece);
            int turns = 0;

            while (!buffer.read(channel)) {
                assertThat(++turns).isLessThan(500);
            }

            assertThat(buffer.status()).isEqualTo(413);
            assertThat(text(buffer.body())).isEqualTo("hello");
        }
    }

    @Test
    void bufferGrowsWithTheResponse() throws IOException {
        var buffer = new ResponseBuffer();
        String body = "x".repeat(50_000);

        boolean whole = buffer.read(channel("HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n" + body));

        assertThat(whole).isTrue();
        assertThat(text(buffer.body())).isEqualTo(body);
    }

    @Test
    void clearedBufferTakesTheNextResponse() throws IOException {
        var buffer = new ResponseBuffer();
        buffer.read(channel(HEAD + "hello"));
        buffer.clear();

        buffer.read(channel("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));

        assertThat(buffer.status()).isEqualTo(200);
        assertThat(text(buffer.body())).isEqualTo("ok");
    }

    @Test
    void endBeforeTheLastByteIsAFailure() {
        assertThatThrownBy(() -> new ResponseBuffer().read(channel(HEAD + "hell")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void moreThanOneResponseIsAFailure() {
        assertThatThrownBy(() -> new ResponseBuffer().read(channel(HEAD + "hello!")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("behind");
    }

    @Test
    void responseWithoutALengthIsAFailure() {
        assertThatThrownBy(() -> new ResponseBuffer().read(channel("HTTP/1.1 200 OK\r\n\r\n")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Content-Length");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WaiterTest {
    private static final Place PLACE = new Place("t", 0, "", Duration.ZERO);
    private static final byte BINARY = (byte) 0x82;
    private static final byte PING = (byte) 0x89;
    private static final byte PONG = (byte) 0x8a;
    private static final byte OPENED = (byte) 0x81;
    private static final byte BLOCK = (byte) 0x85;

    private final Sent sent = new Sent();
    private SocketChannel socket;

    @BeforeEach
    void open() throws IOException {
        socket = SocketChannel.open();
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
    }

    /** A connection that takes all. */
    private static final class Sent implements ByteChannel {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public int read(ByteBuffer target) {
            return 0;
        }

        @Override
        public int write(ByteBuffer source) {
            byte[] written = new byte[source.remaining()];
            source.get(written);
            bytes.writeBytes(written);
            return written.length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    private Wire wire() {
        return new Wire(socket, sent);
    }

    private static ByteBuffer ascii(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void streamHearsEachOfTheFramesThatComeTogether() throws IOException {
        StreamWaiter waiter = new StreamWaiter(wire(), PLACE);
        ByteBuffer frames = ByteBuffer.allocate(100)
                .put(ascii("HTTP/1.1 101 Switching Protocols\r\n\r\n"))
                .put(new byte[] {BINARY, 1, OPENED, BINARY, 1, BLOCK, PONG, 0, PING, 0, BINARY})
                .flip();

        assertThat(waiter.take(frames)).containsExactly(Heard.OPENED, Heard.MESSAGE, Heard.SIGN, Heard.SIGN);
        assertThat(waiter.take(ByteBuffer.wrap(new byte[] {1, BLOCK}))).containsExactly(Heard.MESSAGE);
        assertThat(sent.bytes.toByteArray())
                .as("a subscription, and a pong to the ping alone")
                .hasSize(6 + 16 + 6);
    }

    @Test
    void eventStreamHearsEachOfTheEventsThatComeTogether() throws IOException {
        EventsWaiter waiter = new EventsWaiter(wire(), PLACE);

        assertThat(waiter.take(ascii("HTTP/1.1 200 OK\r\n\r\n4\r\n: \n\n"))).containsExactly(Heard.OPENED);
        assertThat(waiter.take(ascii("\r\n4\r\n: \n\n\r\n14\r\nid: 1\ndata: wake")))
                .isEmpty();
        assertThat(waiter.take(ascii("\n\n"))).containsExactly(Heard.SIGN, Heard.MESSAGE);
    }

    @Test
    void pollHearsWhetherItsAnswerHasMessages() throws IOException {
        PollWaiter waiter = new PollWaiter(wire(), PLACE);
        String none = "{\"messages\":[],\"next\":7,\"end\":7}";
        String one = "{\"messages\":[{\"offset\":7}],\"next\":8,\"end\":8}";

        waiter.ask();
        assertThat(waiter.take(answer(none))).containsExactly(Heard.NO_MESSAGE);
        waiter.ask();
        assertThat(waiter.take(answer(one))).containsExactly(Heard.MESSAGE);
        assertThat(sent.bytes.toString(StandardCharsets.US_ASCII)).containsSubsequence("from=latest&", "from=7&");
    }

    private static ByteBuffer answer(String body) {
        return ascii("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DelayedBytesTest {
    private static final int DELAY_MILLIS = 30;

    private SocketChannel sender;
    private SocketChannel in;
    private SocketChannel out;
    private SocketChannel receiver;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            sender = SocketChannel.open(server.getLocalAddress());
            in = server.accept();
            out = SocketChannel.open(server.getLocalAddress());
            receiver = server.accept();
        }
        DelayedBytes.start(in, out, DELAY_MILLIS);
    }

    @AfterEach
    void close() throws IOException {
        sender.close();
        in.close();
        out.close();
        receiver.close();
    }

    @Test
    void bytesArriveAsTheyWereSentAndThenTheEnd() throws Exception {
        byte[] sent = new byte[5 << 20];
        new SplittableRandom(1).nextBytes(sent);

        var received = CompletableFuture.supplyAsync(() -> allOf(receiver));
        ByteBuffer left = ByteBuffer.wrap(sent);
        while (left.hasRemaining()) {
            sender.write(left);
        }
        sender.shutdownOutput();

        assertThat(received.get()).isEqualTo(sent);
    }

    private static byte[] allOf(SocketChannel channel) {
        try {
            return Channels.newInputStream(channel).readAllBytes();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void noByteIsEarlierThanTheDelay() throws IOException {
        for (int i = 0; i < 5; i++) {
            long start = System.nanoTime();
            sender.write(ByteBuffer.allocate(1));
            receiver.read(ByteBuffer.allocate(1));

            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(DELAY_MILLIS));
        }
    }

    @Test
    void senderLearnsThatTheReceiverIsGone() throws IOException {
        receiver.setOption(StandardSocketOptions.SO_LINGER, 0);
        receiver.close();

        assertThatThrownBy(() -> {
                    while (sender.isOpen()) {
                        sender.write(ByteBuffer.allocate(1 << 16));
                    }
                })
                .isInstanceOf(IOException.class);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.parallel.Isolated;
import org.talos.client.transport.OneProxy;
import org.talos.client.transport.socket.Dialer;
import org.talos.client.transport.socket.Wires;

/** A stream's opening; alone, as the JVM has one proxy. */
@Isolated
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // who waits for a socket hears no interrupt
class StreamConnectionTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Wires wires = new Wires(new Dialer(threads), Optional.empty());

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void openingThatIsAbandonedIsOverAtOnceAndOnce() throws Exception {
        BlockingQueue<IOException> ends = new LinkedBlockingQueue<>();
        CountDownLatch answered = new CountDownLatch(1);
        StreamConnection connection = new StreamConnection(
                () -> {
                    try {
                        answered.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    throw new IOException("the server has come to itself");
                },
                new StreamConnection.Listener() {
                    @Override
                    public void received(ServerMessage message) {
                        throw new AssertionError(message);
                    }

                    @Override
                    public void over(IOException why) {
                        ends.add(why);
                    }
                },
                threads);
        connection.start();

        connection.abort("nothing was answered");
        connection.abort("nothing was answered");

        assertThat(ends.poll(30, TimeUnit.SECONDS)).hasMessage("nothing was answered");
        answered.countDown();
        threads.shutdown();
        assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(ends).isEmpty();
    }

    private static WebSocket.Request request(String server) {
        return new WebSocket.Request(
                URI.create(server), "/v1/topics/orders/stream", "talos.v1", Map.of(), Duration.ofSeconds(1), 1 << 20);
    }

    @Test
    void proxyThatDoesNotAnswerIsWaitedForNoLongerThanAServer() throws Exception {
        ProxySelector before = ProxySelector.getDefault();
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            ProxySelector.setDefault(new OneProxy(URI.create("http://127.0.0.1:" + silent.getLocalPort())));

            assertThatThrownBy(() -> WebSocket.open(request("http://talos.invalid:80"), wires, System::nanoTime))
                    .isInstanceOf(SocketTimeoutException.class);
        } finally {
            ProxySelector.setDefault(before);
        }
    }

    @Test
    void serverThatStallsInTheHandshakeIsWaitedForNoLongerThanForAnAnswer() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Future<byte[]> asked = threads.submit(() -> {
                try (Socket accepted = server.accept()) {
                    return accepted.getInputStream().readAllBytes(); // until the client has gone
                }
            });

            String uri = "https://127.0.0.1:" + server.getLocalPort();
            assertThatThrownBy(() -> WebSocket.open(request(uri), wires, System::nanoTime))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("no stream was opened within PT1S");

            assertThat(asked.get()).isNotEmpty();
        }
    }

    @Test
    void serverWhoseAnswerDoesNotEndIsWaitedForNoLongerThanForOne() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Future<byte[]> asked = threads.submit(() -> {
                try (Socket accepted = server.accept()) {
                    accepted.getOutputStream().write("HTTP/1.1 101 ".getBytes(StandardCharsets.ISO_8859_1));
                    return accepted.getInputStream().readAllBytes(); // until the client has gone
                }
            });

            String uri = "http://127.0.0.1:" + server.getLocalPort();
            assertThatThrownBy(() -> WebSocket.open(request(uri), wires, System::nanoTime))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("no stream was opened within PT1S");

            assertThat(asked.get()).isNotEmpty();
        }
    }

    /** Reads the request that opens a WebSocket, and grants it. */
    private static void upgrade(Socket accepted) throws Exception {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) accepted.getInputStream().read());
        }
        int at = head.indexOf("Sec-WebSocket-Key: ") + "Sec-WebSocket-Key: ".length();
        String key = head.substring(at, head.indexOf("\r\n", at));
        byte[] hash = MessageDigest.getInstance("SHA-1")
                .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.ISO_8859_1));
        String answer = String.join(
                "\r\n",
                "HTTP/1.1 101 Switching Protocols",
                "Upgrade: websocket",
                "Connection: Upgrade",
                "Sec-WebSocket-Accept: " + Base64.getEncoder().encodeToString(hash),
                "Sec-WebSocket-Protocol: talos.v1",
                "",
                "");
        accepted.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The bytes of a client's frame without a payload of more than 125 bytes, unmasked. */
    private static byte[] frame(Socket accepted) throws IOException {
        byte[] head = accepted.getInputStream().readNBytes(6);
        byte[] frame = accepted.getInputStream().readNBytes(head[1] & 0x7F);
        for (int i = 0; i < frame.length; i++) {
            frame[i] ^= head[2 + i % 4];
        }
        byte[] all = new byte[1 + frame.length];
        all[0] = head[0];
        System.arraycopy(frame, 0, all, 1, frame.length);
        return all;
    }

    /** Its name has two addresses, and nobody listens at the first. */
    @Test
    void closeOfTheServerIsAnsweredByTheSameCode() throws Exception {
        InetAddress nobody = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
        Wires two = new Wires(
                new Dialer(threads, host -> new InetAddress[] {nobody, InetAddress.getLoopbackAddress()}),
                Optional.empty());
        BlockingQueue<IOException> ends = new LinkedBlockingQueue<>();
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Future<byte[]> closing = threads.submit(() -> {
                try (Socket accepted = server.accept()) {
                    upgrade(accepted);
                    accepted.getOutputStream().write(new byte[] {(byte) 0x88, 5, 3, (byte) 0xF4, 'b', 'y', 'e'});
                    byte[] answer = frame(accepted);
                    assertThat(accepted.getInputStream().read()).isEqualTo(-1);
                    return answer;
                }
            });
            WebSocket.Request request = request("http://talos.test:" + server.getLocalPort());
            StreamConnection connection = new StreamConnection(
                    () -> WebSocket.open(request, two, System::nanoTime),
                    new StreamConnection.Listener() {
                        @Override
                        public void received(ServerMessage message) {
                            throw new AssertionError(message);
                        }

                        @Override
                        public void over(IOException why) {
                            ends.add(why);
                        }
                    },
                    threads);

            connection.start();

            assertThat(closing.get(30, TimeUnit.SECONDS)).containsExactly(0x88, 3, 0xF4);
            assertThat(ends.poll(30, TimeUnit.SECONDS)).isInstanceOf(StreamClosedException.class);
        }
    }

    @Test
    void socketIsClosedWhereAnErrorEndsTheOpening() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Future<Integer> end = threads.submit(() -> {
                try (Socket accepted = server.accept()) {
                    return accepted.getInputStream().read(); // until the client has gone
                }
            });
            WebSocket.Request request = new WebSocket.Request(
                    URI.create("https://127.0.0.1:" + server.getLocalPort()),
                    "/",
                    "talos.v1",
                    Map.of(),
                    Duration.ofSeconds(50),
                    1 << 20);

            Wires lacking =
                    new Wires(new Dialer(threads), Optional.of(new SSLContext(new OutOfMemory(), null, "none") {}));

            assertThatThrownBy(() -> WebSocket.open(request, lacking, System::nanoTime))
                    .isInstanceOf(OutOfMemoryError.class);

            assertThat(end.get(30, TimeUnit.SECONDS)).isEqualTo(-1);
        }
    }

    /** Has no memory for TLS. Immutable. */
    private static final class OutOfMemory extends SSLContextSpi {
        private static OutOfMemoryError error() {
            return new OutOfMemoryError("made to fail");
        }

        @Override
        protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random) {
            throw error();
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            throw error();
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory() {
            throw error();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            throw error();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            throw error();
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext() {
            throw error();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext() {
            throw error();
        }
    }
}

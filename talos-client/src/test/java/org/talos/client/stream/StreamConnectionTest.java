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
import java.security.SecureRandom;
import java.time.Duration;
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

/** A stream's opening; alone, as the JVM has one proxy. */
@Isolated
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // who waits for a socket hears no interrupt
class StreamConnectionTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void openingThatIsGivenUpIsOverAtOnceAndOnce() throws Exception {
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
                URI.create(server),
                "/v1/topics/orders/stream",
                "talos.v1",
                Map.of(),
                Optional.empty(),
                Duration.ofSeconds(1),
                1 << 20);
    }

    @Test
    void proxyThatDoesNotAnswerIsWaitedForNoLongerThanAServer() throws Exception {
        ProxySelector before = ProxySelector.getDefault();
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            ProxySelector.setDefault(new OneProxy(URI.create("http://127.0.0.1:" + silent.getLocalPort())));

            assertThatThrownBy(() -> WebSocket.open(request("http://talos.invalid:80"), System::nanoTime))
                    .isInstanceOf(SocketTimeoutException.class);
        } finally {
            ProxySelector.setDefault(before);
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
            assertThatThrownBy(() -> WebSocket.open(request(uri), System::nanoTime))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("no stream was opened within PT1S");

            assertThat(asked.get()).isNotEmpty();
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
                    Optional.of(new SSLContext(new OutOfMemory(), null, "none") {}),
                    Duration.ofSeconds(50),
                    1 << 20);

            assertThatThrownBy(() -> WebSocket.open(request, System::nanoTime)).isInstanceOf(OutOfMemoryError.class);

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

// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.testing.OwnCertificate;
import org.talos.server.testing.ServerProcess;

/**
 * A server with a small heap, and clients without a key from two addresses that hold thousands of connections, each
 * with a request that never becomes complete. A client at a third address is served meanwhile, and the server stays.
 */
@Tag("full") // load
@Tag("servers")
@Timeout(120)
class UnfinishedRequestsIT {
    private static final int CONNECTIONS_OF_EACH = 7_250;
    private static final int FLOOD_SECONDS = 20;
    private static final int PATIENCE_MILLIS = 20_000;
    private static final String HEAD = "GET / HTTP/1.1\r\nHost: localhost\r\n";

    @TempDir
    private Path directory;

    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicInteger opened = new AtomicInteger();
    private final ExecutorService attackers = Executors.newCachedThreadPool();
    private @Nullable ServerProcess server;
    private @Nullable SSLSocketFactory tls; // none in the clear

    private void start(Map<String, String> more) throws Exception {
        Map<String, String> settings = new HashMap<>(more);
        settings.put("TALOS_HTTP_IDLETIMEOUT", "2m");
        server = ServerProcess.start(directory.resolve("data"), settings, "256m");
    }

    @AfterEach
    void stop() throws Exception {
        isOver.set(true);
        attackers.shutdown();
        assertThat(attackers.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        server().close();
    }

    private ServerProcess server() {
        return Objects.requireNonNull(server);
    }

    private Socket connect(String from, int timeoutMillis) throws IOException {
        Socket socket = new Socket();
        try {
            socket.bind(new InetSocketAddress(from, 0));
            InetAddress loopback = InetAddress.getLoopbackAddress();
            socket.connect(new InetSocketAddress(loopback, server().endpoint().getPort()), timeoutMillis);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Holds as many connections as it can, and replaces the oldest. */
    private void attack(String from, byte[] bytes) {
        Queue<Socket> held = new ArrayDeque<>();
        while (!isOver.get()) {
            try {
                Socket socket = connect(from, 500);
                held.add(socket);
                socket.getOutputStream().write(bytes);
                opened.incrementAndGet();
            } catch (IOException e) {
                Thread.onSpinWait(); // refused: as it should be
            }
            if (held.size() == CONNECTIONS_OF_EACH) {
                close(held.remove());
            }
        }
        held.forEach(UnfinishedRequestsIT::close);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the first line of the answer to a whole request. */
    private String served() throws IOException {
        try (Socket plain = connect("127.0.0.9", PATIENCE_MILLIS);
                Socket socket = secured(plain)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write((HEAD + "Connection: close\r\n\r\n").getBytes(ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1)
                    .lines()
                    .findFirst()
                    .orElse("");
        }
    }

    private Socket secured(Socket plain) throws IOException {
        SSLSocketFactory factory = tls;
        return factory == null ? plain : factory.createSocket(plain, "127.0.0.1", plain.getPort(), true);
    }

    private void assertServedBeside(byte[] unfinished) throws Exception {
        assertThat(served()).startsWith("HTTP/1.1 ");
        attackers.execute(() -> attack("127.0.0.2", unfinished));
        attackers.execute(() -> attack("127.0.0.3", unfinished));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(FLOOD_SECONDS);
        long slowest = 0;
        int served = 0;
        while (System.nanoTime() < end) {
            long begin = System.nanoTime();
            assertThat(served()).startsWith("HTTP/1.1 ");
            served++;
            slowest = Math.max(slowest, System.nanoTime() - begin);
        }
        isOver.set(true);
        System.out.printf(
                Locale.ROOT,
                "UnfinishedRequestsIT connections=%d served=%d slowestMs=%d%n",
                opened.get(),
                served,
                TimeUnit.NANOSECONDS.toMillis(slowest));

        assertThat(served()).startsWith("HTTP/1.1 ");
        String log = Files.readString(directory.resolve("server.log"));
        assertThat(log).doesNotContain("OutOfMemory", "Cannot reserve");
        assertThat(log.lines().filter(line -> line.contains(" WARN ")).count())
                .as(log)
                .isLessThan(20);
    }

    @Test
    void partsOfTlsRecordsEndNoServer() throws Exception {
        OwnCertificate certificate = OwnCertificate.in(directory);
        tls = certificate.trusted().getSocketFactory();
        start(Map.of(
                "TALOS_HTTP_TLS_KEYSTORE",
                certificate.keyStore().toString(),
                "TALOS_HTTP_TLS_KEYSTOREPASSWORD",
                OwnCertificate.PASSWORD));

        assertServedBeside(new byte[] {0x16, 3, 1, 0x40, 0, 1, 0, 0, 0x20});
    }

    @Test
    void headsOf14KilobytesEndNoServer() throws Exception {
        start(Map.of());

        assertServedBeside((HEAD + "X-A: " + "x".repeat(14_000)).getBytes(ISO_8859_1));
    }

    @Test
    void headsOfManyFieldsEndNoServer() throws Exception {
        start(Map.of());

        assertServedBeside((HEAD + "a:b\r\n".repeat(2_700)).getBytes(ISO_8859_1));
    }

    @Test
    void http2PrefacesWithHalfAHeadEndNoServer() throws Exception {
        start(Map.of());
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        frames.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(ISO_8859_1));
        frames.write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // SETTINGS
        frames.write(new byte[] {0, 0x3f, 0, 1, 1, 0, 0, 0, 1}); // HEADERS of 16,128 bytes, not the last of the head
        frames.write(new byte[0x3f00]);

        assertServedBeside(frames.toByteArray());
    }
}

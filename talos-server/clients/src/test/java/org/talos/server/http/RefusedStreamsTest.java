// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.config.HttpLimits;
import org.talos.server.config.load.TestConfig;
import org.talos.server.memory.ConnectionMemory;
import org.talos.server.memory.DirectMemory;

/** Clients of HTTP/2 who hold no key, and leave no window for the answer that says so. */
@Timeout(60)
final class RefusedStreamsTest {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int WINDOW_UPDATE = 8;
    private static final int ACK = 1;
    private static final int END_HEADERS = 4;
    private static final int WAITING_AT_MOST = Math.min(
            1_000,
            ConnectionMemory.of(Runtime.getRuntime().maxMemory(), DirectMemory.most(), false)
                    .heads());

    /** POST http / at a, by HPACK's static table. */
    private static final byte[] POST = {(byte) 0x83, (byte) 0x86, (byte) 0x84, 0x01, 1, 'a'};

    @TempDir
    private Path directory;

    private FrontEndFixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new FrontEndFixture(directory);
    }

    private void start(Duration deadline) throws Exception {
        fixture.close();
        HttpLimits limits = TestConfig.of(HttpLimits.class)
                .with("headTimeout", deadline)
                .with("connectionsPerAddress", 100)
                .with("acceptsPerSecond", 10_000)
                .with("failedKeysPerMinute", 100)
                .with("streams", 100)
                .with("streamsPerUser", 100)
                .with("waitingPerUser", 1_000)
                .create();
        fixture = new FrontEndFixture(directory.resolve("again"), FrontEndFixture.withLimits(limits));
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) 0)
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    /** A connection whose streams have no window for what the server sends. */
    private RawConnection withoutWindow() throws Exception {
        byte[] noWindow = {0, 4, 0, 0, 0, 0};
        return fixture.connect().send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").send(frame(SETTINGS, 0, 0, noWindow));
    }

    private static byte[] posts(int count) throws IOException {
        ByteArrayOutputStream posts = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            posts.write(frame(HEADERS, END_HEADERS, 2 * i + 1, POST));
        }
        return posts.toByteArray();
    }

    /** Reads frames up to one of that type, flags and stream. */
    private static void find(RawConnection connection, int type, int flags, int stream) throws IOException {
        boolean found = false;
        while (!found) {
            ByteBuffer head = ByteBuffer.wrap(connection.next(9));
            int length = head.getInt() >>> 8;
            head.position(3);
            found = head.get() == type && head.get() == flags && head.getInt() == stream;
            connection.next(length);
        }
    }

    private static void assertLives(RawConnection connection) throws IOException {
        connection.send(frame(PING, 0, 0, "12345678".getBytes(ISO_8859_1)));
        find(connection, PING, ACK, 0);
    }

    private static boolean ends(RawConnection connection) {
        try {
            connection.readToEnd();
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void whatComesBehindARefusalIsDropped() throws Exception {
        start(Duration.ofSeconds(20));
        try (RawConnection connection = withoutWindow()) {
            connection.send(posts(1));
            find(connection, HEADERS, END_HEADERS, 1);
            byte[] small = frame(DATA, 0, 1, new byte[16]);
            ByteArrayOutputStream data = new ByteArrayOutputStream();
            for (int i = 0; i < 20_000; i++) { // more than half of the window, so that it is opened again
                data.write(small);
            }

            connection.send(data.toByteArray());

            find(connection, WINDOW_UPDATE, 0, 1);
        }
    }

    @Test
    void refusalThatIsNotTakenInTimeEndsItsStreamAndNotTheConnection() throws Exception {
        start(Duration.ofSeconds(2)); // which HTTP/1.1 has for a head, the preface too
        try (RawConnection connection = withoutWindow()) {
            connection.send(posts(2));

            find(connection, RST_STREAM, 0, 1);
            find(connection, RST_STREAM, 0, 3);

            connection.timeout(Duration.ofMillis(2_500));
            assertThat(ends(connection)).as("later").isFalse();
            assertLives(connection);
        }
    }

    @Test
    void withTooManyRefusalsThatAreNotTakenTheNextIsResetAndOnlyAConnectionOfManyEnds() throws Exception {
        start(Duration.ofSeconds(20));
        int each = 60; // and at most twice as many, of 128 that a connection may have
        int count = 0;
        List<RawConnection> connections = new ArrayList<>();
        try {
            for (int left = WAITING_AT_MOST; left > 0; left -= count) {
                count = left < 2 * each ? left : each;
                RawConnection connection = withoutWindow().send(posts(count));
                connections.add(connection);
                find(connection, HEADERS, END_HEADERS, 2 * count - 1);
                assertLives(connection);
            }
            try (RawConnection connection = withoutWindow()) {
                for (int stream = 1; stream < 40; stream += 2) { // more than a few, of which none stays
                    connection.send(frame(HEADERS, END_HEADERS, stream, POST));
                    find(connection, RST_STREAM, 0, stream);
                }
                assertLives(connection);
            }
            RawConnection last = connections.get(connections.size() - 1);
            assertThat(ends(last.send(frame(HEADERS, END_HEADERS, 2 * count + 1, POST))))
                    .isTrue();
            assertLives(connections.get(0));
        } finally {
            for (RawConnection connection : connections) {
                connection.close();
            }
        }
        await().untilAsserted(() -> {
            try (RawConnection connection = withoutWindow().send(posts(1))) {
                find(connection, HEADERS, END_HEADERS, 1);
                assertLives(connection);
            }
        });
    }

    @Test
    void refusalThatIsTakenCostsNothing() throws Exception {
        start(Duration.ofSeconds(20));
        try (RawConnection connection = fixture.connect()) {
            connection.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").send(frame(SETTINGS, 0, 0, new byte[0]));
            connection.send(posts(1));
            find(connection, DATA, 1, 1); // END_STREAM

            find(connection, RST_STREAM, 0, 1); // of what is left of the body
            assertLives(connection);
        }
        assertThat(fixture.calls).isEmpty();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.Right;
import org.talos.server.http.fairness.UserTurns;
import org.talos.server.runtime.SystemTime;
import org.talos.server.testing.TestServer;

/**
 * How much of one user's work is done before another user's, shown by the order in which one partition has the puts of
 * both.
 */
@Timeout(60)
class StreamNeighborsTest {
    private static final String STREAM = "/v1/topics/orders/stream";
    private static final int BULK_PUTS = 1_000;
    private static final int CONNECTIONS = 16; // every other one on the selector of the bulk user's stream
    private static final int PROBES = 4; // of these
    private static final Pattern CONTENT_LENGTH = Pattern.compile("(?i)content-length: ([0-9]+)");
    private static final String OTHER = "other";

    @TempDir
    private Path data;

    private final GatedJournals journals = new GatedJournals();
    private final List<Socket> connections = new ArrayList<>();
    private TestServer server;
    private TalosEndpoint other;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(data, Map.of(), SystemTime.wallClock(), journals::around);
        server.admin().createTopic(NewTopic.of("orders", 1));
        NewCredential key = server.admin().addUser("other", false, List.of(), List.of());
        server.admin().grant("orders", Grantee.of("other"), Set.of(Right.PUT));
        other = new TalosEndpoint(server.uri(), key.accessKey(), key.secretKey());
        for (int i = 0; i < CONNECTIONS; i++) {
            connections.add(RawStream.connect(server.endpoint()));
            ask(i);
            readAnswer(i);
        }
    }

    @AfterEach
    void close() throws Exception {
        for (Socket each : connections) {
            each.close();
        }
        server.close();
    }

    /** Asks for a page, which a selector answers from memory. */
    private void ask(int connection) throws IOException {
        send(connection, "GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    private void put(int connection) throws IOException {
        send(
                connection,
                "POST /v1/topics/orders/partitions/0/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
                        + StreamClient.basic(other)
                        + "\r\nContent-Type: application/octet-stream\r\nContent-Length: " + OTHER.length() + "\r\n\r\n"
                        + OTHER);
    }

    private void send(int connection, String request) throws IOException {
        connections.get(connection).getOutputStream().write(request.getBytes(US_ASCII));
    }

    private void readAnswer(int connection) throws IOException {
        InputStream in = connections.get(connection).getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        Matcher length = CONTENT_LENGTH.matcher(head);
        assertThat(length.find()).as(head.toString()).isTrue();
        in.skipNBytes(Long.parseLong(length.group(1)));
    }

    private boolean hasAnswer(int connection) throws IOException {
        return connections.get(connection).getInputStream().available() > 0;
    }

    private static byte[] puts(int first, int count) throws IOException {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (int number = first; number < first + count; number++) {
            byte[] put = Sent.putMessage(0, 0, number, "", "x");
            frames.write(RawStream.framed(RawStream.BINARY, put.length, put));
        }
        return frames.toByteArray();
    }

    @Test
    void putOfAnotherUserWaitsForOneTurnOfAStreamAtMost() throws Exception {
        try (RawStream bulk = new RawStream(server.endpoint(), STREAM)) {
            bulk.send(puts(1, 1));
            while (!bulk.next().name().equals("STORED")) {
                // OPENED
            }
            journals.shut();
            bulk.send(puts(2, 1));
            await().until(journals::isWaitedFor); // the selector of this stream waits
            int waiting = connectionThatWaits();

            bulk.send(puts(3, BULK_PUTS));
            for (int i = PROBES + waiting; i < CONNECTIONS; i += 2) {
                put(i);
            }
            journals.open();

            int puts = (CONNECTIONS - PROBES) / 2;
            List<String> stored = stored(2 + BULK_PUTS + puts);
            assertThat(stored.indexOf(OTHER)).isLessThanOrEqualTo(2 + UserTurns.MOST_PUTS);
            // A turn also ends by its time, so on a slow machine the puts may take a turn each.
            assertThat(stored.lastIndexOf(OTHER)).isLessThan(2 + (UserTurns.MOST_PUTS + 1) * puts);
        } finally {
            journals.open(); // also after a failure, so that the server can stop
        }
    }

    /** The first connection whose selector waits. The other selector answers. */
    private int connectionThatWaits() throws IOException {
        for (int i = 0; i < PROBES; i++) {
            ask(i);
        }
        await().until(() -> answering() >= 0);
        return (answering() + 1) % 2;
    }

    private int answering() throws IOException {
        for (int i = 0; i < PROBES; i++) {
            if (hasAnswer(i)) {
                return i;
            }
        }
        return -1;
    }

    /** The messages of the partition, in their order. */
    private List<String> stored(int count) throws Exception {
        try (StreamClient client = StreamClient.open(server.endpoint(), STREAM)) {
            client.send(Sent.subscribe(0, 0));
            return client.messages(count).stream()
                    .map(each -> each.substring(each.indexOf(' ') + 1))
                    .toList();
        }
    }
}

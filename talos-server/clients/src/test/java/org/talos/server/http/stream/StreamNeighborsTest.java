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
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.testing.TestServer;

/**
 * Tests how much of one user's work is done before another user's on one selector, shown by the order in which one
 * partition has the puts of both. Both send their puts by streams, which the selector reads itself. A separate request
 * is read on a thread that the system may schedule late.
 */
@Timeout(60)
class StreamNeighborsTest {
    private static final String STREAM = "/v1/topics/orders/stream";
    private static final int BULK_PUTS = 1_000;
    private static final int PROBES = 4;
    private static final int STREAMS = 12; // every other one on the selector of the bulk user's stream
    private static final Pattern CONTENT_LENGTH = Pattern.compile("(?i)content-length: ([0-9]+)");
    private static final String OTHER = "other";

    @TempDir
    private Path data;

    private final GatedJournals journals = GatedJournals.ofCallers();
    private final List<Socket> probes = new ArrayList<>();
    private final List<RawStream> streams = new ArrayList<>();
    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(data, Map.of(), SystemTime.wallClock(), journals::around);
        server.admin().createTopic(NewTopic.of("orders", 1));
        NewCredential key = server.admin().addUser("other", false, List.of(), List.of());
        server.admin().grant("orders", Grantee.of("other"), Set.of(Right.PUT));
        for (int i = 0; i < PROBES; i++) {
            probes.add(RawStream.connect(server.endpoint()));
            ask(i);
            readAnswer(i);
        }
        TalosEndpoint other = new TalosEndpoint(server.uri(), key.accessKey(), key.secretKey());
        for (int i = 0; i < STREAMS; i++) {
            RawStream stream = new RawStream(other, STREAM);
            streams.add(stream);
            putStored(stream, 1);
        }
    }

    @AfterEach
    void close() throws Exception {
        for (RawStream each : streams) {
            each.close();
        }
        for (Socket each : probes) {
            each.close();
        }
        server.close();
    }

    /** Asks for a page, which a selector answers from memory. */
    private void ask(int probe) throws IOException {
        probes.get(probe).getOutputStream().write("GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
    }

    private void readAnswer(int probe) throws IOException {
        InputStream in = probes.get(probe).getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        Matcher length = CONTENT_LENGTH.matcher(head);
        assertThat(length.find()).as(head.toString()).isTrue();
        in.skipNBytes(Long.parseLong(length.group(1)));
    }

    private boolean hasAnswer(int probe) throws IOException {
        return probes.get(probe).getInputStream().available() > 0;
    }

    private static void putStored(RawStream stream, int number) throws IOException {
        stream.send(puts(number, 1));
        awaitStored(stream, number);
    }

    private static void awaitStored(RawStream stream, long number) throws IOException {
        Received next = stream.next();
        while (!next.name().equals("STORED") || !hasStored(next, number)) {
            next = stream.next();
        }
    }

    private static boolean hasStored(Received message, long number) {
        return message.places().stream().anyMatch(place -> place.number() == number);
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
            int before = STREAMS + beginBulk(bulk);
            int waiting = connectionThatWaits();
            for (int i = waiting; i < STREAMS; i += 2) {
                byte[] put = Sent.putMessage(0, 0, 2, "", OTHER);
                streams.get(i).frame(RawStream.BINARY, put);
            }
            journals.open();

            int puts = STREAMS / 2;
            List<String> stored = stored(before + BULK_PUTS + puts);
            // The selector waited behind the first turn, and had begun to wait for the second one.
            int turns = before + 2 * UserTurns.MOST_PUTS;
            assertThat(stored.indexOf(OTHER)).isLessThanOrEqualTo(turns);
            // A turn also ends by its time, so on a slow machine the puts may take a turn each.
            assertThat(stored.lastIndexOf(OTHER)).isLessThan(turns + (UserTurns.MOST_PUTS + 1) * (puts - 1) + 1);
        } finally {
            journals.open(); // also after a failure, so that the server can stop
        }
    }

    /**
     * Sends puts to a selector, which waits behind the first turn of them, for the journal.
     *
     * @return how many the stream had stored before
     */
    private int beginBulk(RawStream stream) throws IOException {
        int count = 1;
        putStored(stream, count);
        while (true) {
            while (journals.isOfJournal()) {
                putStored(stream, ++count);
            }
            journals.shut();
            stream.send(puts(count + 1, BULK_PUTS));
            await().until(journals::isWaitedFor);
            if (!journals.isOfJournal()) {
                return count;
            }
            journals.open();
            count += BULK_PUTS;
            awaitStored(stream, count);
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

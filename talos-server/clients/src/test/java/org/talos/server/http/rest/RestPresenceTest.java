// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that leave, stay silent, or send on, while the server has nothing for them. */
@Timeout(120)
class RestPresenceTest {
    private static final String PARTITION = "/v1/topics/orders/partitions/0/messages";
    private static final String EVENTS = "/v1/topics/orders/partitions/0/events";
    /** Far less than the waits of a minute. */
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    private Path data;

    private RestFixture rest;

    @BeforeEach
    void start() throws Exception {
        start(Map.of("HTTP_LIMITS_WAITINGPERUSER", "1"));
        rest.createTopic("orders", 2);
    }

    private void start(Map<String, String> settings) throws Exception {
        rest = new RestFixture(data, settings);
    }

    @AfterEach
    void close() {
        rest.close();
    }

    /** A client that sends and reads as it likes. Confined: the test. */
    private final class Wire implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader in;

        Wire() throws IOException {
            socket = new Socket(
                    InetAddress.getLoopbackAddress(), rest.server.uri().getPort());
            socket.setSoTimeout(Math.toIntExact(SOON.toMillis()));
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
        }

        void get(String path) throws IOException {
            send(head(path));
        }

        String head(String path) {
            return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + rest.authorization()
                    + "\r\n\r\n";
        }

        void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(UTF_8));
            socket.getOutputStream().flush();
        }

        String lineWith(String text) throws IOException {
            String line = in.readLine();
            while (line != null && !line.contains(text)) {
                line = in.readLine();
            }
            return String.valueOf(line);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private boolean somebodyWaits() throws Exception {
        return rest.get(PARTITION + "?from=latest&wait=1").status() == 429;
    }

    private String metrics() throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(rest.server.managementUri().resolve("/metrics"))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    /** Asks for the only place when it is taken, lest the asking take it. */
    private void awaitThatSomebodyWaits() {
        await().atMost(SOON).until(() -> !isMemoryFree());
        await().atMost(SOON).until(this::somebodyWaits);
    }

    private boolean isMemoryFree() throws Exception {
        return metrics().contains("talos_http_request_memory_bytes 0\n");
    }

    private void awaitThatNobodyWaits() {
        await().atMost(SOON).until(() -> !somebodyWaits());
    }

    @Test
    void longPollIsOverWhenItsClientHasLeft() throws Exception {
        try (Wire poll = new Wire()) {
            poll.get(PARTITION + "?wait=60000");
            awaitThatSomebodyWaits();
        }

        awaitThatNobodyWaits();
    }

    @Test
    void eventStreamIsOverWhenItsClientHasLeft() throws Exception {
        try (Wire events = new Wire()) {
            events.get(EVENTS);
            awaitThatSomebodyWaits();
        }

        awaitThatNobodyWaits();
        await().atMost(SOON).until(this::isMemoryFree);
    }

    @Test
    void clientThatSendsNoMoreGetsItsAnswerAtOnce() throws Exception {
        try (Wire poll = new Wire()) {
            poll.get(PARTITION + "?wait=60000");
            awaitThatSomebodyWaits();

            poll.socket.shutdownOutput();

            assertThat(poll.lineWith("HTTP/1.1")).contains(" 200 ");
        }
    }

    @Test
    void requestThatComesInPiecesWhileAnotherWaitsIsAnsweredAfterIt() throws Exception {
        try (Wire poll = new Wire()) {
            poll.get(PARTITION + "?wait=60000");
            awaitThatSomebodyWaits();
            String second = poll.head(PARTITION + "?from=0&maxMessages=7");
            poll.send(second.substring(0, 3));
            awaitThatSomebodyWaits();
            poll.send(second.substring(3, 100));
            awaitThatSomebodyWaits();
            poll.send(second.substring(100));

            assertThat(rest.post(PARTITION, BodyPublishers.ofString("first")).status())
                    .isEqualTo(201);

            assertThat(poll.lineWith("HTTP/1.1")).contains(" 200 ");
            assertThat(poll.lineWith("\"messages\"")).contains("first", "HTTP/1.1 200 "); // no line ends the body
        }
    }

    @Test
    void shortRequestThatComesWhileAnotherWaitsIsAnsweredAfterIt() throws Exception {
        try (Wire poll = new Wire()) {
            poll.get(PARTITION + "?wait=60000");
            awaitThatSomebodyWaits();
            poll.send("GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"); // no more than is kept
            awaitThatSomebodyWaits();

            assertThat(rest.post(PARTITION, BodyPublishers.ofString("first")).status())
                    .isEqualTo(201);

            assertThat(poll.lineWith("HTTP/1.1")).contains(" 200 ");
            assertThat(poll.lineWith("HTTP/1.1")).contains(" 200 ");
            assertThat(poll.lineWith("\"openapi\"")).contains("3.1");
        }
    }

    @Test
    void eventStreamShowsThatItIsThereWhileNothingHappens() throws Exception {
        close();
        start(Map.of("HTTP_IDLETIMEOUT", "1s"));
        try (Wire events = new Wire()) {
            events.get(EVENTS);

            assertThat(events.lineWith("text/event-stream")).isNotEqualTo("null");
            for (int sign = 0; sign < 5; sign++) {
                String line = events.lineWith(":");
                while (!line.equals(":") && !line.equals("null")) { // the rest of the head
                    line = events.lineWith(":");
                }
                assertThat(line).isEqualTo(":");
            }
            assertThat(rest.post(PARTITION, BodyPublishers.ofString("first")).status())
                    .isEqualTo(201);
            assertThat(events.lineWith("data:")).contains("first");
        }
    }
}

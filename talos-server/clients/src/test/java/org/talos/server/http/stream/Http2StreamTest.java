// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.client.admin.NewTopic;
import org.talos.server.http.stream.Received.Place;
import org.talos.server.testing.TestServer;

/** Streams over HTTP/2 in the clear, by a client that writes the frames of its WebSockets by hand. */
@Timeout(120)
class Http2StreamTest {
    private static final String STREAM = "/v1/topics/orders/stream";

    @TempDir
    private Path data;

    private final HTTP2Client client = new HTTP2Client();
    private TestServer server;
    private Session session;

    @BeforeEach
    void start() throws Exception {
        client.start();
        start(Map.of());
        server.admin().createTopic(NewTopic.of("orders", 2));
    }

    private void start(Map<String, String> settings) throws Exception {
        server = TestServer.start(data, with(settings));
        session = Http2Stream.connect(client, server.endpoint());
    }

    private static Map<String, String> with(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("SERVICE_MAXRESTWAIT", "1s"); // for this time a subscription's last read holds something
        return all;
    }

    private void startAnew(Map<String, String> settings) throws Exception {
        server.close();
        start(settings);
    }

    @AfterEach
    void close() throws Exception {
        try {
            awaitNothingHeld();
        } finally {
            client.stop();
            server.close();
        }
    }

    private double metric(String name) throws Exception {
        URI metrics = server.managementUri().resolve("/metrics");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .sum();
    }

    private void awaitNothingHeld() {
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            assertThat(metric("talos_http_open_streams")).isZero();
            assertThat(metric("talos_http_request_memory_bytes")).isZero();
        });
    }

    private Http2Stream open(String query, String... further) throws Exception {
        return Http2Stream.open(session, server.endpoint(), STREAM + query, further);
    }

    @Test
    void putsAndGetsGoAsOverHttp1() throws Exception {
        try (Http2Stream stream = open("?producer=p")) {
            assertThat(stream.status()).isEqualTo(200);
            assertThat(stream.header("Sec-WebSocket-Protocol")).isEqualTo("talos.v1");
            assertThat(stream.next("OPENED").integer(4)).isEqualTo(2 << 20);

            byte[] put = Sent.put(0, 1, 7, "a", "b");
            stream.send(put);
            assertThat(stream.next("STORED").places()).containsExactly(new Place(1, 7, 0));
            assertThat(stream.next("CREDIT").integer(4)).isEqualTo(put.length);
            stream.send(Sent.subscribe(1, 0));
            assertThat(stream.next("BLOCK").messages()).containsExactly("0 a", "1 b");

            stream.frame(RawStream.CLOSE, new byte[] {0x03, (byte) 0xe8});
            assertThat(stream.closeCode()).isEqualTo(1000);
            stream.awaitEnd();
        }
    }

    /** Jetty's own copy of a frame is one, which no bound knows and only the collector frees. */
    @Test
    void framesTakeNoMemoryOutsideOfTheHeapEach() throws Exception {
        int puts = 1_000;
        long buffersAtFirst = 0;
        try (Http2Stream stream = open("?producer=p")) {
            for (int i = 1; i <= puts; i++) {
                if (i == 100) {
                    buffersAtFirst = directBuffers();
                }
                stream.send(Sent.put(0, 1, i, "a"));
                assertThat(stream.next("STORED").places()).containsExactly(new Place(1, i, i - 1));
            }
            assertThat(directBuffers() - buffersAtFirst).isLessThan(puts / 2);
        }
    }

    private static long directBuffers() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getCount)
                .sum();
    }

    @Test
    void putsLargerThanTheWindowsOfHttp2GoThroughAndComeBack() throws Exception {
        String large = "large ".repeat(1_000_000);
        try (Http2Stream stream = open("?window=16777216")) {
            stream.send(Sent.put(0, 0, 1, large));
            assertThat(stream.next("STORED").places()).containsExactly(new Place(0, 1, 0));
            stream.send(Sent.subscribe(0, 0));

            assertThat(stream.next("BLOCK").messages()).containsExactly("0 " + large);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'',              Sec-WebSocket-Version,  8,                        400",
        "'',              Sec-WebSocket-Protocol, talos.v2,                 400",
        "?window=1,       X-Nothing,              -,                        400",
        "'',              Authorization,          Basic QTpC,               401",
        "'',              Origin,                 https://evil.example.org, 403",
        "'',              X-Nothing,              -,                        200",
    })
    void openingIsAnsweredAtOnceThoughItsRequestHasNoEnd(String query, String header, String value, int status)
            throws Exception {
        try (Http2Stream stream = open(query, header, value)) {
            assertThat(stream.status()).isEqualTo(status);
            if (status != 200) {
                assertThat(stream.body()).contains("\"status\":" + status);
            }
        }
    }

    @Test
    void pagesOfTheServersOwnOriginOpenStreams() throws Exception {
        try (Http2Stream stream =
                open("", "Origin", "http://localhost:" + server.uri().getPort())) {
            assertThat(stream.status()).isEqualTo(200);
        }
    }

    @Test
    void nothingElseIsOpened() throws Exception {
        try (Http2Stream other = Http2Stream.of(session, server.endpoint(), STREAM, "connect-udp")) {
            assertThat(other.status()).isEqualTo(400);
        }
        for (String path : List.of("/v1/topics/orders", "/v1/topics")) {
            try (Http2Stream other = Http2Stream.of(session, server.endpoint(), path, "websocket")) {
                assertThat(other.status()).isEqualTo(405);
            }
        }
    }

    @Test
    void streamsOfOneConnectionAreBoundedAsAllAre() throws Exception {
        startAnew(Map.of("HTTP_LIMITS_STREAMS", "2"));
        try (Http2Stream first = open("");
                Http2Stream second = open("")) {
            assertThat(List.of(first.status(), second.status())).containsOnly(200);
            assertThat(metric("talos_http_open_streams")).isEqualTo(2);

            Http2Stream third = open("");

            assertThat(third.status()).isEqualTo(503);
            assertThat(third.body()).contains("too-many-streams");
            first.send(Sent.putMessage(0, 0, 1, "", "still there"));
            assertThat(first.next("STORED").places()).hasSize(1);
        }
    }

    @Test
    void oneConnectionOpensAsManyAsHttp2AllowsIt() throws Exception {
        List<Http2Stream> open = new ArrayList<>();
        for (int i = 0; i < 128; i++) {
            Http2Stream each = open("?window=65536&producer=p" + i);
            open.add(each);
            each.send(Sent.put(0, i % 2, 1, "of " + i));
        }
        for (Http2Stream each : open) {
            assertThat(each.next("STORED").places()).hasSize(1);
        }

        assertThatThrownBy(() -> open("")).hasMessageContaining("Max");
        open.forEach(Http2Stream::close);
    }

    @Test
    void framesThatNoLibrarySendsEndTheStreamAndNoOther() throws Exception {
        try (Http2Stream good = open("")) {
            assertThat(closeCode(RawStream.framed(RawStream.TEXT, 2, "{}".getBytes(UTF_8))))
                    .isEqualTo(1003);
            assertThat(closeCode(new byte[] {(byte) RawStream.BINARY, 8, 5, 0, 0, 0, 0, 0, 0, 1}))
                    .as("no mask")
                    .isEqualTo(1002);
            assertThat(closeCode(RawStream.framed(RawStream.BINARY, 1, new byte[] {0x66})))
                    .isEqualTo(1002);
            ByteArrayOutputStream flood = new ByteArrayOutputStream();
            for (int i = 0; i < 300; i++) {
                flood.writeBytes(RawStream.framed(RawStream.PING, 0, new byte[0]));
            }
            assertThat(closeCode(flood.toByteArray())).isEqualTo(1008);

            good.send(Sent.putMessage(0, 0, 1, "", "still there"));
            assertThat(good.next("STORED").places()).hasSize(1);
        }
    }

    private int closeCode(byte[] raw) throws Exception {
        try (Http2Stream stream = open("")) {
            stream.sendRaw(raw);
            return stream.closeCode();
        }
    }

    @Test
    void resetWithinAMessageAndTheEndOfTheConnectionLeaveNothing() throws Exception {
        byte[] put = Sent.put(0, 0, 1, "x".repeat(100_000));
        Http2Stream reset = open("");
        reset.sendRaw(RawStream.framed(RawStream.BINARY, put.length, Arrays.copyOf(put, 50_000)));
        await().until(() -> metric("talos_http_request_memory_bytes") > 100_000);
        reset.reset();
        awaitNothingHeld();
        Http2Stream cut = open("");
        cut.sendRaw(RawStream.framed(RawStream.BINARY, put.length, Arrays.copyOf(put, 50_000)));
        await().until(() -> metric("talos_http_request_memory_bytes") > 100_000);

        session.close(0, "", Callback.NOOP);
        client.stop();

        awaitNothingHeld();
    }

    @Test
    void clientWhoKeepsItsWindowClosedCostsItsWindowUntilItIsAbandonedAndHoldsUpNoOther() throws Exception {
        try (Http2Stream writer = open("")) {
            for (int i = 0; i < 11; i++) { // more than one window in all, and fewer frames than end a connection
                writer.send(Sent.put(0, 0, i, "x".repeat(100_000)));
                assertThat(writer.next("CREDIT").integer(4)).isPositive();
            }
        }
        client.setInitialStreamRecvWindow(65_535);
        startAnew(Map.of("HTTP_IDLETIMEOUT", "4s"));
        Http2Stream deaf = Http2Stream.deaf(session, server.endpoint(), STREAM);
        deaf.send(Sent.subscribe(0, 0));
        await().until(() -> metric("talos_http_request_memory_bytes") > 1 << 20);
        assertThat(metric("talos_http_request_memory_bytes")).isLessThan((2 << 20) + 50_000.0);
        Session another = Http2Stream.connect(client, server.endpoint());
        try (Http2Stream other = Http2Stream.open(another, server.endpoint(), STREAM)) {
            other.send(Sent.putMessage(0, 1, 1, "", "beside it"));
            assertThat(other.next("STORED").places()).hasSize(1);
        }

        awaitNothingHeld();
    }

    @Test
    void silentClientIsClosedAndOneWhoAnswersIsNot() throws Exception {
        startAnew(Map.of("HTTP_IDLETIMEOUT", "2s"));
        try (Http2Stream silent = open("")) {
            assertThat(silent.closeCode()).isEqualTo(1001);
        }
    }

    /** Nobody reads what a client sends after a stream's end, and it must not use up the connection's window. */
    @Test
    void streamsThatHaveEndedLeaveTheConnectionItsWindow() throws Exception {
        for (int i = 0; i < 11; i++) { // more than one window in all, and fewer frames than end a connection
            try (Http2Stream stream = open("")) {
                assertThat(stream.status()).as("status of stream %s", i).isEqualTo(200);
                assertThat(stream.next("OPENED").integer(4)).isEqualTo(2 << 20);
                stream.frame(RawStream.CLOSE, new byte[] {0x03, (byte) 0xe8});
                stream.send(new byte[110_000]);
                assertThat(stream.closeCode()).isEqualTo(1000);
                stream.awaitEnd();
            }
        }
        try (Http2Stream stream = open("?producer=p")) {
            assertThat(stream.next("OPENED").integer(4)).isEqualTo(2 << 20);
            stream.send(Sent.put(0, 1, 7, "a"));
            assertThat(stream.next("STORED").places()).hasSize(1);
        }
    }

    @Test
    void serverThatStopsSendsClientsElsewhere() throws Exception {
        // A tenth of it is how long an idle connection stays then, and the stream leaves after 200 ms of silence.
        startAnew(Map.of("SERVICE_SHUTDOWNGRACE", "20s"));
        try (Http2Stream stream = open("")) {
            assertThat(stream.next("OPENED").integer(12)).isEqualTo(2);
            long began = System.nanoTime();
            CompletableFuture<Void> stopping = CompletableFuture.runAsync(server::close);

            assertThat(stream.next("MOVE").integer(4)).isBetween(0, 2_000);
            assertThat(stream.closeCode()).isEqualTo(1012);
            stopping.get();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(15)); // of its 20
        }
        start(Map.of());
    }
}

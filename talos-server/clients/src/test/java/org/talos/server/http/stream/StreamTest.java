// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
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
import org.talos.server.http.stream.Received.Place;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.testing.TestServer;

/** Streams over a socket, by a client that knows nothing of the server. */
@Timeout(90)
class StreamTest {
    private static final String STREAM = "/v1/topics/orders/stream";
    private static final int SMALLEST_WINDOW = 65_536;

    @TempDir
    private Path data;

    private final GatedJournals journals = GatedJournals.ofOwnThreads();
    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(data, Map.of("SERVICE_MAXRESTWAIT", "1s"), SystemTime.wallClock(), journals::around);
        server.admin().createTopic(NewTopic.of("orders", 2));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private StreamClient open(String query) throws Exception {
        return StreamClient.open(server.endpoint(), STREAM + query);
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

    @Test
    void putIsAnsweredWithItsOffsetAndItsBytesComeBack() throws Exception {
        try (StreamClient client = open("")) {
            Received opened = client.next();
            assertThat(opened.name()).isEqualTo("OPENED");
            assertThat(List.of(opened.integer(4), opened.integer(8), opened.integer(12)))
                    .containsExactly(2 << 20, 2 << 20, 2);

            byte[] put = Sent.put(0, 1, 7, "a", "b");
            client.send(put);

            assertThat(client.next("STORED").places()).containsExactly(new Place(1, 7, 0));
            assertThat(client.next("CREDIT").integer(4)).isEqualTo(put.length);
        }
        awaitNothingHeld();
    }

    @Test
    void whatIsPutComesToWhoIsSubscribed() throws Exception {
        try (StreamClient client = open("")) {
            client.send(Sent.put(0, 0, 1, "a", "b"));
            client.send(Sent.subscribe(0, -1));
            assertThat(client.messages(2)).containsExactly("0 a", "1 b");

            client.send(Sent.putMessage(0, 0, 2, "", "c"));
            assertThat(client.messages(1)).containsExactly("2 c");
        }
    }

    @Test
    void subscriptionBeginsWhereItIsAskedForAndMoves() throws Exception {
        try (StreamClient client = open("")) {
            client.send(Sent.put(0, 0, 1, "a", "b", "c"));
            assertThat(client.stored(1)).hasSize(1);

            client.send(Sent.subscribe(0, 1));
            assertThat(client.messages(2)).containsExactly("1 b", "2 c");
            client.send(Sent.subscribe(0, 2));
            assertThat(client.messages(1)).containsExactly("2 c");
            client.send(Sent.subscribe(1, -2));
            client.send(Sent.putMessage(0, 0, 2, "", "d"));
            assertThat(client.messages(1)).containsExactly("3 d");
        }
    }

    @Test
    void thousandsOfPutsAreStoredInTheOrderOfTheirNumbers() throws Exception {
        int count = 3_000;
        try (StreamClient client = open("?producer=p")) {
            for (int i = 0; i < count; i++) {
                client.send(Sent.put(0, 0, i, "m" + i));
            }
            List<Place> places = client.stored(count);

            assertThat(places).extracting(Place::number).isSorted();
            assertThat(places).allSatisfy(each -> assertThat(each.offset()).isEqualTo(each.number()));
            client.send(Sent.subscribe(0, 0));
            assertThat(client.messages(count))
                    .isEqualTo(IntStream.range(0, count)
                            .mapToObj(i -> i + " m" + i)
                            .toList());
        }
    }

    @Test
    void largePutComesBackAsItWasInPiecesToo() throws Exception {
        String large = "large ".repeat(300_000);
        try (StreamClient client = open("")) {
            client.sendInPieces(Sent.put(0, 0, 1, large), 100_001);
            assertThat(client.stored(1)).containsExactly(new Place(0, 1, 0));
            client.send(Sent.subscribe(0, 0));

            assertThat(client.messages(1)).containsExactly("0 " + large);
        }
        awaitNothingHeld();
    }

    @Test
    void putThatIsSentAgainUnderItsNumberIsStoredOnce() throws Exception {
        try (StreamClient broken = open("?producer=p")) {
            broken.send(Sent.put(0, 0, 1, "a"));
            broken.send(Sent.put(0, 0, 2, "b"));
            assertThat(broken.stored(2)).hasSize(2);
        }
        try (StreamClient client = open("?producer=p")) {
            client.send(Sent.put(0, 0, 2, "b"));
            client.send(Sent.put(0, 0, 3, "c"));
            assertThat(client.stored(2)).containsExactly(new Place(0, 2, 1), new Place(0, 3, 2));
            client.send(Sent.put(0, 0, 3, "other"));
            assertThat(client.next("REFUSED").code()).isEqualTo("lock-value-not-expected");

            client.send(Sent.subscribe(0, 0));
            assertThat(client.messages(3)).containsExactly("0 a", "1 b", "2 c");
        }
    }

    @Test
    void putsWithoutAProducerAreStoredEachTime() throws Exception {
        try (StreamClient client = open("")) {
            client.send(Sent.put(0, 0, 1, "a"));
            client.send(Sent.put(0, 0, 1, "a"));

            assertThat(client.stored(2)).containsExactly(new Place(0, 1, 0), new Place(0, 1, 1));
        }
    }

    @Test
    void whatCannotBeStoredIsRefusedAndTheStreamGoesOn() throws Exception {
        try (StreamClient client = open("")) {
            client.send(Sent.put(0, 9, 1, "a"));
            assertThat(client.next("REFUSED").code()).isEqualTo("partition-not-exist");
            byte[] unknown = Sent.put(0, 0, 2, "a");
            unknown[2] = 99;
            client.send(unknown);
            assertThat(client.next("REFUSED").code()).isEqualTo("bad-request");
            byte[] miscounted = Sent.put(0, 0, 3, "a");
            miscounted[19] = 2;
            client.send(miscounted);
            assertThat(client.next("REFUSED").code()).isEqualTo("message-incomplete");

            client.send(Sent.put(0, 0, 4, "a"));
            assertThat(client.stored(1)).containsExactly(new Place(0, 4, 0));
            client.send(Sent.subscribe(0, 77));
            assertThat(client.next("ENDED").code()).isEqualTo("message-offset-out-of-range");
        }
        awaitNothingHeld();
    }

    @Test
    void blockLargerThanTheWindowIsSaidToBeSoAndPassedBy() throws Exception {
        try (StreamClient writer = open("")) {
            writer.send(Sent.put(0, 0, 1, "x".repeat(SMALLEST_WINDOW)));
            writer.send(Sent.put(0, 0, 2, "small"));
            assertThat(writer.stored(2)).hasSize(2);
        }
        try (StreamClient client = open("?window=" + SMALLEST_WINDOW)) {
            client.send(Sent.subscribe(0, 0));
            Received ended = client.next("ENDED");
            assertThat(ended.code()).isEqualTo("larger-than-window");
            client.send(Sent.subscribe(0, ended.problem().get("skip").longValue()));

            assertThat(client.messages(1)).containsExactly("1 small");
        }
    }

    @Test
    void clientWhoDoesNotReadCostsItsWindowAndNothingElse() throws Exception {
        try (StreamClient writer = open("")) {
            for (int i = 0; i < 40; i++) {
                writer.send(Sent.put(0, 0, i, "x".repeat(200_000)));
                assertThat(writer.next("CREDIT").integer(4)).isGreaterThan(200_000);
            }
        }
        awaitNothingHeld();
        try (StreamClient deaf = StreamClient.deaf(server.endpoint(), STREAM);
                StreamClient reader = open("")) {
            deaf.send(Sent.subscribe(0, 0));
            reader.send(Sent.subscribe(0, 0));

            assertThat(reader.messages(40)).hasSize(40);
            assertThat(metric("talos_http_request_memory_bytes")).isBetween(1.0, (2 << 20) + 50_000.0);
        }
        awaitNothingHeld();
    }

    @Test
    void streamThatIsCutWithinAMessageLeavesNothing() throws Exception {
        try (RawStream raw = new RawStream(server.endpoint(), STREAM)) {
            byte[] put = Sent.put(0, 0, 1, "x".repeat(100_000));
            raw.frame(RawStream.BINARY, put.length, Arrays.copyOf(put, 50_000));
            await().until(() -> metric("talos_http_request_memory_bytes") > 100_000);
        }
        awaitNothingHeld();
        try (StreamClient client = open("")) {
            client.send(Sent.putMessage(0, 0, 1, "", "first"));
            assertThat(client.stored(1)).containsExactly(new Place(0, 1, 0));
        }
    }

    @Test
    void putsUnderWayCountAgainstTheCredit() throws Exception {
        journals.shut();
        try (RawStream raw = new RawStream(server.endpoint(), STREAM + "?window=" + SMALLEST_WINDOW)) {
            byte[] put = Sent.put(0, 0, 1, "x".repeat(30_000));
            raw.frame(RawStream.BINARY, put);
            raw.frame(RawStream.BINARY, put);
            raw.frame(RawStream.BINARY, put);

            assertThat(raw.closeCode()).isEqualTo(1008);
        } finally {
            journals.open();
        }
        awaitNothingHeld();
    }

    @Test
    void serverThatStopsAnswersWhatIsUnderWayAndSendsTheClientElsewhere() throws Exception {
        journals.shut();
        try (StreamClient client = open("")) {
            client.send(Sent.put(0, 0, 1, "a".repeat(10_000)));
            await().until(() -> metric("talos_http_request_memory_bytes") > 10_000);
            CompletableFuture<Void> stopping = CompletableFuture.runAsync(server::close);
            assertThat(client.next("MOVE").integer(4)).isBetween(0, 2_000);
            client.send(Sent.put(0, 0, 2, "b"));

            journals.open();

            assertThat(client.next("STORED").places()).containsExactly(new Place(0, 1, 0));
            Received refused = client.next("REFUSED");
            assertThat(refused.bytes()[1]).as("outcome: nothing happened").isZero();
            assertThat(refused.code()).isEqualTo("partition-not-serving");
            assertThat(client.closeCode()).isEqualTo(1012);
            stopping.get();
        }
    }

    @Test
    void rightThatIsRevokedEndsWhatNeedsItAndAKeyThatIsRemovedEndsTheStream() throws Exception {
        NewCredential key = server.admin().addUser("ann", false, List.of(), List.of());
        server.admin().grant("orders", Grantee.of("ann"), Set.of(Right.GET, Right.PUT));
        TalosEndpoint ann = new TalosEndpoint(server.uri(), key.accessKey(), key.secretKey());
        try (StreamClient client = StreamClient.open(ann, STREAM);
                StreamClient admin = open("")) {
            client.send(Sent.putMessage(0, 0, 1, "", "a"));
            assertThat(client.stored(1)).hasSize(1);
            client.send(Sent.subscribe(0, -2));
            await().until(() -> metric("talos_http_request_memory_bytes") >= 3 * 2_048);

            server.admin().revoke("orders", Grantee.of("ann"));
            admin.send(Sent.putMessage(0, 0, 1, "", "hush"));

            assertThat(client.next("ENDED").code()).isEqualTo("permission-denied-error");
            client.send(Sent.putMessage(0, 0, 2, "", "b"));
            assertThat(client.next("REFUSED").code()).isEqualTo("permission-denied-error");

            server.admin().removeUser("ann");
            client.send(Sent.putMessage(0, 0, 3, "", "c"));
            assertThat(client.closeCode()).isEqualTo(1008);
        }
    }

    @Test
    void streamOfATokenReadsAndDoesNotPut() throws Exception {
        HttpRequest asked = HttpRequest.newBuilder(server.uri().resolve("/v1/topics/orders/events/token"))
                .header("Authorization", StreamClient.basic(server.endpoint()))
                .POST(BodyPublishers.noBody())
                .build();
        String answer =
                HttpClient.newHttpClient().send(asked, BodyHandlers.ofString()).body();
        String token = answer.replaceAll(".*\"token\":\"([^\"]+)\".*", "$1");
        try (RawStream raw = new RawStream(server.endpoint(), STREAM + "?token=" + token, List.of());
                StreamClient writer = open("")) {
            assertThat(raw.status()).isEqualTo(101);
            raw.frame(RawStream.BINARY, Sent.putMessage(0, 0, 1, "", "no"));
            writer.send(Sent.putMessage(0, 0, 1, "", "yes"));
            assertThat(writer.stored(1)).containsExactly(new Place(0, 1, 0));
        }
    }

    @Test
    void streamsAreBoundedWithEventStreams() throws Exception {
        server.close();
        server = TestServer.start(data, Map.of("HTTP_LIMITS_STREAMS", "2"));
        List<StreamClient> open = Collections.synchronizedList(new ArrayList<>());
        try {
            open.add(open(""));
            open.add(open(""));
            assertThat(metric("talos_http_open_streams")).isEqualTo(2);
            try (RawStream further = new RawStream(server.endpoint(), STREAM)) {
                assertThat(further.status()).isEqualTo(503);
                assertThat(further.body()).contains("too-many-streams");
            }
            open.get(0).closeNormally();
            await().until(() -> metric("talos_http_open_streams") == 1);
        } finally {
            open.forEach(StreamClient::close);
        }
    }

    /** A stream is that of the topic for which it was opened, by its name or its resource name. */
    @Test
    void streamOfADeletedTopicHasNothingToDoWithALaterOneOfItsName() throws Exception {
        String former = server.admin().describeTopic("orders").resourceName();
        try (StreamClient client = open("");
                StreamClient byResourceName = openOf(former)) {
            client.send(Sent.put(0, 0, 1, "a"));
            assertThat(client.stored(1)).hasSize(1);
            byResourceName.send(Sent.subscribe(0, 0));
            assertThat(byResourceName.messages(1)).containsExactly("0 a");
            server.admin().deleteTopic("orders");
            server.admin().createTopic(NewTopic.of("orders", 2));

            client.send(Sent.put(0, 0, 2, "b"));
            assertThat(client.next("REFUSED").code()).isEqualTo("topic-not-exist");
            client.send(Sent.subscribe(0, -1));
            assertThat(client.next("ENDED").code()).isEqualTo("topic-not-exist");
            byResourceName.next("ENDED"); // what waited, since its log is closed
            byResourceName.send(Sent.subscribe(0, 1));
            assertThat(byResourceName.next("ENDED").code()).isEqualTo("topic-not-exist");
            RawStream late = new RawStream(server.endpoint(), path(former));
            assertThat(late.status()).isEqualTo(404);
            assertThat(late.body()).contains("topic-not-exist");
        }
        try (StreamClient client = open("")) {
            client.send(Sent.put(0, 0, 1, "c"));
            assertThat(client.stored(1)).extracting(Place::offset).containsExactly(0L);
        }
    }

    private StreamClient openOf(String resourceName) throws Exception {
        return StreamClient.open(server.endpoint(), path(resourceName));
    }

    private static String path(String resourceName) {
        return "/v1/topics/" + URLEncoder.encode(resourceName, StandardCharsets.UTF_8) + "/stream";
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.admin.NewTopic;
import org.talos.server.http.stream.Received.Place;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.testing.TestServer;

/**
 * Streams that break, and clients that do as they like, over a socket: nothing is lost, stored twice or in another
 * order, and all that was held is given back.
 */
@Timeout(120)
class StreamFaultsTest {
    private static final String STREAM = "/v1/topics/orders/stream";
    private static final String PRODUCER = STREAM + "?producer=p";
    private static final int PARTITIONS = 64;
    private static final int PUTS_A_ROUND = 3;

    @TempDir
    private Path data;

    private final GatedJournals journals = GatedJournals.ofOwnThreads();
    private final List<String> expected = new ArrayList<>(); // what partition 0 holds
    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        start(Map.of());
        server.admin().createTopic(NewTopic.of("orders", PARTITIONS));
    }

    private void start(Map<String, String> settings) throws Exception {
        Map<String, String> all = new HashMap<>(settings);
        all.put("SERVICE_MAXRESTWAIT", "1s"); // for this time a subscription's last read holds something
        server = TestServer.start(data, all, SystemTime.wallClock(), journals::around);
    }

    @AfterEach
    void close() throws Exception {
        awaitNothingHeld();
        server.close();
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

    private double held() throws Exception {
        return metric("talos_http_request_memory_bytes");
    }

    private void awaitNothingHeld() {
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            assertThat(metric("talos_http_open_streams")).isZero();
            assertThat(held()).isZero();
        });
    }

    private byte[] putOf(int number) {
        return Sent.put(0, 0, number, "m" + number);
    }

    /** Sends a part, reads a part of the answer, and ends the connection, cleanly or not. */
    private void cut(byte[] sent, int read, boolean reset) throws Exception {
        try (Socket socket = RawStream.connect(server.endpoint())) {
            socket.setSoLinger(reset, 0);
            socket.getOutputStream().write(sent);
            assertThat(socket.getInputStream().readNBytes(read))
                    .as("after %d bytes", sent.length)
                    .hasSize(read);
        }
    }

    /** A request for a stream of the producer, and the next puts, as they are on the wire. */
    private byte[] request(int first) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(RawStream.request(server.endpoint(), PRODUCER));
        for (int number = first; number < first + PUTS_A_ROUND; number++) {
            byte[] put = putOf(number);
            bytes.write(RawStream.framed(RawStream.BINARY, put.length, put));
        }
        return bytes.toByteArray();
    }

    /** The next stream of the producer, which sends the puts of a round again: each is where it belongs. */
    private void comeBack(int first) throws Exception {
        try (StreamClient client = StreamClient.open(server.endpoint(), PRODUCER)) {
            for (int number = first; number < first + PUTS_A_ROUND; number++) {
                client.send(putOf(number));
                expected.add(number + " m" + number);
            }

            assertThat(client.stored(PUTS_A_ROUND))
                    .isEqualTo(IntStream.range(first, first + PUTS_A_ROUND)
                            .mapToObj(number -> new Place(0, number, number))
                            .toList());
        }
    }

    private void assertAllIsThereOnceAndInOrder() throws Exception {
        try (StreamClient client = StreamClient.open(server.endpoint(), STREAM)) {
            client.send(Sent.subscribe(0, -1));
            assertThat(client.messages(expected.size())).isEqualTo(expected);
            client.send(Sent.putMessage(0, 0, 1, "", "last"));
            assertThat(client.stored(1)).containsExactly(new Place(0, 1, expected.size()));
        }
    }

    @Test
    void streamThatIsCutAfterAnyByteThatItSendsIsTakenUpWhereItStopped() throws Exception {
        int length = request(0).length;
        for (int sent = 0; sent <= length; sent += 17) {
            byte[] request = request(expected.size());
            cut(Arrays.copyOf(request, Math.min(sent, request.length)), 0, sent % 2 == 0);
            comeBack(expected.size());
        }
        assertAllIsThereOnceAndInOrder();
    }

    @Test
    void streamThatIsCutAfterAnyByteThatItIsSentIsTakenUpWhereItStopped() throws Exception {
        int head;
        try (RawStream raw = new RawStream(server.endpoint(), PRODUCER)) {
            head = raw.head().length();
        }
        int opened = 2 + 16;
        int storedAtOnce = 2 + 8 + 20 * PUTS_A_ROUND;
        for (int read = 0; read <= head + opened + storedAtOnce; read += 11) {
            cut(request(expected.size()), read, read % 2 == 0);
            comeBack(expected.size());
        }
        assertAllIsThereOnceAndInOrder();
    }

    @Test
    void putsThatAreUnderWayWhenTheirStreamIsCutAreAnsweredToTheNextOne() throws Exception {
        journals.shut();
        try (StreamClient client = StreamClient.open(server.endpoint(), PRODUCER)) {
            for (int number = 0; number < PUTS_A_ROUND; number++) {
                client.send(putOf(number));
            }
            await().until(() -> held() > PUTS_A_ROUND * StreamSession.PUT_BYTES);
        }
        await().until(() -> metric("talos_http_open_streams") == 0);
        try (StreamClient client = StreamClient.open(server.endpoint(), PRODUCER)) {
            for (int number = 0; number < PUTS_A_ROUND; number++) {
                client.send(putOf(number));
                expected.add(number + " m" + number);
            }
            journals.open();

            assertThat(client.stored(PUTS_A_ROUND))
                    .containsExactly(new Place(0, 0, 0), new Place(0, 1, 1), new Place(0, 2, 2));
        }
        assertAllIsThereOnceAndInOrder();
    }

    @Test
    void closeWithinAMessageEndsTheStreamAndLeavesWhatFollowsUnread() throws Exception {
        try (RawStream raw = new RawStream(server.endpoint(), STREAM)) {
            byte[] put = Sent.put(0, 0, 1, "half");
            raw.frame(0x02, Arrays.copyOf(put, 40));
            raw.frame(RawStream.CLOSE, new byte[] {0x03, (byte) 0xe8});
            raw.frame(RawStream.BINARY, Sent.put(0, 0, 2, "late"));

            assertThat(raw.closeCode()).isEqualTo(1000);
        }
        assertAllIsThereOnceAndInOrder();
    }

    @Test
    void pingsWithinAMessageAreAnsweredAndTheMessageGoesOn() throws Exception {
        try (RawStream raw = new RawStream(server.endpoint(), STREAM)) {
            byte[] put = putOf(0);
            raw.frame(0x02, Arrays.copyOf(put, 40));
            raw.frame(RawStream.PING, "are you there?".getBytes(US_ASCII));
            raw.frame(RawStream.CONTINUATION, Arrays.copyOfRange(put, 40, put.length));

            assertThat(raw.next().name()).isEqualTo("OPENED");
            assertThat(raw.next().places()).containsExactly(new Place(0, 0, 0));
        }
        expected.add("0 m0");
        assertAllIsThereOnceAndInOrder();
    }

    /** Starts a server again that has more for a reader than sockets hold. */
    private void startWithMuchToRead(String key, String value) throws Exception {
        try (StreamClient writer = StreamClient.open(server.endpoint(), STREAM)) {
            for (int i = 0; i < 80; i++) {
                writer.send(Sent.put(0, 0, i, "x".repeat(200_000)));
                assertThat(writer.next("CREDIT").integer(4)).isPositive();
            }
        }
        server.close();
        start(Map.of(key, value));
    }

    @Test
    void serverThatStopsDoesNotWaitForWhoReadsNothing() throws Exception {
        startWithMuchToRead("SERVICE_SHUTDOWNGRACE", "60s");
        try (RawStream deaf = new RawStream(server.endpoint(), STREAM + "?window=" + (16 << 20))) {
            deaf.frame(RawStream.BINARY, Sent.subscribe(0, 0));
            await().until(() -> held() > 1 << 20);

            CompletableFuture<Void> stopping = CompletableFuture.runAsync(server::close);

            assertThat(stopping).succeedsWithin(Duration.ofSeconds(30));
        }
        start(Map.of());
    }

    /** A byte at each look: the window of its socket never opens, and no ping reaches it. */
    @Test
    void clientWhoReadsAByteNowAndThenIsAbandonedAndCostsNothingFurther() throws Exception {
        startWithMuchToRead("HTTP_IDLETIMEOUT", "2s");
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4 << 10);
            socket.connect(new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), server.uri().getPort()));
            RawStream raw =
                    new RawStream(socket, RawStream.request(server.endpoint(), STREAM + "?window=" + (16 << 20)));
            raw.frame(RawStream.BINARY, Sent.subscribe(0, 0));
            await().until(() -> held() > 1 << 20);

            await().atMost(Duration.ofSeconds(20)).until(() -> {
                assertThat(raw.readByte()).isNotNegative();
                return held() == 0 && metric("talos_http_open_streams") == 0;
            });
        }
    }

    private void startWithLittleMemory() throws Exception {
        server.close();
        start(Map.of(
                "HTTP_MAXCONTROLBODYBYTES", Integer.toString(64 << 10),
                "HTTP_MAXBODYBYTES", Integer.toString(256 << 10),
                "HTTP_MAXREQUESTMEMORYBYTES", Integer.toString(1 << 20),
                "SERVICE_MAXGETBYTES", Integer.toString(256 << 10)));
    }

    @Test
    void memoryThatIsUsedUpRefusesWithoutLossAndIsAllGivenBack() throws Exception {
        startWithLittleMemory();
        journals.shut();
        try (StreamClient client = StreamClient.open(server.endpoint(), PRODUCER)) {
            List<Integer> refused = new ArrayList<>();
            int number = 0;
            for (int bytes = 150_000; bytes > 600; bytes = bytes * 2 / 3) {
                boolean taken = true;
                while (taken) {
                    client.send(bytesOf(number, bytes));
                    taken = isTaken(client, number);
                    if (!taken) {
                        refused.add(number);
                    }
                    number++;
                }
            }
            client.send(Sent.subscribe(15, -2));
            assertThat(client.next("ENDED").code()).isEqualTo("no-memory");

            journals.open();
            List<Place> places = client.stored(number - refused.size());
            for (int each : refused) {
                client.send(bytesOf(each, 1_000));
            }
            assertThat(client.stored(refused.size())).hasSize(refused.size());

            assertThat(places).extracting(Place::number).doesNotContainAnyElementsOf(asLongs(refused));
            for (int partition = 0; partition < PARTITIONS; partition++) {
                int each = partition;
                assertThat(places.stream().filter(place -> place.partition() == each))
                        .extracting(Place::offset)
                        .isSorted();
            }
            client.send(Sent.subscribe(0, 0));
            assertThat(client.next("BLOCK").number(8)).isZero();
        }
    }

    private static List<Long> asLongs(List<Integer> numbers) {
        return numbers.stream().map(Integer::longValue).toList();
    }

    /** Each into another partition, where nobody in front of it holds up its refusal; the last one is for barriers. */
    private static byte[] bytesOf(int number, int bytes) {
        return Sent.put(0, number % PARTITIONS, number, "x".repeat(bytes));
    }

    /** A put into a partition that there is not is refused at once: by then the one in front of it would have been. */
    private static boolean isTaken(StreamClient client, int number) throws InterruptedException {
        int barrier = -number - 1;
        client.send(Sent.put(0, PARTITIONS, barrier, ""));
        boolean taken = true;
        for (Received refused = client.next("REFUSED");
                refused.number(8) != barrier;
                refused = client.next("REFUSED")) {
            assertThat(refused.number(8)).isEqualTo(number);
            assertThat(refused.code()).isEqualTo("no-memory");
            assertThat(refused.bytes()[1]).as("nothing happened").isZero();
            taken = false;
        }
        return taken;
    }
}

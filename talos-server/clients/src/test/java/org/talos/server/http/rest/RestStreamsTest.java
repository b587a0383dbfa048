// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.talos.server.http.rest.RestFixture.basic;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.luben.zstd.Zstd;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.Right;
import org.talos.server.http.rest.RestFixture.Answer;

/** Requests that have no end of their own, and bodies that come encoded. */
@Timeout(60)
class RestStreamsTest {
    private static final String TOPIC = "/v1/topics/orders/messages";
    private static final String PARTITION = "/v1/topics/orders/partitions/0/messages";
    private static final String GROUP = "/v1/topics/orders/groups/billing";
    private static final String MEMBERS = GROUP + "/members";
    private static final String EVENTS = "/v1/topics/orders/partitions/0/events";
    private static final String NDJSON = "application/x-ndjson";

    @TempDir
    private Path data;

    private RestFixture rest;

    @BeforeEach
    void start() throws Exception {
        rest = new RestFixture(data, Map.of("HTTP_LIMITS_STREAMS", "3"));
        rest.createTopic("orders", 2);
    }

    @AfterEach
    void close() {
        rest.close();
    }

    /** A client that sends and reads as it likes. Confined: the test. */
    private final class Wire implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader in;

        Wire(String head, String... headers) throws Exception {
            socket = new Socket(
                    InetAddress.getLoopbackAddress(), rest.server.uri().getPort());
            socket.setSoTimeout(20_000);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
            send(head + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
                    + rest.authorization() + "\r\n"
                    + String.join(
                            "",
                            List.of(headers).stream().map(each -> each + "\r\n").toList())
                    + "\r\n");
        }

        void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(UTF_8));
            socket.getOutputStream().flush();
        }

        void chunk(String text) throws IOException {
            send(Integer.toHexString(text.getBytes(UTF_8).length) + "\r\n" + text + "\r\n");
        }

        /** The next line that holds the text; null if the answer ends before. */
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

    private boolean requestsHold(int bytes) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(rest.server.managementUri().resolve("/metrics"))
                                .build(),
                        BodyHandlers.ofString())
                .body()
                .lines()
                .anyMatch(line -> line.equals("talos_http_request_memory_bytes " + bytes));
    }

    @Test
    void messageThatComesAfterTheRightWasRevokedIsNotGiven() throws Exception {
        NewCredential reader = rest.server.admin().addUser("reader", false, List.of(), List.of());
        rest.server.admin().grant("orders", Grantee.of("reader"), Set.of(Right.GET));
        String ofAdmin = rest.authorization();
        rest.as(basic(reader.accessKey(), reader.secretKey()));
        try (Wire events = new Wire("GET " + EVENTS);
                Wire poll = new Wire("GET " + PARTITION + "?wait=15000")) {
            assertThat(events.lineWith(":")).isNotEqualTo("null");
            rest.as(ofAdmin);
            await().until(() -> requestsHold(2 * 2048)); // each request in flight counts with 2 KiB

            rest.server.admin().revoke("orders", Grantee.of("reader"));
            assertThat(rest.post(PARTITION, BodyPublishers.ofString("hush")).status())
                    .isEqualTo(201);

            assertThat(events.lineWith("data:")).contains("permission-denied");
            assertThat(poll.lineWith("HTTP/1.1")).contains(" 403 ");
        }
    }

    @Test
    void messageThatComesAfterTheReaderWasRemovedIsNotGiven() throws Exception {
        String ofAdmin = signInAsReader();
        assertThatARemovedReaderGetsNothing(ofAdmin, "GET " + PARTITION + "?wait=15000", "", () -> requestsHold(2048));
    }

    @Test
    void messageThatComesAfterTheMemberWasRemovedIsNotGiven() throws Exception {
        String ofAdmin = signInAsReader();
        String member = rest.send("POST", MEMBERS, "{}").json().get("member").textValue();
        String request = "POST " + MEMBERS + "/" + member + "/fetch";
        assertThatARemovedReaderGetsNothing(ofAdmin, request, json("{'wait':15000}"), () -> holdsPartitions(member));
    }

    private boolean holdsPartitions(String member) throws Exception {
        return rest.get(GROUP)
                .json()
                .get("partitions")
                .findValuesAsText("member")
                .contains(member);
    }

    /** Returns the credentials of the administrator. */
    private String signInAsReader() throws Exception {
        String ofAdmin = rest.authorization();
        NewCredential reader = rest.server.admin().addUser("reader", true, List.of(), List.of());
        rest.as(basic(reader.accessKey(), reader.secretKey()));
        return ofAdmin;
    }

    private void assertThatARemovedReaderGetsNothing(
            String ofAdmin, String request, String body, Callable<Boolean> waits) throws Exception {
        String[] headers = {"Content-Type: application/json", "Content-Length: " + body.length()};
        try (Wire poll = new Wire(request, headers)) {
            poll.send(body);
            rest.as(ofAdmin);
            await().until(waits);

            rest.server.admin().removeUser("reader");
            assertThat(rest.post(PARTITION, BodyPublishers.ofString("hush")).status())
                    .isEqualTo(201);

            assertThat(poll.lineWith("HTTP/1.1")).contains(" 401 ");
        }
    }

    private Wire lines() throws Exception {
        return new Wire("POST " + PARTITION, "Content-Type: " + NDJSON, "Transfer-Encoding: chunked");
    }

    private List<String> stored() throws Exception {
        return rest.get(PARTITION + "?maxMessages=10000&maxBytes=10000000")
                .json()
                .get("messages")
                .findValuesAsText("value");
    }

    @Test
    void eachLineIsAnsweredWithItsPlace() throws Exception {
        String body =
                json("{'value':'a','key':'k'}\n\n{'base64':'AAE='}\r\n{'json':{'x':1},'partition':1}\n{'value':'d'}");
        Answer answer = rest.post(TOPIC, BodyPublishers.ofString(body), "Content-Type", NDJSON);

        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        List<JsonNode> results = new ArrayList<>();
        for (String line : answer.text().lines().toList()) {
            results.add(RestFixture.JSON.readTree(line));
        }
        assertThat(results).extracting(each -> each.get("line").intValue()).containsExactly(1, 3, 4, 5);
        assertThat(results)
                .allSatisfy(each -> assertThat(each.get("offset").isNumber()).isTrue());
        assertThat(results.get(2).get("partition").intValue()).isEqualTo(1);
    }

    @Test
    void lineIsAnsweredBeforeTheNextOneIsSent() throws Exception {
        try (Wire wire = lines()) {
            for (int i = 0; i < 5; i++) {
                wire.chunk(json("{'value':'m" + i + "'}\n"));
                assertThat(wire.lineWith("\"line\":" + (i + 1))).contains("\"offset\":" + i);
            }
            assertThat(stored()).containsExactly("m0", "m1", "m2", "m3", "m4");
            wire.send("0\r\n\r\n");
            assertThat(wire.lineWith("0")).isEqualTo("0"); // the answer's end
        }
    }

    @Test
    void lineMayComeInPieces() throws Exception {
        try (Wire wire = lines()) {
            wire.chunk("{\"value\":");
            wire.chunk("\"in pie");
            wire.chunk("ces\"}\n");
            assertThat(wire.lineWith("\"line\":1")).contains("\"offset\":0");
        }
        assertThat(stored()).containsExactly("in pieces");
    }

    @Test
    void brokenLineEndsTheStreamAndThoseBeforeItAreStored() throws Exception {
        String body = json("{'value':'a'}\n{'value':'b'}\n{'valu':'c'}\n{'value':'d'}\n");
        Answer answer = rest.post(PARTITION, BodyPublishers.ofString(body), "Content-Type", NDJSON);

        List<String> answered = answer.text().lines().toList();
        assertThat(answered).hasSize(3);
        JsonNode problem = RestFixture.JSON.readTree(answered.get(2));
        assertThat(problem.get("line").intValue()).isEqualTo(3);
        assertThat(problem.get("problem").get("code").textValue()).isEqualTo("bad-request");
        assertThat(problem.get("problem").get("outcome").textValue()).isEqualTo("did-not-happen");
        assertThat(stored()).containsExactly("a", "b");
    }

    @Test
    void whatWasAnsweredIsThereAfterTheConnectionIsCut() throws Exception {
        try (Wire wire = lines()) {
            wire.chunk(json("{'value':'kept'}\n{'value':'half"));
            assertThat(wire.lineWith("\"line\":1")).contains("\"offset\":0");
        }
        assertThat(stored()).containsExactly("kept");
        await().untilAsserted(() -> {
            try (Wire wire = lines()) { // the cut stream has made room
                wire.chunk(json("{'value':'after'}\n"));
                assertThat(wire.lineWith("\"line\":1")).contains("\"offset\":");
            }
        });
    }

    @Test
    void thousandsOfLinesAreStoredInOrder() throws Exception {
        StringBuilder body = new StringBuilder();
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 9_000; i++) {
            sent.add("message " + i);
            body.append(json("{'value':'message " + i + "'}\n"));
        }
        Answer answer = rest.post(PARTITION, BodyPublishers.ofString(body.toString()), "Content-Type", NDJSON);

        assertThat(answer.text().lines()).hasSize(9_000);
        assertThat(answer.text().lines().reduce((first, last) -> last).orElseThrow())
                .contains("\"line\":9000", "\"offset\":8999");
        List<String> all = new ArrayList<>();
        while (all.size() < 9_000) {
            JsonNode some =
                    rest.get(PARTITION + "?maxMessages=5000&from=" + all.size()).json();
            all.addAll(some.get("messages").findValuesAsText("value"));
        }
        assertThat(all).isEqualTo(sent);
    }

    @Test
    void streamThatCanNotBeginIsRefusedWithItsStatus() throws Exception {
        assertThat(rest.post("/v1/topics/none/messages", BodyPublishers.ofString("{}"), "Content-Type", NDJSON)
                        .status())
                .isEqualTo(404);
        Answer key =
                rest.post(PARTITION, BodyPublishers.ofString("{}"), "Content-Type", NDJSON, "Idempotency-Key", "once");
        assertThat(key.status()).isEqualTo(400);
        Answer other = rest.post(
                PARTITION, BodyPublishers.ofString(json("{'value':'a','partition':1}")), "Content-Type", NDJSON);
        assertThat(other.text()).contains("bad-request");
    }

    @Test
    void eventsComeAsMessagesArePut() throws Exception {
        put("before");
        try (Wire wire = new Wire("GET " + EVENTS)) {
            assertThat(wire.lineWith("HTTP/1.1")).contains("200");
            assertThat(wire.lineWith("Content-Type")).contains("text/event-stream");
            assertThat(wire.lineWith(":")).isNotEqualTo("null"); // it listens
            put("one");
            assertThat(wire.lineWith("id: ")).isEqualTo("id: 1");
            assertThat(wire.lineWith("data: ")).contains("\"value\":\"one\"");
            put("two");
            assertThat(wire.lineWith("data: ")).contains("\"value\":\"two\"");
        }
    }

    /** Otherwise nginx keeps an event back until 4 KiB of them are there. */
    @Test
    void proxiesAreAskedToPassOnWhatIsStreamed() throws Exception {
        put("one");
        try (Wire events = new Wire("GET " + EVENTS);
                Wire search = new Wire("GET /v1/topics/orders/search");
                Wire lines = lines();
                Wire whole = new Wire("GET " + PARTITION)) {
            lines.chunk(json("{'value':'m'}\n"));

            assertThat(List.of(events, search, lines))
                    .allSatisfy(each ->
                            assertThat(each.lineWith("X-Accel-Buffering")).isEqualTo("X-Accel-Buffering: no"));
            whole.send("GET /v1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertThat(whole.lineWith("X-Accel-Buffering")).isEqualTo("null");
        }
    }

    @Test
    void followerGoesOnBehindTheLastEventItSaw() throws Exception {
        for (String each : List.of("a", "b", "c")) {
            put(each);
        }
        try (Wire wire = new Wire("GET " + EVENTS, "Last-Event-ID: 0")) {
            assertThat(wire.lineWith("id: ")).isEqualTo("id: 1");
            assertThat(wire.lineWith("id: ")).isEqualTo("id: 2");
        }
        try (Wire wire = new Wire("GET " + EVENTS + "?from=earliest")) {
            assertThat(wire.lineWith("id: ")).isEqualTo("id: 0");
        }
    }

    private void put(String value) throws Exception {
        Answer put = rest.send("POST", PARTITION, json("{'messages':[{'value':'" + value + "'}]}"));
        assertThat(put.status()).as(put.text()).isEqualTo(200);
    }

    @Test
    void followerWhoseKeyIsRemovedGetsNoMore() throws Exception {
        NewCredential key = rest.server.admin().addUser("ann", true, List.of(), List.of());
        rest.as(basic(key.accessKey(), key.secretKey()));
        try (Wire wire = new Wire("GET " + EVENTS)) {
            assertThat(wire.lineWith("Content-Type")).contains("text/event-stream");
            rest.asAdmin();
            rest.server.admin().removeUser("ann");
            put("secret");
            put("secret");
            assertThat(wire.lineWith("event: ")).isEqualTo("event: problem");
            assertThat(wire.lineWith("data: ")).contains("\"status\":401").doesNotContain("secret");
        }
    }

    @Test
    void followerOfATopicThatGoesIsToldSo() throws Exception {
        try (Wire wire = new Wire("GET " + EVENTS)) {
            assertThat(wire.lineWith("Content-Type")).contains("text/event-stream");
            rest.send("DELETE", "/v1/topics/orders", "");
            assertThat(wire.lineWith("event: ")).isEqualTo("event: problem");
            assertThat(wire.lineWith("data: ")).contains("code");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"?from=77", "?from=noon", "?unknown=1"})
    void placeThatIsNoneIsRefusedWithAStatus(String query) throws Exception {
        assertThat(rest.get(EVENTS + query).status()).isIn(400, 416);
    }

    @Test
    void moreStreamsThanTheBoundAreRefused() throws Exception {
        List<Wire> open = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                open.add(new Wire("GET " + EVENTS));
                assertThat(open.get(i).lineWith("HTTP/1.1")).contains("200");
            }
            try (Wire more = new Wire("GET " + EVENTS)) {
                assertThat(more.lineWith("HTTP/1.1")).contains("503");
            }
        } finally {
            for (Wire each : open) {
                each.close();
            }
        }
    }

    @Test
    void openStreamsDoNotKeepTheServerFromStopping() throws Exception {
        try (Wire events = new Wire("GET " + EVENTS);
                Wire puts = lines()) {
            assertThat(events.lineWith("Content-Type")).contains("text/event-stream");
            puts.chunk(json("{'value':'a'}\n"));
            assertThat(puts.lineWith("\"line\":1")).contains("offset");
            CompletableFuture<Void> stopping = CompletableFuture.runAsync(rest.server::close);

            assertThat(events.lineWith("event: ")).isEqualTo("event: problem");
            assertThat(puts.lineWith("\"line\":2")).contains("did-not-happen");
            stopping.get();
        }
    }

    private static byte[] gzip(byte[] plain) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(plain);
        }
        return bytes.toByteArray();
    }

    @Test
    void encodedBodiesAreReadAsWhatTheyHold() throws Exception {
        byte[] batch = json("{'messages':[{'value':'zipped'}]}").getBytes(UTF_8);
        assertThat(rest.post(
                                PARTITION,
                                BodyPublishers.ofByteArray(gzip(batch)),
                                "Content-Type",
                                "application/json",
                                "Content-Encoding",
                                "gzip")
                        .status())
                .isEqualTo(200);
        byte[] raw = "raw bytes ".repeat(1_000).getBytes(UTF_8);
        assertThat(rest.post(PARTITION, BodyPublishers.ofByteArray(Zstd.compress(raw)), "Content-Encoding", "zstd")
                        .status())
                .isEqualTo(201);

        assertThat(stored()).containsExactly("zipped", new String(raw, UTF_8));
    }

    @Test
    void bodyThatInflatesBeyondMeasureIsRefused() throws Exception {
        byte[] bomb = gzip(new byte[20 << 20]);
        assertThat(bomb.length).isLessThan(100_000);
        for (String encoding : List.of("gzip", "zstd")) {
            byte[] body = encoding.equals("gzip") ? bomb : Zstd.compress(new byte[20 << 20]);
            Answer answer = rest.post(PARTITION, BodyPublishers.ofByteArray(body), "Content-Encoding", encoding);
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.json().get("outcome").textValue()).isEqualTo("did-not-happen");
        }
        assertThat(stored()).isEmpty();
    }

    @Test
    void bodiesThatAreNotWhatTheySayAreRefused() throws Exception {
        byte[] cut = Arrays.copyOf(gzip("x".repeat(10_000).getBytes(UTF_8)), 40);
        assertThat(rest.post(PARTITION, BodyPublishers.ofByteArray(cut), "Content-Encoding", "gzip")
                        .status())
                .isEqualTo(400);
        assertThat(rest.post(PARTITION, BodyPublishers.ofString("plain"), "Content-Encoding", "zstd")
                        .status())
                .isEqualTo(400);
        for (String unknown : List.of("br", "gzip, gzip", "identity")) {
            assertThat(rest.post(PARTITION, BodyPublishers.ofString("x"), "Content-Encoding", unknown)
                            .status())
                    .isEqualTo(415);
        }
    }
}

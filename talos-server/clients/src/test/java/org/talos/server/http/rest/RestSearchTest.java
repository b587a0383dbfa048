// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.basic;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.http.rest.RestFixture.Answer;
import org.talos.server.runtime.time.SystemTime;

/** Looking through messages over REST, by a real server and client. */
@Timeout(90)
class RestSearchTest {
    private static final AtomicInteger TOPICS = new AtomicInteger();

    @TempDir
    private static Path data;

    private static RestFixture rest;

    private final String topic = "orders-" + TOPICS.incrementAndGet();
    private final String search = "/v1/topics/" + topic + "/search";

    @BeforeAll
    static void start() throws Exception {
        // A tail in memory of next to nothing: what is searched comes from storage.
        rest = new RestFixture(data, Map.of("LOG_TAILCACHEBYTES", "1KiB", "HTTP_MAXREQUESTMEMORYBYTES", "64MiB"));
    }

    @BeforeEach
    void createTopic() throws Exception {
        rest.asAdmin();
        rest.createTopic(topic, 2);
    }

    @AfterAll
    static void close() {
        rest.close();
    }

    private void put(int partition, String... messages) throws Exception {
        Answer put = rest.send(
                "POST",
                "/v1/topics/" + topic + "/partitions/" + partition + "/messages",
                json("{'messages':[" + String.join(",", messages) + "]}"));
        assertThat(put.status()).as(put.text()).isEqualTo(200);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private List<JsonNode> lines(String query) throws Exception {
        Answer answer = rest.get(search + query);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).isEqualTo("application/x-ndjson");
        List<JsonNode> lines = new ArrayList<>();
        for (String line : answer.text().split("\n")) {
            lines.add(RestFixture.JSON.readTree(line));
        }
        return lines;
    }

    private static List<JsonNode> messages(List<JsonNode> lines) {
        return lines.stream().filter(line -> line.has("offset")).toList();
    }

    private static JsonNode end(List<JsonNode> lines) {
        return lines.get(lines.size() - 1).get("end");
    }

    private List<String> values(String query) throws Exception {
        return messages(lines(query)).stream()
                .map(line -> line.path("value").asText())
                .toList();
    }

    @Test
    void allMessagesOfAllPartitionsMatchWithoutACondition() throws Exception {
        put(0, "{'value':'a'}", "{'value':'b'}");
        put(1, "{'value':'c','key':'k','headers':{'h':'1'}}");

        List<JsonNode> lines = lines("");

        assertThat(messages(lines))
                .extracting(line -> line.get("partition").intValue() + ":"
                        + line.get("offset").intValue() + "="
                        + line.get("value").textValue())
                .containsExactlyInAnyOrder("0:0=a", "0:1=b", "1:0=c");
        assertThat(end(lines).get("reason").textValue()).isEqualTo("end");
        assertThat(end(lines).get("scanned").intValue()).isEqualTo(3);
        assertThat(end(lines).get("matches").intValue()).isEqualTo(3);
        assertThat(end(lines).get("bytes").longValue()).isPositive();
        assertThat(end(lines).has("next")).isFalse();
    }

    @Test
    void emptyTopicIsLookedThroughAtOnce() throws Exception {
        List<JsonNode> lines = lines("?text=a");

        assertThat(lines).hasSize(1);
        assertThat(end(lines).get("reason").textValue()).isEqualTo("end");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "key=order-2|second",
                "key=order|",
                "header=trace|first,second",
                "header=TRACE:4bf9|second",
                "header=trace:4bf|",
                "text=ec|second",
                "text=ü|{\"n\":\"ü\",\"total\":12.5}",
                "text=Ü|",
                "jsonPath=$.total >= 12|{\"n\":\"ü\",\"total\":12.5}",
                "jsonPath=$.total > 12.5|",
                "key=order-2&text=ec&header=trace:4bf9|second",
                "key=order-2&text=first|",
                "where=[{\"field\":\"header\",\"name\":\"Trace\",\"is\":\"matches\",\"text\":\"^[0-9]$\"}]|first",
                "text=s&where=[{\"field\":\"key\",\"is\":\"contains\",\"text\":\"order\"},"
                        + "{\"field\":\"value\",\"is\":\"equals\",\"text\":\"first\",\"not\":true}]|second"
            })
    void messagesMatchIfAllHoldsThatIsAsked(String query, String expected) throws Exception {
        put(0, "{'value':'first','key':'order-1','headers':{'trace':'1'}}");
        put(0, "{'value':'second','key':'order-2','headers':{'trace':'4bf9'}}", "{'json':{'n':'ü','total':12.5}}");
        StringBuilder encoded = new StringBuilder();
        for (String each : query.split("&")) {
            int equals = each.indexOf('=');
            encoded.append(encoded.isEmpty() ? "?" : "&")
                    .append(each, 0, equals + 1)
                    .append(encoded(each.substring(equals + 1)));
        }

        List<String> wanted = expected == null
                ? List.of()
                : List.of(expected.startsWith("{") ? new String[] {expected} : expected.split(","));
        assertThat(values(encoded.toString())).containsExactlyElementsOf(wanted);
    }

    @ParameterizedTest
    @CsvSource({
        "from=earliest, 0 1 2 3 4",
        "from=3, 3 4",
        "from=latest-2, 3 4",
        "from=latest-99, 0 1 2 3 4",
        "from=latest, ''",
        "from=99, ''",
        "to=2, 0 1",
        "to=latest, 0 1 2 3 4",
        "from=1&to=3, 1 2",
        "from=3&to=1, ''",
        "from=0:4, 4",
        "from=2000-01-01T00:00:00Z, 0 1 2 3 4",
        "to=2000-01-01T00:00:00Z, ''"
    })
    void rangeIsByOffsetsTimesOrFromTheEnd(String query, String expected) throws Exception {
        for (int i = 0; i < 5; i++) {
            put(0, "{'value':'" + i + "'}");
        }

        assertThat(String.join(" ", values("?partitions=0&" + query))).isEqualTo(expected);
    }

    @Test
    void timeIsThatOfTheAppend() throws Exception {
        put(0, "{'value':'early'}");
        InstantSource clock = SystemTime.wallClock();
        Instant between = Instant.ofEpochMilli(clock.millis() + 1);
        await(() -> clock.millis() > between.toEpochMilli() + 1);
        put(0, "{'value':'late'}");

        assertThat(values("?from=" + between)).containsExactly("late");
        assertThat(values("?to=" + between)).containsExactly("early");
    }

    @Test
    void searchGoesOnWhereItsBoundHasEndedIt() throws Exception {
        for (int i = 0; i < 7; i++) {
            put(i % 2, "{'value':'" + i + "'}");
        }
        List<String> found = new ArrayList<>();
        String from = "earliest";
        List<JsonNode> lines;
        do {
            lines = lines("?limit=2&from=" + from);
            messages(lines).forEach(line -> found.add(line.get("value").textValue()));
            from = end(lines).path("next").asText();
        } while (end(lines).get("reason").textValue().equals("limit") && !from.isEmpty());

        assertThat(found).containsExactlyInAnyOrder("0", "1", "2", "3", "4", "5", "6");
    }

    @Test
    void bytesToLookThroughAreBounded() throws Exception {
        for (int i = 0; i < 5; i++) {
            put(0, "{'value':'" + "x".repeat(300_000) + "'}");
        }

        List<JsonNode> lines = lines("?text=y&maxBytes=500000");

        assertThat(end(lines).get("reason").textValue()).isEqualTo("bytes");
        assertThat(end(lines).get("scanned").intValue()).isBetween(1, 3);
        String next = end(lines).get("next").textValue();
        JsonNode rest = end(lines("?text=y&from=" + next));
        assertThat(end(lines).get("scanned").intValue() + rest.get("scanned").intValue())
                .isEqualTo(5);
    }

    @Test
    void largeMessageIsShownInPart() throws Exception {
        put(0, "{'value':'" + "ü".repeat(1_000) + "'}");

        JsonNode cut = messages(lines("?maxValueBytes=101")).get(0);
        JsonNode bytes = messages(lines("?maxValueBytes=101&as=base64")).get(0);
        JsonNode whole = messages(lines("?maxValueBytes=2000")).get(0);

        assertThat(cut.get("value").textValue()).isEqualTo("ü".repeat(50));
        assertThat(cut.get("truncated").booleanValue()).isTrue();
        assertThat(cut.get("size").intValue()).isEqualTo(2_000);
        assertThat(bytes.get("base64").binaryValue()).hasSize(100);
        assertThat(whole.get("value").textValue()).hasSize(1_000);
        assertThat(whole.has("truncated")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?limit=0",
                "?limit=10001",
                "?maxBytes=0",
                "?maxBytes=1073741825",
                "?maxSeconds=0",
                "?maxSeconds=301",
                "?maxValueBytes=-1",
                "?key=",
                "?text=",
                "?header=",
                "?header=:x",
                "?jsonPath=id",
                "?where=key",
                "?where=%5B%7B%22field%22:%22tag%22,%22is%22:%22exists%22%7D%5D",
                "?partitions=a",
                "?partitions=1,",
                "?from=yesterdayish",
                "?from=latest-",
                "?from=0:1,0:2",
                "?to=-1",
                "?as=xml",
                "?text=a&text=b",
                "?unknown=1"
            })
    void parametersOutsideTheirBoundsAreRefused(String query) throws Exception {
        Answer refused = rest.get(search + query);

        assertThat(refused.status()).as(refused.text()).isEqualTo(400);
        assertThat(refused.json().get("detail").textValue()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"partitions=0,", "from=1:1,", "to=1:1,"})
    void longListIsRefusedLikeAShortOne(String list) throws Exception {
        String place = list.substring(list.indexOf('=') + 1);

        Answer refused = rest.get(search + "?" + list + place.repeat(10_000 / place.length()));

        assertThat(refused.status()).as(refused.text()).isEqualTo(400);
    }

    @Test
    void partitionThatIsNotThereIsNotFound() throws Exception {
        assertThat(rest.get(search + "?partitions=2").status()).isEqualTo(404);
        assertThat(rest.get("/v1/topics/nothing/search").status()).isEqualTo(404);
    }

    private static String user(String name) throws Exception {
        JsonNode made =
                rest.send("POST", "/v1/users", json("{'user':'" + name + "'}")).json();
        return basic(made.get("accessKey").textValue(), made.get("secretKey").textValue());
    }

    @Test
    void searchIsForWhoMayGet() throws Exception {
        put(0, "{'value':'secret'}");
        String ann = user(topic);
        rest.send("PUT", "/v1/topics/" + topic + "/permissions/" + topic, json("{'put':true}"));
        rest.as(ann);
        Answer refused = rest.get(search);
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.text()).doesNotContain("secret");
        rest.asAdmin();

        assertThat(rest.send("PUT", "/v1/topics/" + topic + "/permissions/" + topic, json("{'get':true}"))
                        .status())
                .isEqualTo(204);

        rest.as(ann);
        assertThat(values("")).containsExactly("secret");
    }

    @Test
    void bytesThatAreLookedThroughCountAsGot() throws Exception {
        String ann = user(topic);
        rest.send("PUT", "/v1/topics/" + topic + "/permissions/" + topic, json("{'get':true}"));
        rest.send("PUT", "/v1/quotas/users/" + topic, json("{'getBytesPerSecond':100000}"));
        for (int i = 0; i < 6; i++) {
            put(0, "{'value':'" + "x".repeat(250_000) + "'}");
        }
        rest.as(ann);

        List<JsonNode> lines = lines("?text=y");

        assertThat(end(lines).get("reason").textValue()).isEqualTo("quota");
        assertThat(end(lines).get("next").textValue()).startsWith("0:");
    }

    /** A socket that has asked and reads nothing unless the test calls it. Confined: the test. */
    private Socket asked(String query) throws Exception {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4 << 10);
        socket.connect(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), rest.server.uri().getPort()));
        OutputStream out = socket.getOutputStream();
        out.write(("GET " + search + query + " HTTP/1.1\r\nHost: x\r\nAuthorization: " + rest.authorization()
                        + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        out.flush();
        return socket;
    }

    private double metric(String name) throws Exception {
        String text = new String(
                rest.server
                        .managementUri()
                        .resolve("/metrics")
                        .toURL()
                        .openStream()
                        .readAllBytes(),
                StandardCharsets.UTF_8);
        return text.lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow();
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(condition);
    }

    private void awaitMetric(String name, double value) {
        await(() -> metric(name) == value);
    }

    @Test
    void clientsThatReadNothingHoldAPieceEachAndTheFifthSearchOfAUserIsRefused() throws Exception {
        List<Socket> silent = silentSearches("");

        Answer refused = rest.get(search);

        assertThat(refused.json().get("code").textValue()).isEqualTo("too-many-searches");
        assertThat(metric("talos_http_request_memory_bytes")).isLessThan(16 << 20);
        put(0, "{'value':'goes on'}");

        reset(silent);
        await(() -> rest.get(search + "?from=latest").status() == 200);
        awaitMetric("talos_http_open_streams", 0);
        awaitMetric("talos_http_request_memory_bytes", 0);
    }

    /** As many searches as a user may have, whose clients read nothing. */
    private List<Socket> silentSearches(String more) throws Exception {
        for (int i = 0; i < 40; i++) {
            put(0, "{'value':'" + "x".repeat(250_000) + "'}");
        }
        List<Socket> silent = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            silent.add(asked("?limit=10000&maxValueBytes=250000" + more));
        }
        await(() -> rest.get(search).status() == 429);
        return silent;
    }

    /** Resets connections, whose clients have left then. */
    private static void reset(List<Socket> connections) throws Exception {
        for (Socket each : connections) {
            each.setSoLinger(true, 0);
            each.close();
        }
    }

    @Test
    void searchesThatNobodyReadsKeepTheirPlacesUntilTheirTimeIsOver() throws Exception {
        List<Socket> silent = silentSearches("&maxSeconds=5");

        await(() -> rest.get(search + "?from=latest").status() == 200);

        assertThat(metric("talos_http_open_streams")).as("they are still there").isGreaterThanOrEqualTo(4);
        reset(silent);
        awaitMetric("talos_http_open_streams", 0);
        awaitMetric("talos_http_request_memory_bytes", 0);
    }

    @Test
    void manySearchesAtOnceAreAllAnsweredAndGiveTheirMemoryBack() throws Exception {
        Map<String, String> users = new HashMap<>();
        for (int i = 0; i < 10; i++) {
            String name = topic + "-" + i;
            users.put(name, user(name));
            rest.send("PUT", "/v1/topics/" + topic + "/permissions/" + name, json("{'get':true}"));
        }
        for (int i = 0; i < 20; i++) {
            put(i % 2, "{'value':'" + "x".repeat(200_000) + "'}", "{'value':'needle " + i + "'}");
        }
        List<Socket> asked = new ArrayList<>();
        for (String authorization : users.values()) {
            rest.as(authorization);
            asked.add(asked("?text=needle"));
        }
        rest.asAdmin();

        for (Socket each : asked) {
            InputStream in = each.getInputStream();
            StringBuilder text = new StringBuilder();
            while (text.indexOf("\"end\":") < 0) {
                byte[] some = in.readNBytes(1);
                assertThat(some).as("the answer's end").isNotEmpty();
                text.append((char) some[0]);
            }
            assertThat(text.toString().split("needle", -1)).hasSize(21);
            each.close();
        }
        awaitMetric("talos_http_request_memory_bytes", 0);
    }
}

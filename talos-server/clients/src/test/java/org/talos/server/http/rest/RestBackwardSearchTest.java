// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.basic;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

/** Searching messages over REST from the newest to the oldest, by a real server and client. */
@Timeout(90)
class RestBackwardSearchTest {
    private static final AtomicInteger TOPICS = new AtomicInteger();

    @TempDir
    private static Path data;

    private static RestFixture rest;

    private final String topic = "orders-" + TOPICS.incrementAndGet();
    private final String search = "/v1/topics/" + topic + "/search?direction=backward";

    @BeforeAll
    static void start() throws Exception {
        // A tail in memory of next to nothing: what is searched comes from storage.
        rest = new RestFixture(data, Map.of("LOG_TAILCACHEBYTES", "1KiB", "HTTP_MAXREQUESTMEMORYBYTES", "64MiB"));
    }

    @BeforeEach
    void createTopic() throws Exception {
        rest.asAdmin();
        rest.createTopic(topic, 3);
    }

    @AfterAll
    static void close() {
        rest.close();
    }

    /** Puts messages as one block. */
    private void put(int partition, String... values) throws Exception {
        String messages = List.of(values).stream()
                .map(value -> "{'value':'" + value + "'}")
                .collect(Collectors.joining(","));
        Answer put = rest.send(
                "POST",
                "/v1/topics/" + topic + "/partitions/" + partition + "/messages",
                json("{'messages':[" + messages + "]}"));
        assertThat(put.status()).as(put.text()).isEqualTo(200);
    }

    private List<JsonNode> lines(String query) throws Exception {
        Answer answer = rest.get(search + query);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        List<JsonNode> lines = new ArrayList<>();
        for (String line : answer.text().split("\n")) {
            lines.add(RestFixture.JSON.readTree(line));
        }
        return lines;
    }

    private static List<String> values(List<JsonNode> lines) {
        return lines.stream()
                .filter(line -> line.has("offset"))
                .map(line -> line.path("value").asText())
                .toList();
    }

    private static JsonNode end(List<JsonNode> lines) {
        return lines.get(lines.size() - 1).path("end");
    }

    /** Waits until what is put next has a later append time. */
    private static void passAMillisecond() {
        InstantSource clock = SystemTime.wallClock();
        long now = clock.millis();
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> clock.millis() > now);
    }

    @Test
    void newestMatchesComeFirstAlthoughOlderOnesAreManyMore() throws Exception {
        String[] old = IntStream.range(0, 2_000).mapToObj(i -> "a-" + i).toArray(String[]::new);
        put(0, old);
        passAMillisecond();
        put(1, "b", "a-newer");
        put(2, "b");

        List<JsonNode> lines = lines("&text=a-&limit=3");

        assertThat(values(lines)).containsExactly("a-newer", "a-1999", "a-1998");
        assertThat(end(lines).path("reason").asText()).isEqualTo("limit");
        assertThat(end(lines).path("matches").asInt()).isEqualTo(3);
        assertThat(end(lines).path("next").asText()).isEqualTo("0:1998");
    }

    @Test
    void searchContinuesAtOlderMessagesFromWhereItsBoundHasEndedIt() throws Exception {
        List<String> newestFirst = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            put(i % 2, i + "a", i + "b");
            newestFirst.add(0, i + "a");
            newestFirst.add(0, i + "b");
        }
        List<String> found = new ArrayList<>();
        String from = "";
        List<JsonNode> lines;
        do {
            lines = lines("&limit=5" + (from.isEmpty() ? "" : "&from=" + from));
            found.addAll(values(lines));
            from = end(lines).path("next").asText();
        } while (!from.isEmpty());

        assertThat(found).containsExactlyInAnyOrderElementsOf(newestFirst);
        assertThat(found.stream().filter(each -> each.matches("(0|2|4|6|8|10)[ab]")))
                .containsExactlyElementsOf(newestFirst.stream()
                        .filter(each -> each.matches("(0|2|4|6|8|10)[ab]"))
                        .toList());
        assertThat(end(lines).path("reason").asText()).isEqualTo("end");
    }

    @Test
    void matchInTheMiddleOfABlockIsFoundAndTheSearchContinuesBeforeIt() throws Exception {
        put(0, "x", "needle 1", "x", "needle 2", "x");

        List<JsonNode> first = lines("&text=needle&limit=1");
        List<JsonNode> second =
                lines("&text=needle&limit=1&from=" + end(first).path("next").asText());

        assertThat(values(first)).containsExactly("needle 2");
        assertThat(end(first).path("next").asText()).isEqualTo("0:3");
        assertThat(values(second)).containsExactly("needle 1");
    }

    @Test
    void searchProgressesWithAnyBound() throws Exception {
        for (int i = 0; i < 4; i++) {
            put(i % 2, i + "x".repeat(300_000));
        }
        List<String> found = new ArrayList<>();
        int searches = 0;
        String from = "";
        do {
            List<JsonNode> lines = lines("&maxBytes=1&partitions=0,1" + (from.isEmpty() ? "" : "&from=" + from));
            values(lines).forEach(each -> found.add(each.substring(0, 1)));
            from = end(lines).path("next").asText();
            searches++;
        } while (!from.isEmpty());

        assertThat(found).containsExactlyInAnyOrder("0", "1", "2", "3");
        assertThat(searches).isLessThanOrEqualTo(5);
    }

    @Test
    void bytesToSearchAreBoundedAndTheRestIsSearchedFromThere() throws Exception {
        for (int i = 0; i < 10; i++) {
            put(0, "x".repeat(300_000));
        }

        List<JsonNode> lines = lines("&text=y&maxBytes=900000");

        assertThat(end(lines).path("reason").asText()).isEqualTo("bytes");
        assertThat(end(lines).path("scanned").asInt()).isBetween(1, 4);
        JsonNode rest = end(lines("&text=y&from=" + end(lines).path("next").asText()));
        assertThat(end(lines).path("scanned").asInt() + rest.path("scanned").asInt())
                .isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({
        "from=latest, 4 3 2 1 0",
        "from=latest-2, 2 1 0",
        "from=3, 2 1 0",
        "from=99, 4 3 2 1 0",
        "from=0, ''",
        "to=2, 4 3 2",
        "to=latest-2, 4 3",
        "from=3&to=1, 2 1",
        "from=3&to=3, ''",
        "from=0:2, 1 0",
        "from=2000-01-01T00:00:00Z, ''",
        "to=2000-01-01T00:00:00Z, 4 3 2 1 0",
        "limit=2, 4 3"
    })
    void rangeEndsBeforeItsBeginning(String query, String expected) throws Exception {
        for (int i = 0; i < 5; i++) {
            put(0, Integer.toString(i));
        }

        assertThat(String.join(" ", values(lines("&partitions=0&" + query)))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "&from=earliest",
                "&to=latest",
                "&from=1&to=3",
                "&from=latest-5&to=latest-3",
                "&from=2h&to=1h",
                "&direction=forward"
            })
    void placesWithNothingBetweenThemAreRefused(String query) throws Exception {
        Answer refused = rest.get(search + query);

        assertThat(refused.status()).as(refused.text()).isEqualTo(400);
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.json().get("detail").textValue()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "up", "BACKWARD"})
    void directionIsForwardOrBackward(String direction) throws Exception {
        Answer refused = rest.get("/v1/topics/" + topic + "/search?direction=" + direction);

        assertThat(refused.status()).as(refused.text()).isEqualTo(400);
        assertThat(refused.json().get("detail").textValue()).contains("forward or backward");
    }

    private static String user(String name) throws Exception {
        JsonNode made =
                rest.send("POST", "/v1/users", json("{'user':'" + name + "'}")).json();
        return basic(made.get("accessKey").textValue(), made.get("secretKey").textValue());
    }

    @Test
    void readerWithoutTheRightIsRefused() throws Exception {
        put(0, "secret");
        String ann = user(topic);
        rest.send("PUT", "/v1/topics/" + topic + "/permissions/" + topic, json("{'put':true}"));
        rest.as(ann);

        Answer refused = rest.get(search);

        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.text()).doesNotContain("secret");
    }

    @Test
    void searchedBytesCountAsGot() throws Exception {
        String ann = user(topic);
        rest.send("PUT", "/v1/topics/" + topic + "/permissions/" + topic, json("{'get':true}"));
        rest.send("PUT", "/v1/quotas/users/" + topic, json("{'getBytesPerSecond':100000}"));
        for (int i = 0; i < 6; i++) {
            put(0, "x".repeat(250_000));
        }
        rest.as(ann);

        List<JsonNode> lines = lines("&text=y");

        assertThat(end(lines).path("reason").asText()).isEqualTo("quota");
        assertThat(end(lines).path("scanned").asInt()).isPositive();
        assertThat(end(lines).path("next").asText()).startsWith("0:").isNotEqualTo("0:6");
    }

    @Test
    void emptyTopicIsSearchedAtOnce() throws Exception {
        List<JsonNode> lines = lines("&text=a");

        assertThat(lines).hasSize(1);
        assertThat(end(lines).path("reason").asText()).isEqualTo("end");
    }
}

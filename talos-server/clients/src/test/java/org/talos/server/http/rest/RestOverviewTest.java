// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.basic;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the current and earlier state of a server over REST. All tests share one server, as its history gets a point
 * every five seconds.
 */
@Timeout(90)
class RestOverviewTest {
    private static final String HISTORY = "/v1/overview/history";
    private static final String GROUP = "/v1/topics/orders/groups/shop";

    @TempDir
    private static Path data;

    private static RestFixture rest;
    private static String ann;

    @BeforeAll
    static void start() throws Exception {
        rest = new RestFixture(data, Map.of("METRICS_TOPICS", "ord*", "METRICS_INTERVAL", "100ms"));
        rest.createTopic("orders", 2);
        rest.createTopic("others", 1);
        JsonNode made = rest.send("POST", "/v1/users", json("{'user':'ann'}")).json();
        ann = basic(made.get("accessKey").textValue(), made.get("secretKey").textValue());
        for (int i = 0; i < 3; i++) {
            rest.send(
                    "POST",
                    "/v1/topics/orders/partitions/0/messages",
                    json("{'messages':[{'value':'a'},{'value':'b'}]}"));
        }
        rest.send("POST", GROUP + "/reset", json("{'offset':2,'partitions':[0]}"));
        // What the first point has to have, so that no test waits for another one.
        rest.get(GROUP + "/history"); // first: a round that comes in between is one that measures groups
        rest.get("/v1/topics/orders/history");
        rest.get("/v1/topics/orders/partitions/0/messages");
        rest.get("/v1/topics/nothing");
    }

    @AfterAll
    static void close() {
        rest.close();
    }

    @BeforeEach
    void asAdmin() {
        rest.asAdmin();
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(condition);
    }

    @Test
    void administratorSeesHowTheServerIs() throws Exception {
        await(() -> rest.get("/v1/overview").json().at("/storage/usedBytes").asLong() > 0);

        JsonNode overview = rest.get("/v1/overview").json();

        assertThat(overview.get("ready").booleanValue()).isTrue();
        assertThat(Instant.parse(overview.get("startedAt").textValue())).isNotNull();
        assertThat(overview.get("uptimeSeconds").longValue()).isNotNegative();
        assertThat(overview.get("checks").findValuesAsText("name")).contains("cluster", "memory");
        assertThat(overview.get("checks")).allSatisfy(check -> {
            assertThat(check.get("ok").booleanValue()).as(check.toString()).isTrue();
            assertThat(check.has("reason")).isFalse();
        });
        assertThat(overview.at("/partitions/serving").longValue()).isEqualTo(3);
        assertThat(overview.at("/storage/freeBytes").longValue()).isPositive();
        assertThat(overview.get("events").findValuesAsText("text")).contains("this server: ready");
        assertThat(overview.get("capacity").findValuesAsText("operation")).containsExactly("put", "get", "other");
        assertThat(overview.get("processors").intValue()).isPositive();
        assertThat(overview.get("utilisation").doubleValue()).isEqualTo(0.9);
    }

    @Test
    void settingsSayWhatIsNotTheDefault() throws Exception {
        Map<String, JsonNode> settings = new HashMap<>();
        rest.get("/v1/overview/settings")
                .json()
                .get("settings")
                .forEach(each -> settings.put(each.get("key").textValue(), each));

        assertThat(settings.get("metrics.topics"))
                .isEqualTo(RestFixture.JSON.readTree(
                        json("{'key':'metrics.topics','value':'ord*','usual':'','changed':true}")));
        assertThat(settings.get("console.enabled"))
                .isEqualTo(RestFixture.JSON.readTree(
                        json("{'key':'console.enabled','value':'true','usual':'true','changed':false}")));
    }

    @Test
    void settingsAreForAdministrators() throws Exception {
        rest.as(ann);

        assertThat(rest.get("/v1/overview/settings").status()).isEqualTo(403);
    }

    @Test
    void userLearnsThatItIsThereAndNothingOfOthers() throws Exception {
        rest.as(ann);

        List<String> names = new ArrayList<>();
        rest.get("/v1/overview").json().fieldNames().forEachRemaining(names::add);

        assertThat(names).containsExactly("version", "startedAt", "uptimeSeconds", "ready");
        assertThat(rest.get(HISTORY).status()).isEqualTo(403);
        assertThat(rest.get("/v1/topics/orders/history").status()).isEqualTo(403);
        assertThat(rest.get(GROUP + "/history").status()).isEqualTo(403);
        rest.as("");
        assertThat(rest.get("/v1/overview").status()).isEqualTo(401);
    }

    @Test
    void historyHasAPointOfEachFigureForEachStep() throws Exception {
        await(() ->
                !rest.get(HISTORY + "?figures=lag").json().at("/figures/lag").isEmpty());

        JsonNode history = rest.get(HISTORY).json();

        assertThat(history.get("stepSeconds").intValue()).isEqualTo(5);
        assertThat(Instant.parse(history.get("end").textValue())).isNotNull();
        assertThat(history.get("figures")).hasSize(18);
        history.get("figures").forEach(points -> assertThat(points.size()).isBetween(1, 720));
        assertThat(history.at("/figures/cpu/0").isNumber()).isTrue();
        assertThat(history.at("/figures/heapBytes/0").longValue()).isPositive();
    }

    @Test
    void putsAndGetsAreInTheHistory() throws Exception {
        await(() -> {
            rest.send("POST", "/v1/topics/others/partitions/0/messages", json("{'messages':[{'value':'a'}]}"));
            rest.get("/v1/topics/others/partitions/0/messages");
            JsonNode figures = rest.get(HISTORY).json().get("figures");
            return isSomewherePositive(figures.get("putsPerSecond"))
                    && isSomewherePositive(figures.get("putMillisP99"))
                    && isSomewherePositive(figures.get("putBytesPerSecond"))
                    && isSomewherePositive(figures.get("getMessagesPerSecond"))
                    && isSomewherePositive(figures.get("getMillisP50"))
                    && isSomewherePositive(figures.get("lag"))
                    && isSomewherePositive(figures.get("storedBytes"));
        });
    }

    private static boolean isSomewherePositive(JsonNode points) {
        for (JsonNode each : points) {
            if (each.doubleValue() > 0) {
                return true;
            }
        }
        return false;
    }

    @Test
    void refusalsAreInTheHistory() throws Exception {
        await(() -> {
            rest.get("/v1/topics/nothing");
            return isSomewherePositive(rest.get(HISTORY).json().at("/figures/refusedPerSecond"));
        });
        assertThat(isSomewherePositive(rest.get(HISTORY).json().at("/figures/errorsPerSecond")))
                .isFalse();
    }

    @Test
    void topicAndGroupAreWatchedFromTheFirstQuestionOn() throws Exception {
        assertThat(rest.get("/v1/topics/orders/history").status()).isEqualTo(200);
        assertThat(rest.get(GROUP + "/history").status()).isEqualTo(200);

        await(() -> !rest.get(GROUP + "/history").json().at("/figures/lag").isEmpty()
                && !rest.get("/v1/topics/orders/history")
                        .json()
                        .at("/figures/messages")
                        .isEmpty());

        assertThat(rest.get(GROUP + "/history?figures=lag")
                        .json()
                        .at("/figures/lag/0")
                        .longValue())
                .isEqualTo(4);
        JsonNode topic = rest.get("/v1/topics/orders/history").json().get("figures");
        assertThat(topic.at("/messages/0").longValue()).isEqualTo(6);
        assertThat(topic.at("/bytes/0").longValue()).isPositive();
        assertThat(topic.at("/putsPerSecond/0").isNull())
                .as("a rate needs two looks")
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                HISTORY + "?figures=",
                HISTORY + "?figures=lag,",
                HISTORY + "?figures=nothing",
                "/v1/topics/orders/history?figures=lag",
                GROUP + "/history?figures=bytes",
                HISTORY + "?from=0"
            })
    void figuresThatThereAreNotAreRefused(String path) throws Exception {
        assertThat(rest.get(path).status()).isEqualTo(400);
    }

    @Test
    void whatIsNotThereHasNoHistory() throws Exception {
        assertThat(rest.get("/v1/topics/nothing/history").status()).isEqualTo(404);
        assertThat(rest.get("/v1/topics/orders/groups/nobody/history").status()).isEqualTo(404);
    }

    private static String exported() throws Exception {
        return new String(
                rest.server
                        .managementUri()
                        .resolve("/metrics")
                        .toURL()
                        .openStream()
                        .readAllBytes(),
                StandardCharsets.UTF_8);
    }

    @Test
    void metricsOfTopicsAreThoseThatAreNamed() throws Exception {
        await(() -> exported().contains("talos_group_lag{group=\"shop\",topic=\"orders\"} 4"));

        assertThat(exported())
                .contains("talos_topic_messages{topic=\"orders\"} 6")
                .contains("talos_topic_bytes{topic=\"orders\"}")
                .contains("talos_topic_put_messages_total{topic=\"orders\"}")
                .doesNotContain("topic=\"others\"");
    }

    @Test
    void whatIsGotFromATopicThatIsNamedIsCounted() throws Exception {
        await(() -> {
            rest.get("/v1/topics/orders/partitions/0/messages");
            return exported()
                    .lines()
                    .anyMatch(line -> line.matches("talos_topic_get_bytes_total\\{topic=\"orders\"} [1-9].*"));
        });
    }
}

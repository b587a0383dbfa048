// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.common.name.Partitioner;
import org.talos.server.http.rest.RestFixture.Answer;

/** Tests to which partitions puts over REST go by their keys, and how a topic describes that. */
@Timeout(60)
class RestKeysTest {
    private static final List<String> KEYS = List.of("k1", "k2", "customer-000003");

    @TempDir
    private static Path data;

    private static RestFixture rest;

    @BeforeAll
    static void start() throws Exception {
        rest = new RestFixture(data);
    }

    @AfterAll
    static void close() {
        rest.close();
    }

    private static String toTopic(String topic) {
        return "/v1/topics/" + topic + "/messages";
    }

    private static void put(String topic, List<String> keys) throws Exception {
        String messages =
                keys.stream().map(key -> "{'value':'v','key':'" + key + "'}").collect(Collectors.joining(","));
        Answer stored = rest.send("POST", toTopic(topic), json("{'messages':[" + messages + "]}"));
        assertThat(stored.status()).as(stored.text()).isEqualTo(200);
    }

    private static List<Integer> messagesByPartition(String topic) throws Exception {
        List<Integer> counts = new ArrayList<>();
        for (JsonNode state : rest.get("/v1/topics/" + topic).json().get("partitionStates")) {
            counts.add(state.get("messages").intValue());
        }
        return counts;
    }

    @ParameterizedTest
    @ValueSource(strings = {"customer-%06d", "k%d"})
    void keysOfOneFormSpreadEvenlyOverATopicMadeByRest(String form) throws Exception {
        String topic = "even-" + form.charAt(0);
        rest.createTopic(topic, 4);

        put(
                topic,
                IntStream.range(0, 1_000)
                        .mapToObj(key -> String.format(Locale.ROOT, form, key))
                        .toList());

        assertThat(messagesByPartition(topic)).hasSize(4).allMatch(count -> count <= 375);
    }

    @Test
    void topicMadeByRestSaysHowItsKeysArePlacedAndPutsOfAllKindsGoThere() throws Exception {
        rest.createTopic("placed", 7);

        JsonNode shown = rest.get("/v1/topics/placed").json();
        assertThat(shown.get("partitioner").textValue()).isEqualTo("murmur2");
        assertThat(shown.get("attributes").get("talos.partitioner").textValue()).isEqualTo("murmur2");
        for (String key : KEYS) {
            assertThat(placesOf("placed", key)).as(key).containsOnly(Partitioner.MURMUR2.partition(key, 7));
        }
    }

    @Test
    void topicMayBePlacedAsByThePublicSdks() throws Exception {
        make("theirs", "sdk", 7);

        assertThat(rest.get("/v1/topics/theirs").json().get("partitioner").textValue())
                .isEqualTo("sdk");
        for (String key : KEYS) {
            assertThat(placesOf("theirs", key)).as(key).containsOnly(Partitioner.SDK.partition(key, 7));
        }
    }

    /** A batch, a message of bytes, a line. */
    private static List<Integer> placesOf(String topic, String key) throws Exception {
        Answer batch = rest.send("POST", toTopic(topic), json("{'messages':[{'value':'v','key':'" + key + "'}]}"));
        Answer bytes = rest.post(toTopic(topic), BodyPublishers.ofString("v"), "Talos-Key", key);
        Answer line = rest.post(
                toTopic(topic),
                BodyPublishers.ofString(json("{'value':'v','key':'" + key + "'}\n")),
                "Content-Type",
                "application/x-ndjson");
        return List.of(
                batch.json().get("messages").get(0).get("partition").intValue(),
                bytes.json().get("partition").intValue(),
                line.json().get("partition").intValue());
    }

    private static Answer make(String topic, String partitioner, int partitions) throws Exception {
        return rest.send(
                "POST",
                "/v1/topics",
                json("{'name':'" + topic + "','partitions':" + partitions + ",'attributes':{'talos.partitioner':'"
                        + partitioner + "'}}"));
    }

    @Test
    void unknownPartitionerIsRefusedByName() throws Exception {
        Answer refused = make("unknown", "crc32", 2);

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().get("detail").textValue())
                .contains("talos.partitioner: crc32 (expected: sdk or murmur2)");
        assertThat(rest.get("/v1/topics/unknown").status()).isEqualTo(404);
    }

    @Test
    void partitionerStaysUnlessThereIsOnePartition() throws Exception {
        rest.createTopic("several", 2);
        rest.createTopic("single", 1);
        String change = json("{'attributes':{'talos.partitioner':'sdk'}}");

        Answer refused = rest.send("PATCH", "/v1/topics/several", change);
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().get("detail").textValue())
                .contains("they would move between the topic's 2 partitions");
        Answer changed = rest.send("PATCH", "/v1/topics/single", change);
        assertThat(changed.json().get("partitioner").textValue()).isEqualTo("sdk");
    }

    @ParameterizedTest
    @ValueSource(strings = {"murmur2", "sdk"})
    void identitiesOfOneFormSpreadAndARepetitionGoesWhereTheFirstWent(String partitioner) throws Exception {
        String topic = "once-" + partitioner;
        make(topic, partitioner, 4);
        Set<Integer> places = new HashSet<>();

        for (int i = 0; i < 32; i++) {
            String[] identity = {"Idempotency-Key", "order-" + i};
            String stored = rest.post(toTopic(topic), BodyPublishers.ofString("v"), identity)
                    .text();
            assertThat(rest.post(toTopic(topic), BodyPublishers.ofString("v"), identity)
                            .text())
                    .isEqualTo(stored);
            places.add(RestFixture.JSON.readTree(stored).get("partition").intValue());
        }

        assertThat(places).hasSize(4);
        assertThat(messagesByPartition(topic).stream()
                        .mapToInt(Integer::intValue)
                        .sum())
                .isEqualTo(32);
    }

    @Test
    void putsWithKeysTakeNoTurnOfThoseWithout() throws Exception {
        rest.createTopic("turns", 2);
        Set<Integer> places = new HashSet<>();

        for (int i = 0; i < 2; i++) {
            put("turns", List.of("k"));
            places.add(rest.post(toTopic("turns"), BodyPublishers.ofString("v"))
                    .json()
                    .get("partition")
                    .intValue());
        }

        assertThat(places).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void skewIsShownOnceThereAreMessages() throws Exception {
        rest.createTopic("skewed", 4);
        assertThat(rest.get("/v1/topics/skewed").json().has("skew")).isFalse();

        put("skewed", List.of("a", "a", "a"));

        JsonNode skew = rest.get("/v1/topics/skewed").json().get("skew");
        for (String of : List.of("messages", "bytes")) {
            assertThat(skew.get(of).get("partition").intValue()).isEqualTo(Partitioner.MURMUR2.partition("a", 4));
            assertThat(skew.get(of).get("share").doubleValue()).isEqualTo(1);
            assertThat(skew.get(of).get("mean").doubleValue()).isEqualTo(0.25);
        }
    }
}

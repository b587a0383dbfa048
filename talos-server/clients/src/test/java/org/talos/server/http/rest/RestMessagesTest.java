// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.TalosClient;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.common.name.Partitioner;
import org.talos.server.http.rest.RestFixture.Answer;

/** Messages over REST, and what the SDKs' side sees of them. */
@Timeout(60)
class RestMessagesTest {
    private static final AtomicInteger TOPICS = new AtomicInteger();

    @TempDir
    private static Path data;

    private static RestFixture rest;

    private final String topic = "orders-" + TOPICS.incrementAndGet();
    private final String toTopic = "/v1/topics/" + topic + "/messages";
    private final String first = "/v1/topics/" + topic + "/partitions/0/messages";

    @BeforeAll
    static void start() throws Exception {
        rest = new RestFixture(data);
    }

    @BeforeEach
    void createTopic() throws Exception {
        rest.asAdmin();
        rest.createTopic(topic, 4);
    }

    @AfterAll
    static void close() {
        rest.close();
    }

    private Answer put(String path, String body) throws Exception {
        return rest.send("POST", path, json(body));
    }

    private static List<String> values(JsonNode read) {
        List<String> values = new ArrayList<>();
        read.get("messages").forEach(each -> values.add(each.get("value").textValue()));
        return values;
    }

    @Test
    void batchIsStoredInOrderAndEachMessageToldItsPlace() throws Exception {
        Answer stored = put(first, "{'messages':[{'value':'a'},{'value':'b'}]}");
        put(first, "{'messages':[{'value':'c'}]}");

        assertThat(stored.status()).isEqualTo(200);
        assertThat(stored.text())
                .isEqualTo(json("{'messages':[{'partition':0,'offset':0},{'partition':0,'offset':1}]}"));
        JsonNode read = rest.get(first).json();
        assertThat(values(read)).containsExactly("a", "b", "c");
        assertThat(read.get("start").longValue()).isZero();
        assertThat(read.get("end").longValue()).isEqualTo(3);
        assertThat(read.get("next").longValue()).isEqualTo(3);
    }

    @Test
    void everythingOfAMessageComesBack() throws Exception {
        put(
                first,
                "{'messages':[{'base64':'/wD+','key':'k','tag':'t','timestamp':1700000000000,'headers':{'Trace':'é'}},"
                        + "{'json':{'n':1.50}}]}");

        Answer answer = rest.get(first + "?as=json");
        JsonNode read = answer.json().get("messages");
        assertThat(read.get(0).get("base64").textValue()).isEqualTo("/wD+");
        assertThat(read.get(0).get("key").textValue()).isEqualTo("k");
        assertThat(read.get(0).get("tag").textValue()).isEqualTo("t");
        assertThat(read.get(0).get("timestamp").longValue()).isEqualTo(1_700_000_000_000L);
        assertThat(read.get(0).get("headers").get("trace").textValue()).isEqualTo("é");
        assertThat(answer.text()).as("numbers as they came").contains("{\"n\":1.50}");
        assertThat(read.get(1).get("headers").get("content-type").textValue()).isEqualTo("application/json");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 127, 128, 10_000, 16_384, 2_100_000})
    void rawBytesComeBackAsTheyWere(int length) throws Exception {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);

        Answer stored = rest.post(
                first,
                BodyPublishers.ofByteArray(bytes),
                "Content-Type",
                "image/png",
                "Talos-Key",
                "sch%C3%B6n",
                "Talos-Tag",
                "t",
                "Talos-Timestamp",
                "1700000000000",
                "Talos-Header-Trace",
                "x".repeat(400));

        assertThat(stored.status()).as(stored.text()).isEqualTo(201);
        assertThat(stored.header("Location")).isEqualTo(first + "/0");
        Answer one = rest.get(first + "/0");
        assertThat(one.response().body()).isEqualTo(bytes);
        assertThat(one.header("Content-Type")).isEqualTo("image/png");
        assertThat(one.header("Talos-Key")).isEqualTo("sch%C3%B6n");
        assertThat(one.header("Talos-Tag")).isEqualTo("t");
        assertThat(one.header("Talos-Timestamp")).isEqualTo("1700000000000");
        assertThat(one.header("Talos-Header-Trace")).hasSize(400);
        assertThat(one.header("Content-Security-Policy")).isEqualTo("sandbox");
    }

    @Test
    void rawBytesWithMoreHeadersThanTheRoomHoldsComeBackToo() throws Exception {
        Answer stored = rest.post(
                first,
                BodyPublishers.ofString("body"),
                "Talos-Header-A",
                "a".repeat(3_000),
                "Talos-Key",
                "k".repeat(256));

        assertThat(stored.status()).isEqualTo(201);
        assertThat(rest.get(first + "/0").text()).isEqualTo("body");
        assertThat(rest.get(first + "/0").header("Talos-Header-A")).hasSize(3_000);
    }

    @Test
    void keyDecidesThePartition() throws Exception {
        JsonNode stored = put(toTopic, "{'messages':[{'value':'a','key':'k1'},{'value':'b','key':'other'}]}")
                .json()
                .get("messages");

        assertThat(stored.get(0).get("partition").intValue()).isEqualTo(Partitioner.MURMUR2.partition("k1", 4));
        assertThat(stored.get(1).get("partition").intValue()).isEqualTo(Partitioner.MURMUR2.partition("other", 4));
    }

    @Test
    void putsWithoutKeysGoToOnePartitionAfterAnother() throws Exception {
        List<Integer> partitions = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            partitions.add(rest.post(toTopic, BodyPublishers.ofString("x"))
                    .json()
                    .get("partition")
                    .intValue());
        }

        assertThat(partitions).containsExactlyInAnyOrder(0, 1, 2, 3);
    }

    @Test
    void sdksSeeWhatRestHasPut() throws Exception {
        put(first, "{'messages':[{'value':'first','key':'k','headers':{'a':'b'}}]}");
        rest.post(first, BodyPublishers.ofString("second"), "Talos-Header-A", "b");

        TopicDescription described = rest.server.admin().describeTopic(topic);
        List<FetchedMessage> fetched =
                new SimpleConsumer(new TalosClient(rest.server.endpoint()).once(), described, 0).fetch(0, 10);
        assertThat(fetched).extracting(FetchedMessage::text).containsExactly("first", "second");
    }

    @ParameterizedTest
    @EnumSource
    void restSeesWhatAnSdkHasPut(Compression compression) throws Exception {
        TopicDescription described = rest.server.admin().describeTopic(topic);
        new SimpleProducer(new TalosClient(rest.server.endpoint()).once(), described, compression)
                .put(0, List.of(OutgoingMessage.of("one"), OutgoingMessage.of("two"), OutgoingMessage.of("three")));

        assertThat(values(rest.get(first).json())).containsExactly("one", "two", "three");
        assertThat(values(rest.get(first + "?from=1&maxMessages=1").json())).containsExactly("two");
        assertThat(rest.get(first + "/2").text()).isEqualTo("three");
        assertThat(rest.get(first + "?from=1&maxMessages=1").json().get("next").longValue())
                .isEqualTo(2);
    }

    @Test
    void repetitionUnderAKeyIsAnsweredWithTheFirstOffsetsAndStoresNothing() throws Exception {
        String[] raw = {"Idempotency-Key", "raw-" + topic};
        String[] batch = {"Idempotency-Key", "batch-" + topic, "Content-Type", "application/json"};
        String messages = json("{'messages':[{'value':'a'},{'value':'b','key':'k'}]}");

        Answer first = rest.post(toTopic, BodyPublishers.ofString("x"), raw);
        Answer firstBatch = rest.post(toTopic, BodyPublishers.ofString(messages), batch);
        Answer again = rest.post(toTopic, BodyPublishers.ofString("x"), raw);
        Answer againBatch = rest.post(toTopic, BodyPublishers.ofString(messages), batch);

        assertThat(again.text()).isEqualTo(first.text());
        assertThat(again.status()).isEqualTo(201);
        assertThat(againBatch.text()).isEqualTo(firstBatch.text());
        assertThat(stored()).isEqualTo(3);
    }

    @Test
    void keyOfAnotherPutIsAConflictAndStoresNothing() throws Exception {
        rest.post(first, BodyPublishers.ofString("x"), "Idempotency-Key", "one-" + topic);

        Answer other = rest.post(first, BodyPublishers.ofString("y"), "Idempotency-Key", "one-" + topic);

        assertThat(other.status()).isEqualTo(409);
        assertThat(other.json().get("outcome").textValue()).isEqualTo("did-not-happen");
        assertThat(stored()).isEqualTo(1);
    }

    @Test
    void equalPutsWithoutAKeyAreBothStored() throws Exception {
        rest.post(first, BodyPublishers.ofString("x"));
        rest.post(first, BodyPublishers.ofString("x"));

        assertThat(stored()).isEqualTo(2);
    }

    @Test
    void keyMustBeOneThatAHeaderCanHold() throws Exception {
        assertThat(rest.post(first, BodyPublishers.ofString("x"), "Idempotency-Key", "k".repeat(256))
                        .status())
                .isEqualTo(400);
    }

    private long stored() throws Exception {
        long all = 0;
        for (JsonNode each : rest.get("/v1/topics/" + topic + "/offsets").json().get("partitions")) {
            all += each.get("end").longValue();
        }
        return all;
    }

    @Test
    void linesAreAnsweredToWhoAsksForThem() throws Exception {
        put(first, "{'messages':[{'value':'a'},{'value':'b'}]}");

        Answer lines = rest.get(first, "Accept", "application/x-ndjson");

        assertThat(lines.header("Content-Type")).isEqualTo("application/x-ndjson");
        assertThat(lines.header("Talos-Next-Offset")).isEqualTo("2");
        assertThat(lines.text().lines()).hasSize(2).allMatch(line -> line.startsWith("{\"offset\":"));
    }

    @Test
    void getWaitsForAMessage() throws Exception {
        CompletableFuture<Answer> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return rest.get(first + "?from=latest&wait=15000");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        while (!waiting.isDone()) { // from=latest: only what comes after the request has arrived
            put(first, "{'messages':[{'value':'news'}]}");
        }

        assertThat(values(waiting.join().json())).startsWith("news");
    }

    @Test
    void waitEndsWithNothingWhenItsTimeIsUp() throws Exception {
        Instant start = Instant.now();

        JsonNode read = rest.get(first + "?from=latest&wait=300").json();

        assertThat(read.get("messages")).isEmpty();
        assertThat(read.get("next").longValue()).isZero();
        assertThat(Duration.between(start, Instant.now())).isGreaterThanOrEqualTo(Duration.ofMillis(300));
    }

    @Test
    void waitForMoreBytesEndsWithWhatIsThere() throws Exception {
        put(first, "{'messages':[{'value':'a'}]}");

        assertThat(values(rest.get(first + "?wait=300&minBytes=1000000").json()))
                .containsExactly("a");
    }

    @Test
    void timeIsAPlaceToBegin() throws Exception {
        put(first, "{'messages':[{'value':'old'}]}");
        String now = Instant.now().plusMillis(1).toString();

        assertThat(values(rest.get(first + "?from=1970-01-01T00:00:00Z").json()))
                .containsExactly("old");
        assertThat(rest.get(first + "?from=" + now).json().get("messages")).isEmpty();
        assertThat(rest.get("/v1/topics/" + topic + "/offsets?time=1970-01-01T00:00:00Z")
                        .text())
                .startsWith(json("{'partitions':[{'partition':0,'offset':0}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1h",
                "1d12h",
                "yesterday",
                "2020-01-31",
                "2020-01-31T12:00",
                "2020-01-31T12:00:00+01:00", // a plus that a query has as it is comes as a space
                "@1577836800000",
                "@1577836800"
            })
    void pointOfTimeMayBeWrittenAsPeopleDo(String from) throws Exception {
        put(first, "{'messages':[{'value':'just now'}]}");

        assertThat(values(rest.get(first + "?from=" + from).json())).containsExactly("just now");
        assertThat(rest.get("/v1/topics/" + topic + "/offsets?time=" + from).text())
                .startsWith(json("{'partitions':[{'partition':0,'offset':0}"));
        assertThat(rest.send(
                                "POST",
                                "/v1/topics/" + topic + "/groups/shop/reset",
                                json("{'to':'" + from + "','preview':true}"))
                        .text())
                .contains(json("{'partition':0,'to':0}"));
    }

    @Test
    void whatIsNeitherOffsetNorTimeIsRefusedWithTheForms() throws Exception {
        assertThat(rest.get(first + "?from=tomorrow").text()).contains("2026-01-31T12:00:00Z", "yesterday", "1h");
    }

    @Test
    void placeOutsideOfThePartitionIsToldWithWhatThereIs() throws Exception {
        assertThat(rest.get(first + "?from=7").text())
                .contains("offset 7 is not in the partition: it is empty, the next message gets 0");
        put(first, "{'messages':[{'value':'a'},{'value':'b'}]}");

        assertThat(rest.get(first + "?from=7").text()).contains("it has 0 to 1\"");
        assertThat(rest.get(first + "?from=1577836800000").text())
                .contains("for milliseconds since 1970 write @1577836800000");
    }

    @Test
    void nameThatNoGroupMayHaveIsRefusedWithTheRule() throws Exception {
        assertThat(rest.get("/v1/topics/" + topic + "/groups/my.group").text())
                .contains("a consumer group's name has 1 to 80 of [a-zA-Z0-9_-], the first one a letter or digit");
    }

    @Test
    void offsetsTellStartAndEndOfEachPartition() throws Exception {
        put(first, "{'messages':[{'value':'a'},{'value':'b'}]}");

        assertThat(rest.get("/v1/topics/" + topic + "/offsets")
                        .json()
                        .get("partitions")
                        .toString())
                .startsWith(json("[{'partition':0,'start':0,'end':2},{'partition':1,'start':0,'end':0}"));
    }

    @Test
    void offsetPastTheEndIsRefusedAndNotGuessed() throws Exception {
        Answer beyond = rest.get(first + "?from=5");

        assertThat(beyond.status()).isEqualTo(416);
        assertThat(beyond.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(beyond.json().get("code").textValue()).isEqualTo("message-offset-out-of-range");
        assertThat(beyond.json().get("outcome").textValue()).isEqualTo("did-not-happen");
        assertThat(rest.get(first + "/0").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'messages':[]}",
                "{'messages':[{}]}",
                "{'messages':[{'value':'a','base64':'YQ=='}]}",
                "{'messages':[{'base64':'YQ'}]}",
                "{'messages':[{'base64':'Y Q=='}]}",
                "{'messages':[{'value':'a','color':'red'}]}",
                "{'messages':[{'value':'a'}],'more':1}",
                "{'messages':[{'value':'a','value':'b'}]}",
                "{'messages':[{'value':1}]}",
                "{'messages':[{'value':'a\\ud800'}]}",
                "{'messages':[{'value':'a','key':'\\udc00'}]}",
                "{'messages':[{'value':'a','key':''}]}",
                "{'messages':[{'value':'a','timestamp':1.5}]}",
                "{'messages':[{'value':'a','timestamp':1e999}]}",
                "{'messages':[{'value':'a','timestamp':9223372036854775808}]}",
                "{'messages':[{'value':'a','key':null}]}",
                "{'messages':{'value':'a'}}",
                "{'messages':[{'value':'a'}]} {}",
                "[]",
                "",
                "{"
            })
    void batchThatIsNotOneIsRefusedWholeAndSaysWhy(String body) throws Exception {
        Answer refused = put(first, body);

        assertThat(refused.status()).as(refused.text()).isEqualTo(400);
        assertThat(refused.json().get("outcome").textValue()).isEqualTo("did-not-happen");
        assertThat(refused.json().get("requestId").textValue()).isEqualTo(refused.header("X-Request-Id"));
        assertThat(rest.get(first).json().get("end").longValue()).isZero();
    }

    @Test
    void jsonThatIsTooDeepOrNoUtf8IsRefused() throws Exception {
        assertThat(put(first, "{'messages':" + "[".repeat(40)).status()).isEqualTo(400);
        byte[] broken = "{\"messages\":[{\"value\":\"?\"}]}".getBytes(StandardCharsets.ISO_8859_1);
        broken[24] = (byte) 0xff;
        assertThat(rest.post(first, BodyPublishers.ofByteArray(broken), "Content-Type", "application/json")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void basicCredentialsMustBeRight() throws Exception {
        String key = rest.server.endpoint().accessKey();
        for (String header : List.of(
                "",
                "Basic",
                "Basic !!!",
                "Basic " + Base64.getEncoder().encodeToString("nocolon".getBytes(StandardCharsets.UTF_8)),
                RestFixture.basic(key, ""),
                RestFixture.basic(key, "wrong"),
                RestFixture.basic("AKNOBODY", "wrong"))) {
            rest.as(header);
            Answer refused = rest.get(first);
            assertThat(refused.status()).as(header).isEqualTo(401);
            assertThat(refused.header("WWW-Authenticate")).startsWith("Basic");
            assertThat(refused.json().get("code").textValue()).isEqualTo("invalid-auth");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.basic;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.http.rest.RestFixture.Answer;

/** Messages that are deleted by offset or time, and topics that are emptied, over REST. */
@Timeout(60)
class RestDeletionTest {
    private static final AtomicInteger TOPICS = new AtomicInteger();

    @TempDir
    private static Path data;

    private static RestFixture rest;

    private final String name = "events-" + TOPICS.incrementAndGet();
    private final String topic = "/v1/topics/" + name;
    private final String empty = topic + "/empty";

    @BeforeAll
    static void start() throws Exception {
        rest = new RestFixture(data, Map.of());
    }

    @AfterAll
    static void close() {
        rest.close();
    }

    /** Partition 0 has five messages, partition 1 has two. */
    @BeforeEach
    void createTopic() throws Exception {
        rest.asAdmin();
        rest.createTopic(name, 2);
        for (int i = 0; i < 5; i++) {
            put(0);
        }
        put(1);
        put(1);
    }

    private void put(int partition) throws Exception {
        assertThat(rest.send(
                                "POST",
                                topic + "/partitions/" + partition + "/messages",
                                json("{'messages':[{'value':'x'}]}"))
                        .status())
                .isEqualTo(200);
    }

    private JsonNode empty(String body) throws Exception {
        Answer answer = rest.send("POST", empty, json(body));
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json();
    }

    /** Returns where each partition begins and ends. */
    private String offsets() throws Exception {
        StringBuilder all = new StringBuilder();
        for (JsonNode each : rest.get(topic).json().get("partitionStates")) {
            all.append(all.isEmpty() ? "" : " ")
                    .append(each.get("start").longValue())
                    .append("..")
                    .append(each.get("end").longValue());
        }
        return all.toString();
    }

    private static String line(JsonNode partition) {
        return partition.get("partition") + " " + partition.get("from") + ".." + partition.get("to") + " "
                + partition.get("messages");
    }

    @Test
    void previewSaysWhatWouldGoAndDeletesNothing() throws Exception {
        JsonNode all = empty("{'before':'latest','preview':true}");
        JsonNode some = empty("{'offset':2,'partitions':[0],'preview':true}");

        assertThat(all.get("preview").booleanValue()).isTrue();
        assertThat(line(all.get("partitions").get(0))).isEqualTo("0 0..5 5");
        assertThat(line(all.get("partitions").get(1))).isEqualTo("1 0..2 2");
        assertThat(all.get("partitions").get(0).get("bytes").longValue()).isPositive();
        assertThat(some.get("partitions")).hasSize(1);
        assertThat(line(some.get("partitions").get(0))).isEqualTo("0 0..2 2");
        assertThat(offsets()).isEqualTo("0..5 0..2");
    }

    @Test
    void emptyTopicContinuesWithItsOffsets() throws Exception {
        JsonNode done = empty("{'before':'latest'}");

        assertThat(done.get("preview").booleanValue()).isFalse();
        assertThat(line(done.get("partitions").get(0))).isEqualTo("0 0..5 5");
        assertThat(offsets()).isEqualTo("5..5 2..2");
        put(0);
        assertThat(offsets()).isEqualTo("5..6 2..2");
        assertThat(rest.get(topic + "/partitions/0/messages?from=earliest")
                        .json()
                        .get("messages"))
                .hasSize(1);
    }

    @Test
    void messagesBeforeAnOffsetGoAlsoAfterARestart() throws Exception {
        empty("{'offset':3,'partitions':[0]}");
        assertThat(offsets()).isEqualTo("3..5 0..2");

        rest.close();
        start();

        assertThat(offsets()).isEqualTo("3..5 0..2");
        assertThat(rest.get(topic + "/partitions/0/messages?from=2").status()).isEqualTo(416);
        assertThat(rest.get(topic + "/partitions/0/messages?from=earliest")
                        .json()
                        .get("messages"))
                .hasSize(2);
    }

    @Test
    void messagesBeforeATimeGo() throws Exception {
        empty("{'before':'2020-01-31T12:00:00Z'}");
        assertThat(offsets()).isEqualTo("0..5 0..2");

        empty("{'before':'2999-01-31T12:00:00Z','partitions':[1]}");
        assertThat(offsets()).isEqualTo("0..5 2..2");
    }

    @Test
    void groupThatStandsBeforeTheNewStartHasOnlyTheRestToRead() throws Exception {
        String group = topic + "/groups/shop";
        assertThat(rest.send("POST", group + "/reset", json("{'offset':1,'partitions':[0]}"))
                        .status())
                .isEqualTo(200);

        empty("{'offset':4,'partitions':[0]}");

        assertThat(rest.get(group).json().get("partitions").get(0).get("lag").longValue())
                .isEqualTo(1);
    }

    @Test
    void userOfTheTopicMayNotEmptyIt() throws Exception {
        JsonNode user =
                rest.send("POST", "/v1/users", json("{'user':'" + name + "'}")).json();
        rest.send("PUT", topic + "/permissions/" + name, json("{'get':true,'put':true}"));

        rest.as(basic(user.get("accessKey").textValue(), user.get("secretKey").textValue()));

        assertThat(rest.send("POST", empty, json("{'before':'latest','preview':true}"))
                        .status())
                .isEqualTo(403);
        assertThat(rest.send("POST", empty, json("{'before':'latest'}")).status())
                .isEqualTo(403);
        rest.asAdmin();
        assertThat(offsets()).isEqualTo("0..5 0..2");
    }

    /** The first partition has the offset, the second does not. */
    @Test
    void nothingIsDeletedWhereOnePartitionRefuses() throws Exception {
        assertThat(rest.send("POST", empty, json("{'offset':3}")).status()).isEqualTo(416);

        assertThat(offsets()).isEqualTo("0..5 0..2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'offset':1,'before':'latest'}",
                "{'offset':-1}",
                "{'before':'earliest'}",
                "{'before':'latest','force':true}"
            })
    void wrongBodiesAreRefused(String body) throws Exception {
        assertThat(rest.send("POST", empty, json(body)).status()).isEqualTo(400);
        assertThat(offsets()).isEqualTo("0..5 0..2");
    }

    @Test
    void unknownPartitionAndTopicAreNotFound() throws Exception {
        assertThat(rest.send("POST", empty, json("{'before':'latest','partitions':[2]}"))
                        .status())
                .isEqualTo(404);
        assertThat(rest.send("POST", "/v1/topics/nothing/empty", json("{'before':'latest'}"))
                        .status())
                .isEqualTo(404);
    }
}

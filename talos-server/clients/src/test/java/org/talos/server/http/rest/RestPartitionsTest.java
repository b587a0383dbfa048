// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.basic;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The partitions of a topic and their segments over REST. With other servers: the module of tests against daemons. */
@Timeout(60)
class RestPartitionsTest {
    private static final AtomicInteger TOPICS = new AtomicInteger();

    @TempDir
    private static Path data;

    private static RestFixture rest;

    private final String topic = "orders-" + TOPICS.incrementAndGet();
    private final String partitions = "/v1/topics/" + topic + "/partitions";
    private final String segmentsOfFirst = partitions + "/0/segments";

    @BeforeAll
    static void start() throws Exception {
        rest = new RestFixture(data, Map.of("LOG_SEGMENTBYTES", "1MiB"));
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

    private void put(String value) throws Exception {
        assertThat(rest.send("POST", partitions + "/0/messages", json("{'messages':[{'value':'" + value + "'}]}"))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void partitionShowsWhatItHolds() throws Exception {
        put("a");
        put("b");

        JsonNode all = rest.get(partitions).json().get("partitions");

        assertThat(all).hasSize(2);
        JsonNode first = all.get(0);
        assertThat(first.get("partition").intValue()).isZero();
        assertThat(first.get("first").longValue()).isZero();
        assertThat(first.get("next").longValue()).isEqualTo(2);
        assertThat(first.get("messages").longValue()).isEqualTo(2);
        assertThat(first.get("bytes").longValue()).isPositive();
        assertThat(first.get("epoch").longValue()).isPositive();
        assertThat(first.has("server")).as("one that stands alone").isFalse();
        assertThat(first.has("putsPerSecond")).as("on the first look").isFalse();
        assertThat(all.get(1).get("messages").longValue()).isZero();
    }

    @Test
    void fullSegmentIsSealedAndTheNextBeginsBehindIt() throws Exception {
        for (int i = 0; i < 6; i++) {
            put("x".repeat(400_000));
        }

        JsonNode answer = rest.get(segmentsOfFirst).json();

        assertThat(answer.get("partition").intValue()).isZero();
        JsonNode segments = answer.get("segments");
        assertThat(segments.size()).isGreaterThan(1);
        long next = 0;
        for (JsonNode each : segments) {
            assertThat(each.get("first").longValue()).isEqualTo(next);
            next += each.get("messages").longValue();
            assertThat(each.path("last").longValue()).isEqualTo(next - 1);
        }
        assertThat(next).isEqualTo(6);
        JsonNode last = segments.get(segments.size() - 1);
        assertThat(last.get("sealed").booleanValue()).isFalse();
        assertThat(last.has("appendedTo")).isFalse();
    }

    @Test
    void sealedSegmentSaysWhenItWasWritten() throws Exception {
        put("x".repeat(400_000));
        rest.close(); // seals nothing, but the next opening does
        start();
        put("b");

        JsonNode segments = rest.get(segmentsOfFirst).json().get("segments");

        JsonNode first = segments.get(0);
        assertThat(first.get("sealed").booleanValue()).isTrue();
        assertThat(first.get("bytes").longValue()).isGreaterThan(400_000);
        assertThat(Instant.parse(first.get("appendedTo").textValue())).isNotNull();
        assertThat(segments.get(1).get("appendedFrom")).isEqualTo(first.get("appendedTo"));
        assertThat(segments.get(1).get("epoch").longValue())
                .isGreaterThan(first.get("epoch").longValue());
    }

    @Test
    void partitionsAreForWhoMayDescribeTheTopic() throws Exception {
        JsonNode ann = rest.send("POST", "/v1/users", json("{'user':'ann'}")).json();
        String credentials =
                basic(ann.get("accessKey").textValue(), ann.get("secretKey").textValue());
        rest.as(credentials);
        assertThat(rest.get(partitions).status()).isEqualTo(403);
        assertThat(rest.get(segmentsOfFirst).status()).isEqualTo(403);
        rest.asAdmin();
        rest.send("PUT", "/v1/topics/" + topic + "/permissions/ann", json("{'put':true}"));

        rest.as(credentials);
        assertThat(rest.get(partitions).status()).isEqualTo(200);
        assertThat(rest.get(segmentsOfFirst).status()).isEqualTo(200);
    }

    @Test
    void whatIsNotThereIsNotFound() throws Exception {
        assertThat(rest.get("/v1/topics/nothing/partitions").status()).isEqualTo(404);
        assertThat(rest.get(partitions + "/2/segments").status()).isEqualTo(404);
        assertThat(rest.get(partitions + "/x/segments").status()).isEqualTo(404);
        assertThat(rest.get(partitions + "?limit=1").status()).isEqualTo(400);
    }
}

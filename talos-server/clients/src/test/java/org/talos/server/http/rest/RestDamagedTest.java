// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.http.rest.RestFixture.json;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.http.rest.RestFixture.Answer;
import org.talos.server.testing.Folders;
import org.talos.server.testing.TestServer;

/** Errors to clients of a partition whose log is damaged, beside one that is whole. */
@Timeout(90)
class RestDamagedTest {
    private static final String TOPIC = "/v1/topics/orders";
    private static final String MEMBERS = TOPIC + "/groups/shop/members";

    @TempDir
    private Path data;

    private TopicDescription topic;
    private RestFixture rest;
    private int damaged;

    @BeforeEach
    void startWithALogOfWhichAFileIsMissing() throws Exception {
        try (TestServer server = TestServer.start(data, Map.of());
                RestFixture before = new RestFixture(data, server)) {
            before.createTopic("orders", 2);
            topic = server.admin().describeTopic("orders");
            assertThat(put(before, 0).status()).isEqualTo(200);
            assertThat(put(before, 1).status()).isEqualTo(200);
        }
        Path segment = Folders.last(data.resolve("logs/segments"), ".log");
        damaged = Integer.parseInt(String.valueOf(segment.getName(segment.getNameCount() - 2)));
        Files.delete(segment);
        rest = new RestFixture(data);
    }

    @AfterEach
    void close() {
        rest.close();
    }

    private static String messages(int partition) {
        return TOPIC + "/partitions/" + partition + "/messages";
    }

    private static Answer put(RestFixture rest, int partition) throws Exception {
        return rest.send("POST", messages(partition), json("{'messages':[{'value':'here'}]}"));
    }

    private static void assertDamaged(Answer answer) throws Exception {
        assertThat(answer.status()).as(answer.text()).isEqualTo(500);
        assertThat(answer.json().get("code").textValue()).isEqualTo("damaged");
        assertThat(answer.json().get("retryable").booleanValue()).isFalse();
        assertThat(answer.json().get("outcome").textValue()).isEqualTo("did-not-happen");
        assertThat(answer.json().get("detail").textValue()).contains("operator");
    }

    @Test
    void damagedPartitionIsNoPlaceToComeBackToAndTheOtherOneIsServed() throws Exception {
        assertDamaged(rest.get(messages(damaged)));
        assertDamaged(put(rest, damaged));
        assertThat(rest.get(messages(1 - damaged)).text()).contains("here");
        assertThat(put(rest, 1 - damaged).status()).isEqualTo(200);
    }

    @Test
    void memberOfAGroupGetsTheOtherPartitionsMessages() throws Exception {
        String member = rest.send("POST", MEMBERS, "{}").json().get("member").textValue();

        Answer fetched = rest.send("POST", MEMBERS + "/" + member + "/fetch", "{}");

        assertThat(fetched.status()).as(fetched.text()).isEqualTo(200);
        assertThat(fetched.json().get("messages")).hasSize(1);
    }

    @Test
    void sdksAreGivenACodeThatThePublicOnesDoNotRepeat() throws Exception {
        SimpleProducer producer =
                new SimpleProducer(new TalosClient(rest.server.endpoint()).once(), topic, Compression.NONE);

        assertThatThrownBy(() -> producer.put(damaged, List.of(OutgoingMessage.of("there"))))
                .isInstanceOfSatisfying(
                        TalosClientException.class, e -> assertThat(e.code()).isEqualTo("HDFS_OPERATION_FAILED"))
                .hasMessageContaining("damaged");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.service.ControlFixture.ALICE;

import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.common.error.TalosException;
import org.talos.server.service.ControlFixture;
import org.talos.thrift.DeleteTopicAttributeRequest;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicTalosResourceName;

/** The attribute that says how a topic's keys are placed: which values it has, and when it may change. */
final class TopicPartitionerTest {
    private static final String NAME = "talos.partitioner";

    @TempDir
    private Path data;

    private ControlFixture server;

    @BeforeEach
    void open() throws Exception {
        server = new ControlFixture(data);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static TopicAttribute partitioner(String value) {
        return new TopicAttribute().setAttributes(Map.of(NAME, value));
    }

    private void change(TopicTalosResourceName topic, TopicAttribute to) throws Exception {
        server.topics.changeTopicAttribute(ALICE, topic, to);
    }

    private Map<String, String> attributes() {
        return server.directory.byName("orders").orElseThrow().attributes();
    }

    private static void refuses(String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_TOPIC_PARAMS))
                .hasMessageContaining(message);
    }

    @Test
    void topicThatSaysNothingHasNoSuchAttribute() throws Exception {
        server.create(ALICE, "orders");

        assertThat(attributes()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Murmur2", "crc32"})
    void unknownPartitionerIsRefusedByName(String value) throws Exception {
        String message = "talos.partitioner: " + value + " (expected: sdk or murmur2)";
        refuses(message, () -> server.create(ALICE, "orders", partitioner(value)));
        assertThat(server.directory.byName("orders")).isEmpty();

        TopicTalosResourceName topic = server.create(ALICE, "orders", new TopicAttribute().setPartitionNumber(1));
        refuses(message, () -> change(topic, partitioner(value)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sdk", "murmur2"})
    void partitionerOfSeveralPartitionsStays(String value) throws Exception {
        String other = value.equals("sdk") ? "murmur2" : "sdk";
        TopicTalosResourceName topic = server.create(
                ALICE, "orders", partitioner(value).setPartitionNumber(2).setMessageRetentionSecs(3_600));

        refuses("talos.partitioner: " + other + " (expected: " + value, () -> change(topic, partitioner(other)));
        refuses(
                "they would move between the topic's 2 partitions",
                () -> change(topic, partitioner(other).setMessageRetentionSecs(7_200)));

        assertThat(attributes()).containsEntry(NAME, value);
        assertThat(server.directory.byName("orders").orElseThrow().retentionSeconds())
                .isEqualTo(3_600);
        change(topic, partitioner(value).setMessageRetentionSecs(7_200)); // the same as before is no change
    }

    @Test
    void partitionerIsNotRemovedFromSeveralPartitionsUnlessNothingChanges() throws Exception {
        TopicTalosResourceName even = server.create(ALICE, "even", partitioner("murmur2"));
        refuses(
                "talos.partitioner: sdk (expected: murmur2",
                () -> server.topics.deleteTopicAttribute(ALICE, new DeleteTopicAttributeRequest(even, NAME)));

        TopicTalosResourceName plain = server.create(ALICE, "orders");
        change(plain, partitioner("sdk"));
        assertThat(attributes()).containsEntry(NAME, "sdk");
        server.topics.deleteTopicAttribute(ALICE, new DeleteTopicAttributeRequest(plain, NAME));
        assertThat(attributes()).isEmpty();
    }

    @Test
    void topicOfOnePartitionMayGetAnotherPartitionerAlsoAsItGrows() throws Exception {
        TopicTalosResourceName topic = server.create(ALICE, "orders", new TopicAttribute().setPartitionNumber(1));

        change(topic, partitioner("murmur2"));
        server.topics.deleteTopicAttribute(ALICE, new DeleteTopicAttributeRequest(topic, NAME));
        change(topic, partitioner("murmur2").setPartitionNumber(4));

        assertThat(attributes()).containsEntry(NAME, "murmur2");
        assertThat(server.directory.byName("orders").orElseThrow().partitions()).isEqualTo(4);
        refuses("they would move between the topic's 4 partitions", () -> change(topic, partitioner("sdk")));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.talos.client.ScriptedServer.attributed;
import static org.talos.client.ScriptedServer.result;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.client.ClientConfig;
import org.talos.client.FatalException;
import org.talos.client.ScriptedServer;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TopicDescription;
import org.talos.common.name.Partitioner;
import org.talos.thrift.GetTopicAttributeResponse;
import org.talos.thrift.PutMessageResponse;

/** Tests where the producer sends messages with keys. */
@Timeout(60)
class KeyedMessagesTest {
    private static final String KEY = "customer-000017";
    private static final int PARTITIONS = 16;

    private ScriptedServer server;
    private ProducerConfig config =
            ProducerConfig.builder().linger(Duration.ZERO).build();

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** A producer for a topic; whoever asks for the topic later gets the second answer. */
    private TalosProducer open(GetTopicAttributeResponse topic, GetTopicAttributeResponse later) throws Exception {
        server.then(result(topic)).otherwise((exchange, body) -> {
            boolean put = exchange.getRequestURI().toString().endsWith("putMessage");
            (put ? result(new PutMessageResponse("x")) : result(later)).to(exchange, body);
        });
        ClientConfig client = ClientConfig.of(server.uri(), "AKTEST", "a-secret");
        return new TalosProducer(new TalosClient(client), "orders", config);
    }

    private TalosProducer open(int partitions, Map<String, String> attributes) throws Exception {
        return open(attributed(partitions, attributes), attributed(partitions, attributes));
    }

    private static OutgoingMessage keyed() {
        return OutgoingMessage.of("a").withKey(KEY);
    }

    @ParameterizedTest
    @EnumSource
    void keysGoWhereTheTopicsPartitionerSays(Partitioner partitioner) throws Exception {
        try (TalosProducer producer = open(PARTITIONS, Map.of(Partitioner.ATTRIBUTE, partitioner.toString()))) {
            assertThat(producer.send(keyed()).get().partition()).isEqualTo(partitioner.partition(KEY, PARTITIONS));
        }
        assertThat(Partitioner.SDK.partition(KEY, PARTITIONS))
                .isNotEqualTo(Partitioner.MURMUR2.partition(KEY, PARTITIONS));
    }

    @Test
    void keysOfATopicOfThePublicSdksGoWhereTheyPutThem() throws Exception {
        try (TalosProducer producer = open(PARTITIONS, Map.of())) {
            assertThat(producer.send(keyed()).get().partition()).isEqualTo(Partitioner.SDK.partition(KEY, PARTITIONS));
        }
    }

    /** A topic of one partition may get another partitioner, and grow then. */
    @Test
    void partitionerIsLookedUpAgainTogetherWithThePartitions() throws Exception {
        config = config.toBuilder().partitionCheckInterval(Duration.ofNanos(1)).build();
        Map<String, String> murmur2 = Map.of(Partitioner.ATTRIBUTE, "murmur2");
        try (TalosProducer producer = open(attributed(1, Map.of()), attributed(PARTITIONS, murmur2))) {
            assertThat(producer.send(keyed()).get().partition()).isZero();
            await().until(() -> producer.partitions() == PARTITIONS);

            assertThat(producer.send(keyed()).get().partition())
                    .isEqualTo(Partitioner.MURMUR2.partition(KEY, PARTITIONS));
        }
    }

    @Test
    void keyIsRefusedIfThePartitionerIsUnknownAndOtherMessagesAreNot() throws Exception {
        try (TalosProducer producer = open(PARTITIONS, Map.of(Partitioner.ATTRIBUTE, "crc32"))) {
            assertThatThrownBy(() -> producer.send(keyed()).get())
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(FatalException.class)
                    .hasMessageContaining("talos.partitioner: crc32 (expected: sdk or murmur2)");
            assertThat(producer.send(3, keyed()).get().partition()).isEqualTo(3);
            assertThat(producer.send(OutgoingMessage.of("a")).get().partition()).isBetween(0, PARTITIONS - 1);
        }
    }

    @Test
    void newTopicSpreadsKeysEvenlyUnlessItSaysOtherwise() {
        assertThat(NewTopic.of("orders").attributes()).containsEntry("talos.partitioner", "murmur2");
        assertThat(NewTopic.of("orders", 4)
                        .withPartitioner(Partitioner.SDK)
                        .withRetention(Duration.ofDays(2))
                        .attributes())
                .containsEntry("talos.partitioner", "sdk");
    }

    @Test
    void descriptionTellsThePartitionOfAKey() {
        TopicDescription plain = new TopicDescription("orders", "me#orders#1", "me", 4, Duration.ofDays(1));
        TopicDescription even = new TopicDescription(
                "orders", "me#orders#1", "me", 4, Duration.ofDays(1), Map.of(Partitioner.ATTRIBUTE, "murmur2"));

        assertThat(plain.partitioner()).isEqualTo("sdk");
        assertThat(plain.partition(KEY)).isEqualTo(Partitioner.SDK.partition(KEY, 4));
        assertThat(even.partitioner()).isEqualTo("murmur2");
        assertThat(even.partition(KEY)).isEqualTo(Partitioner.MURMUR2.partition(KEY, 4));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.Transport;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.GroupDescription;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.PollingConsumer;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.consumer.StartPosition;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.consumer.TopicPartition;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.testing.TestServer;

/** Consumers that their program sends elsewhere, pauses, or assigns partitions, at a real server. */
@Timeout(90)
class ConsumerControlTest {
    private static final ConsumerConfig CONFIG = ConsumerConfig.builder()
            .autoCommit(false)
            .balanceInterval(Duration.ofMillis(100))
            .renewInterval(Duration.ofMillis(200))
            .lockTtl(Duration.ofSeconds(3))
            .closeTimeout(Duration.ofSeconds(20))
            .build();
    private static final TopicPartition FIRST = new TopicPartition("orders", 0);

    @TempDir
    private Path data;

    private TestServer server;
    private TalosClient client;
    private TopicDescription topic;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(data, Map.of("SERVICE_MEMBERTTL", "3s", "SERVICE_MAXLONGPOLL", "100ms"));
        client = new TalosClient(ClientConfig.of(server.endpoint()));
        topic = new TalosAdmin(client).createTopic(NewTopic.of("orders", 2));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    static Stream<Transport> transports() {
        return Stream.of(Transport.CALLS, Transport.STREAM);
    }

    private void put(int partition, String... values) throws Exception {
        SimpleProducer producer = new SimpleProducer(client, topic, Compression.NONE);
        for (String each : values) {
            producer.put(partition, List.of(OutgoingMessage.of(each)));
        }
    }

    private PollingConsumer join(TalosClient by) throws Exception {
        return TalosConsumer.builder(by, "shop")
                .topics("orders")
                .config(CONFIG)
                .buildPolling()
                .start();
    }

    private PollingConsumer assigned(TopicPartition... partitions) throws Exception {
        return TalosConsumer.builder(client, "shop")
                .assign(List.of(partitions))
                .config(CONFIG)
                .buildPolling()
                .start();
    }

    private static List<String> poll(PollingConsumer consumer, int count) throws Exception {
        List<String> texts = new ArrayList<>();
        while (texts.size() < count) {
            consumer.poll(Duration.ofSeconds(1)).forEach(each -> texts.add(each.text()));
        }
        return texts;
    }

    private GroupDescription group() throws Exception {
        return new GroupAdmin(client).describe("orders", "shop");
    }

    private OptionalLong committed() throws Exception {
        return group().partitions().get(0).committed();
    }

    @ParameterizedTest
    @MethodSource("transports")
    void seekGoesBackAndForthAndTheGroupFollows(Transport transport) throws Exception {
        put(0, "a", "b");
        FetchedMessage second = new SimpleConsumer(client, topic, 0).fetch(1, 1).get(0);
        await().until(() -> Instant.now().isAfter(second.appended().plusMillis(2)));
        Instant between = Instant.now();
        put(0, "c", "d");
        try (TalosClient own =
                        new TalosClient(ClientConfig.of(server.endpoint()).withTransport(transport));
                PollingConsumer consumer = join(own)) {
            assertThat(poll(consumer, 4)).containsExactly("a", "b", "c", "d");
            consumer.commit();
            assertThat(committed()).hasValue(4);

            consumer.seek(FIRST, 1);
            assertThat(poll(consumer, 3)).containsExactly("b", "c", "d");
            consumer.seek(FIRST, StartPosition.at(between));
            assertThat(poll(consumer, 2)).containsExactly("c", "d");
            consumer.seek(FIRST, StartPosition.EARLIEST);
            consumer.commit();
            assertThat(committed()).hasValue(0);
            assertThat(poll(consumer, 4)).containsExactly("a", "b", "c", "d");
            consumer.seek(FIRST, StartPosition.LATEST);
            put(0, "e");
            assertThat(poll(consumer, 1)).containsExactly("e");
            consumer.commit();
            assertThat(committed()).hasValue(5);
        }
    }

    @Test
    void offsetWhereThereIsNothingIsOutOfRange() throws Exception {
        put(0, "a", "b");
        try (PollingConsumer consumer = join(client)) {
            poll(consumer, 2);

            consumer.seek(FIRST, 100);

            assertThat(poll(consumer, 2)).containsExactly("a", "b"); // outOfRange: EARLIEST
        }
    }

    @Test
    void partitionThatIsPausedIsHandedOverAndNotPausedThere() throws Exception {
        put(0, "a");
        put(1, "b");
        try (PollingConsumer one = join(client)) {
            await().until(() -> one.partitions().size() == 2);
            one.pause(one.partitions());
            try (TalosClient otherClient = new TalosClient(ClientConfig.of(server.endpoint()));
                    PollingConsumer other = join(otherClient)) {
                await().until(() -> {
                    assertThat(one.poll(Duration.ZERO)).isEmpty();
                    return one.partitions().size() == 1 && other.partitions().size() == 1;
                });
                SortedSet<TopicPartition> kept = one.partitions();
                assertThat(one.paused()).isEqualTo(kept);
                assertThat(other.paused()).isEmpty();

                String expected = kept.contains(FIRST) ? "b" : "a";
                assertThat(poll(other, 1)).containsExactly(expected);
                other.commit();
                one.resume(kept);
                assertThat(poll(one, 1)).containsExactly(expected.equals("a") ? "b" : "a");
            }
        }
    }

    @Test
    void assignedPartitionsAreReadWithoutMembershipAndCommittedForTheGroup() throws Exception {
        put(0, "a", "b");
        put(1, "c");
        try (PollingConsumer consumer = assigned(FIRST)) {
            assertThat(poll(consumer, 2)).containsExactly("a", "b");
            consumer.commit();
            assertThat(group().members()).isEmpty();
            assertThat(committed()).hasValue(2);

            consumer.seek(FIRST, 1);
            consumer.commit();
            assertThat(committed()).hasValue(1);
            assertThat(group().members()).isEmpty();
            assertThat(poll(consumer, 1)).containsExactly("b");

            consumer.assign(List.of(new TopicPartition("orders", 1)));
            assertThat(poll(consumer, 1)).containsExactly("c");
        }
        try (PollingConsumer again = assigned(FIRST)) {
            assertThat(poll(again, 1)).containsExactly("b");
        }
    }

    @Test
    void assignedPartitionOfAMemberIsReadAndNotCommitted() throws Exception {
        put(0, "a");
        try (PollingConsumer member = join(client)) {
            await().until(() -> member.partitions().size() == 2);
            try (PollingConsumer consumer = assigned(FIRST)) {
                assertThat(poll(consumer, 1)).containsExactly("a");

                assertThatThrownBy(consumer::commit).hasMessageContaining("LOCK_LOST");
                consumer.seek(FIRST, 0);
                assertThatThrownBy(consumer::commit).hasMessageContaining("LOCK_LOST");

                assertThat(group().members()).hasSize(1);
                assertThat(poll(member, 1)).containsExactly("a");
            }
        }
    }

    @Test
    void lagIsThatOfThePosition() throws Exception {
        put(0, "a", "b", "c");
        try (PollingConsumer consumer = assigned(FIRST)) {
            poll(consumer, 3);
            consumer.seek(FIRST, 1);
            consumer.pause(List.of(FIRST));

            await().until(() -> consumer.snapshot().lag().isPresent());

            assertThat(consumer.snapshot().lag()).hasValue(2);
            assertThat(consumer.snapshot().partitions().get(0).committed()).isEmpty();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.GroupReset;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.StartPosition;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.consumer.TopicPartition;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.testing.TestServer;

/**
 * Partitions that go from one of the SDK's members to another, with the default times: nothing expires in these tests.
 */
@Timeout(90)
class GroupHandoverTest {
    @TempDir
    private Path data;

    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private TestServer server;
    private TalosClient client;
    private TopicDescription topic;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(data, Map.of());
        client = new TalosClient(ClientConfig.of(server.endpoint()));
        topic = new TalosAdmin(client).createTopic(NewTopic.of("orders", 4));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private TalosConsumer join(ConsumerConfig config) throws Exception {
        return TalosConsumer.builder(new TalosClient(ClientConfig.of(server.endpoint())), "shop")
                .topics("orders")
                .config(config)
                .processor((messages, checkpoint) -> messages.forEach(each -> seen.add(each.text())))
                .build()
                .start();
    }

    @Test
    void partitionsOfAMemberThatIsClosedGoToTheOthersAtOnce() throws Exception {
        try (TalosConsumer stays = join(ConsumerConfig.builder().build())) {
            TalosConsumer leaves = join(ConsumerConfig.builder().build());
            await().until(() ->
                    stays.partitions().size() == 2 && leaves.partitions().size() == 2);

            leaves.close();

            await().until(() -> stays.partitions().size() == 4);
            assertThat(new GroupAdmin(client).describe("orders", "shop").members())
                    .containsOnlyKeys(stays.member());
        }
    }

    @Test
    void groupThatIsResetToItsFirstMessageBeginsThereThoughItsMembersBeginAtTheEnd() throws Exception {
        new SimpleProducer(client, topic, Compression.NONE)
                .put(0, List.of(OutgoingMessage.of("first"), OutgoingMessage.of("second")));
        new GroupAdmin(client).reset("orders", "shop", GroupReset.toEarliest());

        try (TalosConsumer consumer =
                join(ConsumerConfig.builder().start(StartPosition.LATEST).build())) {
            await().until(() -> seen.size() == 2);

            assertThat(consumer.partitions()).contains(new TopicPartition("orders", 0));
            assertThat(seen).containsExactly("first", "second");
        }
    }
}

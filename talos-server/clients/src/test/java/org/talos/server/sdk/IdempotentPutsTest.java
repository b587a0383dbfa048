// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.ClientConfig;
import org.talos.client.FatalException;
import org.talos.client.TalosClient;
import org.talos.client.Transport;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.Right;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.ProducerConfig;
import org.talos.client.producer.SimpleProducer;
import org.talos.client.producer.TalosProducer;
import org.talos.server.testing.TestServer;

/**
 * Puts under keys of the program's own, as an outbox relay makes them that dies before it has noted what it has sent.
 */
@Timeout(120)
class IdempotentPutsTest {
    private static final int ROWS = 10;

    @TempDir
    private Path data;

    private TestServer server;
    private TopicDescription topic;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(data, Map.of());
        topic = server.admin().createTopic(NewTopic.of("orders", 2));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private TalosClient client(boolean streams) throws Exception {
        return new TalosClient(
                ClientConfig.of(server.endpoint()).withTransport(streams ? Transport.STREAM : Transport.CALLS));
    }

    /** Sends all rows, and has no time left to note it. */
    private void relay(boolean streams, Compression compression) throws Exception {
        ProducerConfig config =
                ProducerConfig.builder().compression(compression).build();
        try (TalosClient client = client(streams);
                TalosProducer producer = new TalosProducer(client, "orders", config)) {
            List<CompletableFuture<?>> sent = new ArrayList<>();
            for (int row = 0; row < ROWS; row++) {
                OutgoingMessage message = OutgoingMessage.of("row " + row).withKey("customer");
                sent.add(producer.send(message, "outbox-" + row));
            }
            CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get();
        }
    }

    private List<String> stored() throws Exception {
        List<String> all = new ArrayList<>();
        try (TalosClient client = client(false)) {
            for (int partition = 0; partition < topic.partitions(); partition++) {
                SimpleConsumer consumer = new SimpleConsumer(client, topic, partition);
                long end = server.admin().offsets(topic).get(partition).endExclusive();
                for (long at = 0; at < end; ) {
                    for (FetchedMessage each : consumer.fetch(at, 1_000)) {
                        all.add(each.text());
                        at = each.offset() + 1;
                    }
                }
            }
        }
        return all;
    }

    private static List<String> rows() {
        return IntStream.range(0, ROWS).mapToObj(row -> "row " + row).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void relayThatStartsAgainStoresNoRowTwice(boolean streams) throws Exception {
        relay(streams, Compression.SNAPPY);
        relay(!streams, Compression.ZSTD);
        server.close();
        server = TestServer.start(data, Map.of());
        relay(streams, Compression.NONE);

        assertThat(stored()).isEqualTo(rows());
    }

    @Test
    void batchUnderAKeyIsStoredOnceAndAsAWhole() throws Exception {
        List<OutgoingMessage> rows = rows().stream().map(OutgoingMessage::of).toList();
        try (TalosClient client = client(false);
                TalosProducer producer = new TalosProducer(client, "orders");
                SimpleProducer simple = new SimpleProducer(client, topic, Compression.NONE)) {
            producer.send(0, rows, "batch-1").get();
            simple.put(0, rows, "batch-1");
            producer.send(0, rows, "batch-1").get();
            assertThatThrownBy(() -> simple.put(0, rows.subList(0, 5), "batch-1"))
                    .isInstanceOf(FatalException.class)
                    .hasMessageContaining("IDEMPOTENCY_KEY_REUSED");
        }

        assertThat(stored()).isEqualTo(rows());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void orderHoldsBetweenPutsWithAndWithoutKeys(boolean streams) throws Exception {
        List<String> expected = new ArrayList<>();
        try (TalosClient client = client(streams);
                TalosProducer producer = new TalosProducer(client, "orders")) {
            for (int i = 0; i < 50; i++) {
                String text = "m" + i;
                expected.add(text);
                var unused = i % 5 == 2
                        ? producer.send(0, List.of(OutgoingMessage.of(text)), "key-" + i)
                        : producer.send(0, OutgoingMessage.of(text));
            }
            producer.flush();
        }

        assertThat(stored()).isEqualTo(expected);
    }

    @Test
    void keysOfTwoUsersAreTwo() throws Exception {
        NewCredential ann = server.admin().addUser("ann", false, List.of(), List.of());
        server.admin().grant("orders", Grantee.of("ann"), Set.of(Right.PUT));
        try (TalosClient mine = client(false);
                TalosClient hers = new TalosClient(ClientConfig.of(server.uri(), ann.accessKey(), ann.secretKey()))) {
            for (TalosClient each : List.of(mine, hers)) {
                new SimpleProducer(each, topic, Compression.NONE).put(0, List.of(OutgoingMessage.of("a")), "row-17");
            }
        }

        assertThat(stored()).containsExactly("a", "a");
    }
}

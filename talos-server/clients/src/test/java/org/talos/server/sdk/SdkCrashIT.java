// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.ProducerConfig;
import org.talos.client.producer.PutResult;
import org.talos.client.producer.TalosProducer;
import org.talos.devcluster.FreePorts;
import org.talos.server.testing.AcknowledgedPuts;
import org.talos.server.testing.ServerProcess;
import org.talos.server.testing.TestServer;

/** A producer and a group of the SDK while their server is killed again and again. */
@Tag("full") // kills
@Tag("servers")
@Timeout(300)
class SdkCrashIT {
    private static final int PARTITIONS = 3;
    private static final int KILLS = 3;
    private static final int BETWEEN = 1_500;
    private static final int COMMIT_EVERY = 100;

    private static final ProducerConfig SMALL_PUTS = ProducerConfig.builder()
            .maxBatchMessages(10)
            .linger(Duration.ofMillis(2))
            .build();

    @TempDir
    private Path directory;

    /** Offsets that the group was given, by partition, in that order. Thread-safe. */
    private final Map<Integer, List<Long>> given = new ConcurrentHashMap<>();

    private final Queue<CompletableFuture<PutResult>> sent = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean stop = new AtomicBoolean();

    @Test
    void everyMessageLandsOnceInOrderAndTheGroupSkipsNothing() throws Exception {
        Path data = directory.resolve("data");
        Map<String, String> settings = Map.of(
                "TALOS_HTTP_PORT", Integer.toString(FreePorts.next()),
                "TALOS_SERVICE_MEMBERTTL", "20s",
                "TALOS_LOG_SEGMENTBYTES", "64KiB",
                "TALOS_METRICSLOGINTERVAL", "0s");
        ServerProcess server = ServerProcess.start(data, settings);
        try {
            TalosClient client = new TalosClient(ClientConfig.of(TestServer.endpoint(server.endpoint(), data)));
            TopicDescription topic = new TalosAdmin(client).createTopic(NewTopic.of("orders", PARTITIONS));
            try (TalosConsumer consumer = consumer(client);
                    TalosProducer producer = new TalosProducer(client, "orders", SMALL_PUTS)) {
                CompletableFuture<Integer> load = CompletableFuture.supplyAsync(() -> load(producer));
                for (int kill = 1; kill <= KILLS; kill++) {
                    awaitEnded(kill * BETWEEN);
                    server.kill();
                    server = ServerProcess.start(data, settings);
                }
                stop.set(true);
                int count = load.join();
                producer.flush();
                assertThat(sent).hasSize(count).allMatch(each -> !each.isCompletedExceptionally());
                System.out.println("SdkCrashIT kills=" + KILLS + " messages=" + count);
                assertStored(client, topic, count);
                await().atMost(Duration.ofMinutes(1)).until(() -> readers(client, topic));
                assertThat(consumer.failure()).isEmpty();
            }
            assertGroupSkippedNothing();
        } finally {
            server.kill();
        }
    }

    private TalosConsumer consumer(TalosClient client) throws Exception {
        ConsumerConfig config = ConsumerConfig.builder()
                .balanceInterval(Duration.ofMillis(500))
                .renewInterval(Duration.ofSeconds(1))
                .lockTtl(Duration.ofSeconds(20))
                .commitInterval(Duration.ofMillis(100))
                .commitMessages(COMMIT_EVERY)
                .failurePause(Duration.ofMillis(100))
                .build();
        return TalosConsumer.builder(client, "shop")
                .topics("orders")
                .config(config)
                .processors(partition -> (messages, checkpoint) -> given.computeIfAbsent(
                                partition.partition(), number -> new CopyOnWriteArrayList<>())
                        .addAll(messages.stream().map(FetchedMessage::offset).toList()))
                .build()
                .start();
    }

    private void awaitEnded(int count) {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> sent.stream().filter(CompletableFuture::isDone).count() >= count);
    }

    private int load(TalosProducer producer) {
        int count = 0;
        while (!stop.get()) {
            CompletableFuture<PutResult> last = null;
            for (int i = 0; i < 50; i++) {
                last = producer.send(count % PARTITIONS, OutgoingMessage.of("m" + count));
                sent.add(last);
                count++;
            }
            last.handle((stored, thrown) -> true).join(); // not faster than the server
        }
        return count;
    }

    private static List<String> stored(TalosClient client, TopicDescription topic, int partition) throws Exception {
        List<String> values = new ArrayList<>();
        SimpleConsumer consumer = new SimpleConsumer(client, topic, partition);
        long end = new TalosAdmin(client).offsets(topic).get(partition).endExclusive();
        while (values.size() < end) {
            consumer.fetch(values.size(), 1_000).forEach(each -> values.add(each.text()));
        }
        return values;
    }

    private static void assertStored(TalosClient client, TopicDescription topic, int count) throws Exception {
        int found = 0;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            AcknowledgedPuts puts = new AcknowledgedPuts();
            for (int number = partition; number < count; number += PARTITIONS) {
                puts.acknowledged("m" + number);
            }
            List<String> values = stored(client, topic, partition);
            assertThat(puts.compare(values)).as("partition " + partition).isEmpty();
            found += values.size();
        }
        assertThat(found).isEqualTo(count);
    }

    /** Returns whether the group has been given the last message of each partition. */
    private boolean readers(TalosClient client, TopicDescription topic) throws Exception {
        return new TalosAdmin(client)
                .offsets(topic).stream()
                        .allMatch(each ->
                                given.getOrDefault(each.partition(), List.of()).contains(each.endExclusive() - 1));
    }

    /** One step on, or back to what was given already: never forward over something. */
    private void assertGroupSkippedNothing() {
        given.forEach((partition, offsets) -> {
            long highest = -1;
            for (long offset : offsets) {
                assertThat(offset).as("partition %d", partition).isLessThanOrEqualTo(highest + 1);
                highest = Math.max(highest, offset);
            }
        });
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.testing.AcknowledgedPuts;
import org.talos.server.testing.ServerProcess;
import org.talos.server.testing.TestServer;

/**
 * A server that is killed under load, again and again: every acknowledged message is there afterwards, at its offset,
 * once.
 */
@Tag("full") // kills
@Tag("storage")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class CrashIT {
    private static final int KILLS = 11; // for each durability
    private static final int PARTITIONS = 4;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"fsync", "flush"})
    void nothingAcknowledgedIsLostWhenTheServerIsKilled(String durability) throws Exception {
        long seed = Long.getLong("talos.crash.seed", System.nanoTime());
        System.out.println("CrashIT durability=" + durability + " -Dtalos.crash.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        Path data = directory.resolve("data");
        // Small, so that segments are sealed and journals forgotten in the middle of it.
        Map<String, String> settings = Map.of(
                "TALOS_LOG_DURABILITY", durability,
                "TALOS_LOG_SEGMENTBYTES", "128KiB",
                "TALOS_LOG_JOURNALFILEBYTES", "256KiB",
                "TALOS_LOG_MAXUNWRITTENBYTES", "2MiB",
                "TALOS_LOG_TAILCACHEBYTES", "64KiB",
                "TALOS_METRICSLOGINTERVAL", "0s");
        List<Producer> producers = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            producers.add(new Producer(partition, random.split()));
        }
        for (int kill = 0; kill < KILLS; kill++) {
            try (ServerProcess server = start(data, settings)) {
                TalosEndpoint endpoint = TestServer.endpoint(server.endpoint(), data);
                TopicDescription topic = topic(endpoint);
                checkAll(producers, endpoint, topic);
                loadUntil(producers, endpoint, topic, 20 + random.nextInt(200), server);
            }
        }
        try (ServerProcess server = start(data, settings)) {
            TalosEndpoint endpoint = TestServer.endpoint(server.endpoint(), data);
            checkAll(producers, endpoint, topic(endpoint));
            server.stop();
        }
        int acknowledged = producers.stream().mapToInt(each -> each.puts.size()).sum();
        System.out.println("CrashIT durability=" + durability + " kills=" + KILLS + " acknowledged=" + acknowledged);
        assertThat(acknowledged).isGreaterThan(KILLS * 10);
    }

    private static ServerProcess start(Path data, Map<String, String> settings) throws Exception {
        long start = System.nanoTime();
        ServerProcess server = ServerProcess.start(data, settings);
        System.out.println("CrashIT started ms=" + (System.nanoTime() - start) / 1_000_000 + " " + recovery(data));
        return server;
    }

    /** Returns the server's log line about the time it took to open its partitions. */
    private static String recovery(Path data) throws Exception {
        return Files.readAllLines(data.resolveSibling("server.log")).stream()
                .filter(line -> line.contains("partitions opened"))
                .reduce((earlier, later) -> later)
                .map(line -> line.substring(line.indexOf("partitions opened")))
                .orElse("");
    }

    private static TopicDescription topic(TalosEndpoint endpoint) throws TalosClientException {
        TalosAdmin admin = new TalosAdmin(new TalosClient(endpoint).once());
        List<TopicDescription> topics = admin.listTopics();
        return topics.isEmpty() ? admin.createTopic(NewTopic.of("crash", PARTITIONS)) : topics.get(0);
    }

    /** Puts from all producers at once, and kills the server when one of them has had so many answers. */
    private static void loadUntil(
            List<Producer> producers, TalosEndpoint endpoint, TopicDescription topic, int answers, ServerProcess server)
            throws Exception {
        CountDownLatch enough = new CountDownLatch(answers);
        List<Thread> threads = new ArrayList<>();
        for (Producer producer : producers) {
            Thread thread = new Thread(() -> producer.putUntilItFails(endpoint, topic, enough));
            threads.add(thread);
            thread.start();
        }
        enough.await();
        server.kill();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void checkAll(List<Producer> producers, TalosEndpoint endpoint, TopicDescription topic)
            throws TalosClientException {
        for (Producer producer : producers) {
            assertThat(producer.puts.compare(stored(endpoint, topic, producer.partition)))
                    .as("partition " + producer.partition)
                    .isEmpty();
        }
    }

    private static List<String> stored(TalosEndpoint endpoint, TopicDescription topic, int partition)
            throws TalosClientException {
        SimpleConsumer consumer = new SimpleConsumer(new TalosClient(endpoint).once(), topic, partition);
        long end = new TalosAdmin(new TalosClient(endpoint).once())
                .offsets(topic)
                .get(partition)
                .endExclusive();
        List<String> values = new ArrayList<>();
        while (values.size() < end) {
            for (FetchedMessage message : consumer.fetch(values.size(), 1_000)) {
                assertThat(message.offset()).isEqualTo(values.size());
                values.add(message.text());
            }
        }
        return values;
    }

    /** Puts to one partition, one put at a time, each value once in its life. Confined: one thread at a time. */
    private static final class Producer {
        private final int partition;
        private final SplittableRandom random;
        private final AcknowledgedPuts puts = new AcknowledgedPuts();
        private int next;

        Producer(int partition, SplittableRandom random) {
            this.partition = partition;
            this.random = random;
        }

        void putUntilItFails(TalosEndpoint endpoint, TopicDescription topic, CountDownLatch enough) {
            Compression[] all = Compression.values();
            SimpleProducer producer =
                    new SimpleProducer(new TalosClient(endpoint).once(), topic, all[random.nextInt(all.length)]);
            try {
                while (true) {
                    List<String> values = new ArrayList<>();
                    for (int left = 1 + random.nextInt(5); left > 0; left--) {
                        values.add(partition + "-" + next++ + "-" + "x".repeat(random.nextInt(4_000)));
                    }
                    producer.put(
                            partition, values.stream().map(OutgoingMessage::of).toList());
                    values.forEach(puts::acknowledged);
                    enough.countDown();
                }
            } catch (TalosClientException e) {
                // The server is gone; the values of the put under way may be there or not.
                assertThat(e.outcome()).isNotNull();
            }
        }
    }
}

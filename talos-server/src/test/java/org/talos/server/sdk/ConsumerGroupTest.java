// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.talos.client.ClientConfig;
import org.talos.client.FatalException;
import org.talos.client.TalosClient;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.ConsumerConfig.GroupTimes;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.MessageProcessor;
import org.talos.client.consumer.StartPosition;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.ProducerConfig;
import org.talos.client.producer.SimpleProducer;
import org.talos.client.producer.TalosProducer;
import org.talos.server.testing.TestServer;

/**
 * The SDK's consumers against a real server for each method, with the group's times shortened. Side by side, since each
 * waits for locks and members to expire.
 */
@Timeout(90)
@Execution(ExecutionMode.CONCURRENT)
class ConsumerGroupTest {
    private static final GroupTimes QUICK = new GroupTimes(
            Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofSeconds(3), Duration.ofMillis(200));
    private static final ConsumerConfig CONFIG = ConsumerConfig.defaults()
            .withTimes(QUICK)
            .withCommit(Duration.ofMillis(50), 100)
            .withPauses(Duration.ofMillis(20), Duration.ofSeconds(20));

    @TempDir
    private Path data;

    private final List<TalosConsumer> consumers = new ArrayList<>();
    private TestServer server;
    private TalosClient client;
    private TopicDescription topic;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(data, Map.of("SERVICE_WORKERTTL", "3s", "SERVICE_MAXLONGPOLL", "100ms"));
        client = new TalosClient(ClientConfig.of(server.endpoint()));
        topic = new TalosAdmin(client).createTopic("orders", 4, 86_400);
    }

    @AfterEach
    void stop() {
        consumers.forEach(TalosConsumer::close);
        server.close();
    }

    /** What a member has processed, in order. Thread-safe. */
    private static final class Seen implements MessageProcessor.Factory {
        private final Map<Integer, List<String>> values = new ConcurrentHashMap<>();

        @Override
        public MessageProcessor create(int partition) {
            List<String> of = values.computeIfAbsent(partition, number -> new CopyOnWriteArrayList<>());
            return (messages, checkpoint) -> messages.forEach(each -> of.add(each.text()));
        }

        int count() {
            return values.values().stream().mapToInt(List::size).sum();
        }

        List<String> of(int partition) {
            return values.getOrDefault(partition, List.of());
        }
    }

    private TalosConsumer join(MessageProcessor.Factory factory) throws Exception {
        return join(CONFIG, factory);
    }

    private TalosConsumer join(ConsumerConfig config, MessageProcessor.Factory factory) throws Exception {
        TalosConsumer consumer = new TalosConsumer(
                new TalosClient(ClientConfig.of(server.endpoint())), "orders", "shop", config, factory);
        consumers.add(consumer);
        return consumer;
    }

    private void put(int partition, String... values) throws Exception {
        List<OutgoingMessage> messages =
                List.of(values).stream().map(OutgoingMessage::of).toList();
        new SimpleProducer(client, topic, Compression.NONE).put(partition, messages);
    }

    @Test
    void loneMemberReadsEverythingInOrder() throws Exception {
        Seen seen = new Seen();
        put(0, "a", "b");
        TalosConsumer consumer = join(seen);
        put(0, "c");
        put(3, "d");

        await().until(() -> seen.count() == 4);

        assertThat(seen.of(0)).containsExactly("a", "b", "c");
        assertThat(consumer.partitions()).containsExactly(0, 1, 2, 3);
    }

    @Test
    void memberGoesOnWhereTheGroupStopped() throws Exception {
        Seen first = new Seen();
        put(1, "a", "b");
        TalosConsumer one = join(first);
        await().until(() -> first.count() == 2);
        one.close();
        put(1, "c");

        Seen second = new Seen();
        join(second);
        await().until(() -> second.count() == 1);

        assertThat(second.of(1)).containsExactly("c");
    }

    @Test
    void membersShareAndHandOverWithoutLosingOrRepeating() throws Exception {
        Seen one = new Seen();
        Seen two = new Seen();
        TalosConsumer first = join(one);
        await().until(() -> first.partitions().size() == 4);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger sent = new AtomicInteger();
        Thread load = new Thread(() -> {
            try (TalosProducer producer = new TalosProducer(
                    client, "orders", ProducerConfig.defaults().withBatch(20, 1 << 20, Duration.ofMillis(1)))) {
                while (!stop.get()) {
                    producer.send(sent.get() % 4, OutgoingMessage.of("m" + sent.getAndIncrement()))
                            .join();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        load.start();
        TalosConsumer second = join(two);
        await().until(() ->
                first.partitions().size() == 2 && second.partitions().size() == 2);
        await().until(() -> two.count() > 0);
        second.close();
        await().until(() -> first.partitions().size() == 4);
        stop.set(true);
        load.join();
        await().until(() -> one.count() + two.count() >= sent.get());

        List<String> all = new ArrayList<>();
        one.values.values().forEach(all::addAll);
        two.values.values().forEach(all::addAll);
        assertThat(all).hasSize(sent.get()).doesNotHaveDuplicates();
    }

    @Test
    void processorThatThrowsGetsTheSameAgainAndNothingIsSkipped() throws Exception {
        Set<String> thrownAt = new HashSet<>();
        List<String> done = new CopyOnWriteArrayList<>();
        put(2, "a", "b");
        put(2, "c");
        join(CONFIG.withFetch(1, 1 << 20), partition -> (messages, checkpoint) -> {
            if (thrownAt.add(messages.get(0).text())) {
                throw new IllegalStateException("made to fail");
            }
            messages.forEach(each -> done.add(each.text()));
        });

        await().until(() -> done.size() == 3);

        assertThat(done).containsExactly("a", "b", "c");
    }

    @Test
    void whatIsCommittedByHandIsAllThatIsCommitted() throws Exception {
        put(0, "a", "b", "c");
        AtomicInteger seen = new AtomicInteger();
        TalosConsumer consumer = join(CONFIG.withCommitByHand(), partition -> (messages, checkpoint) -> {
            checkpoint.commit(messages.get(1));
            seen.addAndGet(messages.size());
        });
        await().until(() -> seen.get() == 3);
        consumer.close();

        Seen next = new Seen();
        join(next);
        await().until(() -> next.count() == 1);

        assertThat(next.of(0)).containsExactly("c");
    }

    @Test
    void startIsChosenByTheProgram() throws Exception {
        put(0, "old");
        Instant between = Instant.ofEpochMilli(appended(0) + 1);
        await().until(() -> System.currentTimeMillis() > between.toEpochMilli());
        put(0, "new");
        Seen late = new Seen();
        TalosConsumer fromTime = join(CONFIG.withStart(StartPosition.at(between)), late);
        await().until(() -> late.count() == 1);
        fromTime.close();
        assertThat(late.of(0)).containsExactly("new");

        Seen reset = new Seen();
        TalosConsumer fromStart = join(CONFIG.withReset(StartPosition.EARLIEST), reset);
        await().until(() -> reset.count() == 2);
        fromStart.close();

        Seen end = new Seen();
        TalosConsumer atEnd = join(CONFIG.withReset(StartPosition.LATEST), end);
        await().until(() -> atEnd.partitions().size() == 4);
        await().until(() -> {
            put(0, "newest");
            return end.count() > 0;
        });
        assertThat(end.of(0)).containsOnly("newest");
    }

    private long appended(int partition) throws Exception {
        return new org.talos.client.consumer.SimpleConsumer(client, topic, partition)
                .fetch(0, 1)
                .get(0)
                .appendMillis();
    }

    @Test
    void memberWhoseTopicGoesSaysSoAndReadsNoMore() throws Exception {
        TalosConsumer consumer = join(new Seen());
        await().until(() -> consumer.partitions().size() == 4);

        new TalosAdmin(client).deleteTopic("orders");

        await().until(() -> consumer.failure().isPresent());
        assertThat(consumer.failure().orElseThrow()).isInstanceOf(FatalException.class);
        await().until(() -> consumer.partitions().isEmpty());
    }

    @Test
    void partitionsThatAreAddedAreRead() throws Exception {
        Seen seen = new Seen();
        TalosConsumer consumer = join(seen);
        await().until(() -> consumer.partitions().size() == 4);

        new TalosAdmin(client).alterTopic("orders", 6, 86_400);

        await().until(() -> consumer.partitions().size() == 6);
    }

    @Test
    void closeWaitsForTheProcessorAndCommitsWhatItDid() throws Exception {
        put(0, "a");
        AtomicBoolean inside = new AtomicBoolean();
        AtomicBoolean release = new AtomicBoolean();
        List<FetchedMessage> done = new CopyOnWriteArrayList<>();
        TalosConsumer consumer = join(partition -> (messages, checkpoint) -> {
            inside.set(true);
            await().until(release::get);
            done.addAll(messages);
        });
        await().until(inside::get);
        Thread closing = new Thread(consumer::close);
        closing.start();
        release.set(true);
        closing.join();
        assertThat(done).hasSize(1);

        Seen next = new Seen();
        join(next);
        put(0, "b");
        await().until(() -> next.count() == 1);
        assertThat(next.of(0)).containsExactly("b");
    }
}

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
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicChange;
import org.talos.client.admin.TopicDescription;
import org.talos.client.admin.TopicGroup;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.MessageProcessor;
import org.talos.client.consumer.PollingConsumer;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.consumer.StartPosition;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.consumer.TopicPartition;
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
    private static final ConsumerConfig CONFIG = ConsumerConfig.builder()
            .balanceInterval(Duration.ofMillis(100))
            .renewInterval(Duration.ofMillis(200))
            .lockTtl(Duration.ofSeconds(3))
            .topicCheckInterval(Duration.ofMillis(200))
            .commitInterval(Duration.ofMillis(50))
            .commitMessages(100)
            .failurePause(Duration.ofMillis(20))
            .closeTimeout(Duration.ofSeconds(20))
            .build();

    @TempDir
    private Path data;

    private final List<TalosConsumer> consumers = new ArrayList<>();
    private TestServer server;
    private TalosClient client;
    private TopicDescription topic;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(data, Map.of("SERVICE_MEMBERTTL", "3s", "SERVICE_MAXLONGPOLL", "100ms"));
        client = new TalosClient(ClientConfig.of(server.endpoint()));
        topic = new TalosAdmin(client).createTopic(NewTopic.of("orders", 4));
    }

    @AfterEach
    void stop() {
        consumers.forEach(TalosConsumer::close);
        server.close();
    }

    /** Messages that a member has processed, in order. Thread-safe. */
    private static final class Seen implements MessageProcessor.Factory {
        private final Map<TopicPartition, List<String>> values = new ConcurrentHashMap<>();

        @Override
        public MessageProcessor create(TopicPartition partition) {
            List<String> of = values.computeIfAbsent(partition, number -> new CopyOnWriteArrayList<>());
            return (messages, checkpoint) -> messages.forEach(each -> of.add(each.text()));
        }

        int count() {
            return values.values().stream().mapToInt(List::size).sum();
        }

        List<String> of(int partition) {
            return values.getOrDefault(new TopicPartition("orders", partition), List.of());
        }
    }

    private TalosConsumer join(MessageProcessor.Factory factory) throws Exception {
        return join(CONFIG, factory);
    }

    private TalosConsumer join(ConsumerConfig config, MessageProcessor.Factory factory) throws Exception {
        TalosConsumer consumer = TalosConsumer.builder(new TalosClient(ClientConfig.of(server.endpoint())), "shop")
                .topics("orders")
                .config(config)
                .processors(factory)
                .build();
        consumers.add(consumer);
        return consumer.start();
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
        await().untilAsserted(() -> assertThat(consumer.partitions())
                .extracting(TopicPartition::partition)
                .containsExactly(0, 1, 2, 3));
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
                    client,
                    "orders",
                    ProducerConfig.builder()
                            .maxBatchMessages(20)
                            .linger(Duration.ofMillis(1))
                            .build())) {
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
        join(CONFIG.toBuilder().maxFetchMessages(1).build(), partition -> (messages, checkpoint) -> {
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
        TalosConsumer consumer =
                join(CONFIG.toBuilder().autoCommit(false).build(), partition -> (messages, checkpoint) -> {
                    checkpoint.commitBefore(messages.get(1).offset() + 1);
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
        Instant between = appended(0).plusMillis(1);
        await().until(() -> System.currentTimeMillis() > between.toEpochMilli());
        put(0, "new");
        Seen late = new Seen();
        TalosConsumer fromTime =
                join(CONFIG.toBuilder().start(StartPosition.at(between)).build(), late);
        await().until(() -> late.count() == 1);
        fromTime.close();
        assertThat(late.of(0)).containsExactly("new");

        Seen reset = new Seen();
        TalosConsumer fromStart = join(reset(StartPosition.EARLIEST), reset);
        await().until(() -> reset.count() == 2);
        fromStart.close();

        Seen end = new Seen();
        TalosConsumer atEnd = join(reset(StartPosition.LATEST), end);
        await().until(() -> atEnd.partitions().size() == 4);
        await().until(() -> {
            put(0, "newest");
            return end.count() > 0;
        });
        assertThat(end.of(0)).containsOnly("newest");
    }

    /** The topic is looked at seldom, so that the partition has its first message before the member knows it. */
    @Test
    void consumerThatBeginsAtTheEndGetsAllMessagesOfAPartitionThatComesLater() throws Exception {
        Seen seen = new Seen();
        ConsumerConfig seldom = CONFIG.toBuilder()
                .start(StartPosition.LATEST)
                .topicCheckInterval(Duration.ofSeconds(2))
                .build();
        TalosConsumer consumer = join(seldom, seen);
        await().until(() -> consumer.partitions().size() == 4);

        new TalosAdmin(client).alterTopic("orders", TopicChange.NONE.withPartitions(6));
        put(5, "first");

        await().until(() -> seen.count() == 1);
        assertThat(seen.of(5)).containsExactly("first");
    }

    private static ConsumerConfig reset(StartPosition to) {
        return CONFIG.toBuilder().start(to).ignoreCommitted(true).build();
    }

    private Instant appended(int partition) throws Exception {
        return new SimpleConsumer(client, topic, partition).fetch(0, 1).get(0).appended();
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

        new TalosAdmin(client).alterTopic("orders", TopicChange.NONE.withPartitions(6));

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

    private TalosConsumer.Builder builder() throws Exception {
        return TalosConsumer.builder(new TalosClient(ClientConfig.of(server.endpoint())), "shop")
                .config(CONFIG);
    }

    private void put(TopicDescription to, String value) throws Exception {
        new SimpleProducer(client, to, Compression.NONE).put(0, List.of(OutgoingMessage.of(value)));
    }

    /** By the rule of the SDKs that know topic groups: shares are of the partitions of all topics together. */
    @Test
    void membersShareThePartitionsOfSeveralTopics() throws Exception {
        TopicDescription more = new TalosAdmin(client).createTopic(NewTopic.of("more", 2));
        Seen seen = new Seen();
        for (int i = 0; i < 3; i++) {
            consumers.add(
                    builder().topics("orders", "more").processors(seen).build().start());
        }
        await().until(() ->
                consumers.stream().allMatch(each -> each.partitions().size() == 2));
        put(0, "a");
        put(more, "b");
        await().until(() -> seen.count() == 2);
        assertThat(seen.values.get(new TopicPartition("more", 0))).containsExactly("b");

        new TalosAdmin(client).deleteTopic("more");

        await().until(() -> consumers.stream()
                .flatMap(each -> each.partitions().stream())
                .allMatch(each -> each.topic().equals("orders")));
        put(3, "c");
        await().until(() -> seen.count() == 3);
        assertThat(consumers).allMatch(each -> each.failure().isEmpty());
    }

    @Test
    void topicsThatComeToATopicGroupAreReadAndThoseThatGoAreNot() throws Exception {
        TalosAdmin admin = new TalosAdmin(client);
        admin.createTopicGroup(TopicGroup.matching("all", "o.*").except("other"));
        assertThat(admin.listTopicGroups()).extracting(TopicGroup::name).containsExactly("all");
        Seen seen = new Seen();
        TalosConsumer consumer = builder().topicGroup("all").processors(seen).build();
        consumers.add(consumer.start());
        await().until(() -> consumer.partitions().size() == 4);

        put(admin.createTopic(NewTopic.of("offers", 1)), "a");
        put(admin.createTopic(NewTopic.of("other", 1)), "b");

        await().until(() -> seen.count() == 1);
        assertThat(seen.values.get(new TopicPartition("offers", 0))).containsExactly("a");
        admin.deleteTopic("orders");
        await().until(() -> consumer.partitions().size() == 1);
        assertThat(consumer.failure()).isEmpty();
    }

    @Test
    void loopThatPollsReadsWhatMembersWithProcessorsLeave() throws Exception {
        put(0, "a", "b");
        put(1, "c");
        try (PollingConsumer consumer =
                builder().topics("orders").buildPolling().start()) {
            List<String> polled = new ArrayList<>();
            while (polled.size() < 3) {
                consumer.poll(Duration.ofSeconds(1)).forEach(each -> polled.add(each.text()));
            }
            consumer.commit();
            assertThat(polled).containsExactlyInAnyOrder("a", "b", "c");

            Seen seen = new Seen();
            TalosConsumer other = join(seen);
            await().until(() -> {
                consumer.poll(Duration.ZERO);
                return other.partitions().size() == 2 && consumer.partitions().size() == 2;
            });
            assertThat(seen.count()).isZero();
        }
    }

    /** A program may collect several polls, which bring different partitions, before it commits. */
    @Test
    void commitCoversPartitionsThatEarlierPollsHaveBrought() throws Exception {
        put(0, "a");
        try (PollingConsumer consumer = builder()
                .topics("orders")
                .config(CONFIG.toBuilder().autoCommit(false).build())
                .buildPolling()
                .start()) {
            await().until(() -> !consumer.poll(Duration.ofSeconds(1)).isEmpty());
            put(1, "b");
            await().until(() -> !consumer.poll(Duration.ofSeconds(1)).isEmpty());

            consumer.commit();

            assertThat(new GroupAdmin(client).describe("orders", "shop").partitions())
                    .filteredOn(each -> each.partition() < 2)
                    .extracting(each -> each.committed().orElse(0))
                    .containsExactly(1L, 1L);
        }
    }
}

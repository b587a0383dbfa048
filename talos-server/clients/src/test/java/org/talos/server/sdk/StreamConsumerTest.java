// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.client.Transport;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.MessageProcessor;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.producer.OutgoingMessage;

/** The SDK's consumers over streams of a real server, with what a network does between them. */
@Timeout(120)
class StreamConsumerTest extends StreamReadFixture {
    private final Map<Integer, List<String>> seen = new ConcurrentHashMap<>();
    private ConsumerConfig config = ConsumerConfig.builder()
            .balanceInterval(Duration.ofMillis(100))
            .commitInterval(Duration.ofMillis(200))
            .build();

    private List<String> seen(int partition) {
        return seen.computeIfAbsent(partition, none -> new CopyOnWriteArrayList<>());
    }

    private void process(List<FetchedMessage> messages) {
        messages.forEach(each -> seen(each.partition()).add(each.text()));
    }

    private TalosConsumer consumer() throws Exception {
        return consumer((messages, checkpoint) -> process(messages));
    }

    private TalosConsumer consumer(MessageProcessor processor) throws Exception {
        return TalosConsumer.builder(client, "shop")
                .topics("orders")
                .config(config)
                .processor(processor)
                .build()
                .start();
    }

    private void awaitAllSeenOnceInOrder() {
        List<String> all =
                IntStream.range(0, put.get()).mapToObj(StreamReadFixture::text).toList();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            List<String> here = seen(partition);
            awaiting().until(() -> here.size() >= all.size());
            assertThat(here).isEqualTo(all);
        }
    }

    /** Puts messages into a partition until one has come over a stream. */
    private void awaitStreamed(int partition) throws Exception {
        long before = proxy.fromServer();
        while (proxy.fromServer() - before < LARGE) {
            String text = "x".repeat(LARGE) + seen(partition).size();
            producer.send(partition, OutgoingMessage.of(text)).get();
            awaiting().until(() -> seen(partition).contains(text));
        }
    }

    @Test
    void messagesComeOverOneStreamOfAllPartitionsAndByNoCall() throws Exception {
        try (TalosConsumer consumer = consumer()) {
            assertThat(consumer.failure()).isEmpty();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                awaitStreamed(partition);
            }
            seen.clear();
            int gets = proxy.gets();

            put(2_000);

            awaitAllSeenOnceInOrder();
            assertThat(proxy.gets()).isEqualTo(gets);
            assertThat(proxy.upgrades()).isEqualTo(1);
        }
    }

    @Test
    void lastOfWhatCameIsCommittedThoughNothingFollows() throws Exception {
        config = config.toBuilder().commitInterval(Duration.ofSeconds(2)).build();
        try (TalosConsumer consumer = consumer()) {
            assertThat(consumer.failure()).isEmpty();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                awaitStreamed(partition);
            }
            awaiting().until(() -> lag() == 0);
            int gets = proxy.gets();

            producer.send(0, OutgoingMessage.of("one")).get();
            producer.send(0, OutgoingMessage.of("last, before a commit is due again"))
                    .get();

            awaiting().until(() -> seen(0).contains("last, before a commit is due again"));
            awaiting().until(() -> lag() == 0);
            assertThat(proxy.gets()).isEqualTo(gets);
        }
    }

    private long lag() throws Exception {
        return new GroupAdmin(client).describe("orders", "shop").lag().orElse(1);
    }

    @Test
    void allOfThatWasThereComesOnceInOrder() throws Exception {
        config = config.toBuilder().maxFetchMessages(10).build();
        put(3_000);

        try (TalosConsumer consumer = consumer()) {
            assertThat(consumer.failure()).isEmpty();
            awaitAllSeenOnceInOrder();
        }

        assertThat(proxy.fromServer()).isPositive();
    }

    @Test
    void messagesComeOnceInOrderHoweverStreamsAreCut() throws Exception {
        Random random = new Random(Long.getLong("talos.test.seed", 7));
        try (TalosConsumer consumer = consumer()) {
            assertThat(consumer.failure()).isEmpty();
            for (int round = 0; round < 20 || proxy.upgrades() <= 5; round++) { // ever longer without one after a cut
                proxy.cutAfter(200 + random.nextInt(4_000)); // the opening takes less than 300
                put(50);
                if (random.nextBoolean()) {
                    int some = put.get() - random.nextInt(50);
                    awaiting().until(() -> seen(0).size() >= some);
                    proxy.cut();
                }
            }
            awaitAllSeenOnceInOrder();
            proxy.cutAfter(Integer.MAX_VALUE);
            put(50);
            awaitAllSeenOnceInOrder();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"REFUSE", "SILENT", "CUT_ANSWER", "CUT_REQUEST"})
    void messagesComeByCallsWhereNoStreamIsOpened(StreamProxy.Manner manner) throws Exception {
        proxy.manner(manner);
        put(50);
        try (TalosConsumer consumer = consumer()) {
            assertThat(consumer.failure()).isEmpty();
            awaitAllSeenOnceInOrder();
            put(50);
            awaitAllSeenOnceInOrder();
        }

        assertThat(proxy.upgrades()).isPositive();
        assertThat(proxy.fromServer()).isZero();
    }

    @Test
    void messagesComeOverAStreamAgainOnceThereIsOne() throws Exception {
        proxy.manner(StreamProxy.Manner.CUT_REQUEST);
        put(50);
        try (TalosConsumer consumer = consumer()) {
            assertThat(consumer.failure()).isEmpty();
            awaitAllSeenOnceInOrder();

            proxy.manner(StreamProxy.Manner.PASS);

            awaitStreamed(1);
        }
    }

    @Test
    void silentStreamIsLeftAndWhatItLostComesAnotherWay() throws Exception {
        try (TalosConsumer consumer = consumer()) {
            assertThat(consumer.failure()).isEmpty();
            awaitStreamed(0);
            awaitStreamed(1);
            awaitStreamed(2);
            seen.clear();
            proxy.losesAnswers(true);

            put(10);

            awaitAllSeenOnceInOrder();
        }
    }

    @Test
    void processorThatStopsHoldsUpNoOtherPartitionAndTakesNoMoreThanTheWindow() throws Exception {
        client.close();
        client = client(Transport.STREAM.withWindow(64 << 10));
        config = config.toBuilder().maxFetchBytes(16 << 10).build();
        CountDownLatch resume = new CountDownLatch(1);
        try (TalosConsumer consumer = consumer((messages, checkpoint) -> {
            process(messages);
            if (messages.get(messages.size() - 1).text().startsWith("stop")) {
                resume.await();
            }
        })) {
            assertThat(consumer.failure()).isEmpty();
            awaitStreamed(0);
            awaitStreamed(1);
            producer.send(0, OutgoingMessage.of("stop")).get();
            awaiting().until(() -> seen(0).contains("stop"));
            long before = proxy.fromServer();

            for (int i = 0; i < 1_000; i++) {
                var unused = producer.send(0, OutgoingMessage.of("y".repeat(LARGE)));
            }
            for (int i = 0; i < 100; i++) {
                String text = "z".repeat(1_000) + i;
                producer.send(1, OutgoingMessage.of(text)).get();
                awaiting().until(() -> seen(1).contains(text));
            }
            producer.flush();

            assertThat(proxy.fromServer() - before).isBetween(100_000L, 500_000L); // of 4 MB
            resume.countDown();
            awaiting()
                    .until(() ->
                            seen(0).stream().filter("y".repeat(LARGE)::equals).count() == 1_000);
        }
    }

    @Test
    void consumerThatMayReadNothingAheadOpensNoStream() throws Exception {
        config = config.toBuilder().maxAheadBytes(0).build();
        put(100);

        try (TalosConsumer consumer = consumer()) {
            assertThat(consumer.failure()).isEmpty();
            awaitAllSeenOnceInOrder();
        }

        assertThat(proxy.upgrades()).isZero();
    }

    @Test
    void blockLargerThanTheWindowComesByACallBetweenTheOthers() throws Exception {
        client.close();
        client = client(Transport.STREAM.withWindow(64 << 10));
        String large = "large".repeat(40_000);
        try (TalosConsumer consumer = consumer()) {
            assertThat(consumer.failure()).isEmpty();
            awaitStreamed(0);
            seen.clear();

            for (String text : List.of("a", "b", large, "c", large, "d")) {
                producer.send(0, OutgoingMessage.of(text)).get();
            }

            awaiting().until(() -> seen(0).size() == 6);
            assertThat(seen(0)).containsExactly("a", "b", large, "c", large, "d");
        }
    }

    @Test
    void closingAConsumerClosesItsStreams() throws Exception {
        TalosConsumer consumer = consumer();
        awaitStreamed(0);
        assertThat(proxy.open()).isEqualTo(1);

        consumer.close();

        awaiting().until(() -> proxy.open() == 0);
    }

    @Test
    void serverThatStopsAndComesBackIsReadOn() throws Exception {
        try (TalosConsumer consumer = consumer()) {
            assertThat(consumer.failure()).isEmpty();
            awaitStreamed(0);
            seen.clear();
            put(100);
            server.close();
            startServer();
            put(100);

            awaitAllSeenOnceInOrder();
        }
    }

    @Test
    void unreadableBlockIsSkippedIfTheProgramSaysSo() throws Exception {
        List<Long> skipped = new CopyOnWriteArrayList<>();
        config = config.toBuilder()
                .skipUnreadable(block -> skipped.add(block.firstOffset()))
                .build();
        try (TalosConsumer consumer = consumer()) {
            assertThat(consumer.failure()).isEmpty();
            awaitStreamed(0);
            int gets = proxy.gets();
            long first = seen(0).size();

            putUnreadable(0, 5);
            producer.send(0, OutgoingMessage.of("behind")).get();

            awaiting().until(() -> seen(0).contains("behind"));
            assertThat(skipped).containsExactly(first);
            assertThat(proxy.gets()).isGreaterThanOrEqualTo(gets);
        }
    }
}

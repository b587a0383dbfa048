// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosClientException.Outcome;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.PipelinedProducer;
import org.talos.server.testing.TestServer;

/** Batches under way together on streams of a real server, with what a network does between them. */
@Timeout(120)
class StreamPipelineTest {
    private static final int PARTITIONS = 2;
    private static final int SECONDS = 60;

    @TempDir
    private Path data;

    private StreamFixture streams;

    @BeforeEach
    void start() throws Exception {
        streams = new StreamFixture(data, PARTITIONS);
    }

    @AfterEach
    void close() throws Exception {
        streams.close();
    }

    private static List<OutgoingMessage> message(int number) {
        return List.of(OutgoingMessage.of("m" + number));
    }

    private static List<String> numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
    }

    /** Returns the outcomes of the puts of a partition, in their order: stored, unknown, or not stored. */
    private static List<String> outcomes(List<CompletableFuture<?>> puts) {
        List<String> outcomes = new ArrayList<>();
        for (CompletableFuture<?> each : puts) {
            Throwable thrown = catchThrowable(() -> each.get(SECONDS, TimeUnit.SECONDS));
            if (thrown == null) {
                outcomes.add("stored");
            } else {
                TalosClientException failure = (TalosClientException) thrown.getCause();
                outcomes.add(failure.outcome() == Outcome.UNKNOWN ? "unknown" : "not");
            }
        }
        return outcomes;
    }

    private static int count(List<String> outcomes, String outcome) {
        return (int) outcomes.stream().filter(outcome::equals).count();
    }

    @ParameterizedTest
    @EnumSource
    void batchesAreStoredOnceInTheirOrderHoweverTheyGo(StreamProxy.Manner manner) throws Exception {
        streams.proxy.manner(manner);
        List<CompletableFuture<?>> puts = new ArrayList<>();
        try (PipelinedProducer producer = new PipelinedProducer(streams.client, streams.topic, Compression.NONE)) {
            for (int i = 0; i < 100; i++) {
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    puts.add(producer.put(partition, message(i)));
                }
            }
            assertThat(outcomes(puts)).containsOnly("stored");
        }

        assertThat(streams.proxy.calls() > 0).isEqualTo(manner != StreamProxy.Manner.PASS);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            assertThat(streams.stored(streams.topic, partition)).isEqualTo(numbered(100));
        }
    }

    @Test
    void cutSaysOfEachBatchWhatBecameOfItAndNothingIsStoredBehindAFailedOne() throws Exception {
        Random random = new Random(Long.getLong("talos.test.seed", 7));
        streams.proxy.cutAfter(600 + random.nextInt(2_000)); // of which the opening takes less than 300
        List<List<CompletableFuture<?>>> puts = List.of(new ArrayList<>(), new ArrayList<>());
        try (PipelinedProducer producer =
                new PipelinedProducer(streams.client.once(), streams.topic, Compression.NONE)) {
            for (int i = 0; i < 500; i++) {
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    puts.get(partition).add(producer.put(partition, message(i)));
                }
            }
            puts.forEach(StreamPipelineTest::outcomes);
        }

        assertThat(outcomes(puts.stream().flatMap(List::stream).toList())).contains("unknown");
        for (int partition = 0; partition < PARTITIONS; partition++) {
            List<String> outcomes = outcomes(puts.get(partition));
            assertThat(outcomes)
                    .isEqualTo(
                            outcomes.stream().sorted(StreamPipelineTest::byFate).toList());
            List<String> stored = streams.stored(streams.topic, partition);
            assertThat(stored).isEqualTo(numbered(stored.size()));
            int least = count(outcomes, "stored");
            assertThat(stored).hasSizeBetween(least, least + count(outcomes, "unknown"));
        }
    }

    private static int byFate(String one, String other) {
        List<String> order = List.of("stored", "unknown", "not");
        return Integer.compare(order.indexOf(one), order.indexOf(other));
    }

    @Test
    void batchesThroughCutsAreStoredOnceIfTheyMayBeRepeated() throws Exception {
        Random random = new Random(Long.getLong("talos.test.seed", 7));
        List<CompletableFuture<?>> puts = new ArrayList<>();
        try (PipelinedProducer producer = new PipelinedProducer(streams.client, streams.topic, Compression.NONE)) {
            for (int i = 0; i < 500; i++) {
                if (i % 50 == 0) {
                    streams.proxy.cutAfter(600 + random.nextInt(2_000));
                    puts.forEach(each -> assertThat(outcomes(List.of(each))).containsExactly("stored"));
                }
                puts.add(producer.put(0, message(i)));
            }
            streams.proxy.cutAfter(Integer.MAX_VALUE);
            assertThat(outcomes(puts)).containsOnly("stored");
        }

        assertThat(streams.stored(streams.topic, 0)).isEqualTo(numbered(500));
    }

    @Test
    void refusedBatchStopsItsPartitionAndNoOther() throws Exception {
        try (PipelinedProducer producer = new PipelinedProducer(streams.client, streams.topic, Compression.NONE)) {
            producer.put(0, message(0)).get(SECONDS, TimeUnit.SECONDS);
            CompletableFuture<?> refused = producer.put(7, message(0));
            assertThatThrownBy(() -> refused.get(SECONDS, TimeUnit.SECONDS))
                    .hasMessageContaining("PARTITION_NOT_EXIST");

            assertThat(outcomes(List.of(producer.put(7, message(1)), producer.put(0, message(1)))))
                    .containsExactly("not", "stored");
        }
    }

    @Test
    void callsGoOneAfterAnotherAndNoneBehindAFailedOne() throws Exception {
        TestServer server = streams.server;
        TopicDescription gone = server.admin().createTopic(NewTopic.of("gone", 1));
        try (TalosClient calls = new TalosClient(server.endpoint());
                PipelinedProducer producer = new PipelinedProducer(calls, gone, Compression.NONE)) {
            List<CompletableFuture<?>> puts = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                puts.add(producer.put(0, message(i)));
            }
            assertThat(outcomes(puts)).containsOnly("stored");
            assertThat(streams.stored(gone, 0)).isEqualTo(numbered(50));
            server.admin().deleteTopic("gone");

            List<CompletableFuture<?>> late = List.of(producer.put(0, message(50)), producer.put(0, message(51)));

            assertThatThrownBy(() -> late.get(0).get(SECONDS, TimeUnit.SECONDS))
                    .hasMessageContaining("TOPIC_NOT_EXIST");
            assertThatThrownBy(() -> late.get(1).get(SECONDS, TimeUnit.SECONDS))
                    .hasMessageContaining("PUT_BEFORE_FAILED");
        }
    }

    @Test
    void closedProducerCallsNoMore() throws Exception {
        try (TalosClient calls = new TalosClient(streams.server.endpoint())) {
            PipelinedProducer producer = new PipelinedProducer(calls, streams.topic, Compression.NONE);
            assertThat(outcomes(List.of(producer.put(0, message(0))))).containsExactly("stored");

            producer.close();

            assertThatThrownBy(() -> producer.put(0, message(1)).get(SECONDS, TimeUnit.SECONDS))
                    .hasMessageContaining("CLOSED");
            assertThat(streams.stored(streams.topic, 0)).isEqualTo(numbered(1));
        }
    }

    @Test
    void batchesOfAClosedProducerFailAsFarAsTheyAreNotAnswered() throws Exception {
        PipelinedProducer producer = new PipelinedProducer(streams.client, streams.topic, Compression.NONE);
        await().atMost(Duration.ofSeconds(SECONDS)).until(() -> {
            int calls = streams.proxy.calls();
            producer.put(1, message(0)).get(SECONDS, TimeUnit.SECONDS);
            return streams.proxy.calls() == calls; // there is a stream
        });
        streams.proxy.losesAnswers(true);
        CompletableFuture<?> put = producer.put(0, message(0));
        await().atMost(Duration.ofSeconds(SECONDS))
                .until(() -> streams.stored(streams.topic, 0).size() == 1);

        producer.close();

        assertThat(outcomes(List.of(put, producer.put(1, message(1))))).containsExactly("unknown", "not");
    }
}

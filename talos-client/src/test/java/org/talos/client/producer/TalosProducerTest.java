// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ClientConfig;
import org.talos.client.FatalException;
import org.talos.client.RetriableException;
import org.talos.client.ScriptedServer;
import org.talos.client.ScriptedServer.Asked;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.UnknownOutcomeException;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

@Timeout(60)
class TalosProducerTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private ScriptedServer server;
    private ProducerConfig config = ProducerConfig.defaults();

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private TalosProducer open(int partitions) throws Exception {
        server.first(result(ScriptedServer.attributed(partitions, Map.of())));
        ClientConfig client =
                ClientConfig.of(server.uri(), "AKTEST", "a-secret").withTimeout(Duration.ofSeconds(5));
        return new TalosProducer(new TalosClient(client), "orders", config);
    }

    private void stored(int puts) {
        for (int i = 0; i < puts; i++) {
            server.then(result(new PutMessageResponse("x")));
        }
    }

    private List<PutMessageRequest> puts() {
        return server.asked().stream()
                .filter(each -> each.uri().endsWith("putMessage"))
                .map(each -> each.request(new PutMessageRequest()))
                .toList();
    }

    private static List<String> texts(PutMessageRequest put) {
        try {
            return MessageBlocks.read(put.getMessageBlocks().get(0), 1 << 20).stream()
                    .map(each -> new String(each.getMessage().getMessage(), StandardCharsets.UTF_8))
                    .toList();
        } catch (MalformedBlockException e) {
            throw new AssertionError(e);
        }
    }

    /** An answer that waits until it is released. */
    private static ScriptedServer.Answer held(CountDownLatch gate) {
        ScriptedServer.Answer answer = result(new PutMessageResponse("x"));
        return (exchange, body) -> {
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            answer.to(exchange, body);
        };
    }

    private static TalosClientException failure(CompletableFuture<PutResult> sent) throws InterruptedException {
        try {
            throw new AssertionError("it was stored: " + sent.get());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TalosClientException failure) {
                return failure;
            }
            throw new AssertionError(e);
        }
    }

    @Test
    void messagesThatWaitTogetherArePutTogetherAndInOrder() throws Exception {
        config = config.toBuilder().maxBatchMessages(3).linger(LONG).build();
        stored(1);
        try (TalosProducer producer = open(1)) {
            List<CompletableFuture<PutResult>> sent = new ArrayList<>();
            for (String each : List.of("a", "b", "c")) {
                sent.add(producer.send(OutgoingMessage.of(each)));
            }
            for (CompletableFuture<PutResult> each : sent) {
                assertThat(each.get()).isEqualTo(new PutResult("orders", 0));
            }
        }
        assertThat(puts()).hasSize(1);
        assertThat(texts(puts().get(0))).containsExactly("a", "b", "c");
    }

    @Test
    void fullBatchDoesNotLinger() throws Exception {
        config = config.toBuilder()
                .maxBatchMessages(5_000)
                .maxBatchBytes(1_000)
                .linger(LONG)
                .build();
        stored(1);
        try (TalosProducer producer = open(1)) {
            producer.send(OutgoingMessage.of("x".repeat(1_000))).get();
        }
    }

    @Test
    void lingeringEndsByItself() throws Exception {
        config = config.toBuilder()
                .maxBatchMessages(5_000)
                .linger(Duration.ofMillis(20))
                .build();
        stored(1);
        try (TalosProducer producer = open(1)) {
            producer.send(OutgoingMessage.of("a")).get();
        }
    }

    @Test
    void flushDoesNotLingerAndWaitsForAll() throws Exception {
        config = config.toBuilder().maxBatchMessages(5_000).linger(LONG).build();
        stored(2);
        try (TalosProducer producer = open(2)) {
            CompletableFuture<PutResult> one = producer.send(0, OutgoingMessage.of("a"));
            CompletableFuture<PutResult> two = producer.send(1, OutgoingMessage.of("b"));
            producer.flush();
            assertThat(one).isCompleted();
            assertThat(two).isCompleted();
        }
    }

    @Test
    void orderHoldsWhenAPutHasToBeRepeated() throws Exception {
        config = config.toBuilder().maxBatchMessages(1).linger(Duration.ZERO).build();
        try (TalosProducer producer = open(1)) {
            server.then(error(ErrorCode.PARTITION_NOT_SERVING, "moving"))
                    .then(error(ErrorCode.HDFS_OPERATION_FAILED, "the disk"));
            stored(3);
            List<String> called = new CopyOnWriteArrayList<>();
            for (String each : List.of("a", "b", "c")) {
                producer.send(OutgoingMessage.of(each), (stored, failure) -> called.add(each));
            }
            producer.flush();
            assertThat(called).containsExactly("a", "b", "c");
        }
        assertThat(puts().stream().map(each -> texts(each).get(0))).containsExactly("a", "a", "a", "b", "c");
        assertThat(puts().get(2).getSequenceId()).isEqualTo(puts().get(0).getSequenceId());
        assertThat(puts().get(3).getSequenceId()).isNotEqualTo(puts().get(0).getSequenceId());
    }

    @Test
    void messagesOfAKeyShareAPartition() throws Exception {
        config = config.toBuilder().maxBatchMessages(1).linger(Duration.ZERO).build();
        stored(4);
        try (TalosProducer producer = open(8)) {
            int first =
                    producer.send(OutgoingMessage.of("a").withKey("k")).get().partition();
            for (int i = 0; i < 3; i++) {
                assertThat(producer.send(OutgoingMessage.of("b").withKey("k"))
                                .get()
                                .partition())
                        .isEqualTo(first);
            }
        }
    }

    @Test
    void failedMessagesFailOneByOneAndTheNextAreSent() throws Exception {
        config = config.toBuilder().maxBatchMessages(1).linger(Duration.ZERO).build();
        try (TalosProducer producer = open(1)) {
            server.then(error(ErrorCode.PERMISSION_DENIED_ERROR, "no"));
            stored(1);
            CompletableFuture<PutResult> refused = producer.send(OutgoingMessage.of("a"));
            CompletableFuture<PutResult> next = producer.send(OutgoingMessage.of("b"));

            assertThat(failure(refused)).isInstanceOf(FatalException.class);
            assertThat(next.get().partition()).isZero();
            assertThat(org.assertj.core.api.Assertions.catchThrowable(producer::flush))
                    .isInstanceOf(FatalException.class);
            producer.flush(); // thrown once
        }
    }

    @Test
    void fullBufferBlocksSendersAndThenRefuses() throws Exception {
        config = config.toBuilder()
                .maxBatchMessages(1)
                .linger(Duration.ZERO)
                .maxBufferedMessages(2)
                .maxBufferedBytes(1 << 20)
                .maxBlock(Duration.ofMillis(50))
                .build();
        CountDownLatch gate = new CountDownLatch(1);
        try (TalosProducer producer = open(1)) {
            server.then(held(gate));
            stored(2);
            CompletableFuture<PutResult> first = producer.send(OutgoingMessage.of("a"));
            CompletableFuture<PutResult> second = producer.send(OutgoingMessage.of("b"));

            TalosClientException refused = failure(producer.send(OutgoingMessage.of("c")));
            assertThat(refused.code()).isEqualTo("BUFFER_FULL");
            assertThat(refused.outcome()).isEqualTo(TalosClientException.Outcome.DID_NOT_HAPPEN);

            gate.countDown();
            second.get();
            assertThat(first).isCompleted();
            assertThat(producer.send(OutgoingMessage.of("d")).get().partition()).isZero();
        }
    }

    @Test
    void closeSendsQueuedMessages() throws Exception {
        config = config.toBuilder().maxBatchMessages(5_000).linger(LONG).build();
        stored(1);
        TalosProducer producer = open(1);
        CompletableFuture<PutResult> sent = producer.send(OutgoingMessage.of("a"));

        producer.close();

        assertThat(sent).isCompleted();
        assertThat(failure(producer.send(OutgoingMessage.of("b"))).code()).isEqualTo("CLOSED");
        producer.close();
    }

    /** A message in flight may be stored; one that was never sent certainly is not. */
    @Test
    void closeThatTimesOutFailsEachMessageWithWhatIsKnown() throws Exception {
        config = config.toBuilder()
                .maxBatchMessages(1)
                .linger(Duration.ZERO)
                .deliveryTimeout(LONG)
                .closeTimeout(Duration.ofMillis(100))
                .build();
        CountDownLatch gate = new CountDownLatch(1);
        TalosProducer producer = open(1);
        server.then(held(gate));
        CompletableFuture<PutResult> onItsWay = producer.send(OutgoingMessage.of("a"));
        await().until(() -> server.asked().size() == 2);
        CompletableFuture<PutResult> behind = producer.send(OutgoingMessage.of("b"));

        producer.close();

        assertThat(failure(onItsWay)).isInstanceOf(UnknownOutcomeException.class);
        assertThat(failure(behind)).isInstanceOf(RetriableException.class);
        gate.countDown();
    }

    @Test
    void messageThatCanNotBeDeliveredInTimeFails() throws Exception {
        config = config.toBuilder()
                .maxBatchMessages(1)
                .linger(Duration.ZERO)
                .deliveryTimeout(Duration.ofMillis(500))
                .closeTimeout(Duration.ofSeconds(5))
                .build();
        try (TalosProducer producer = open(1)) {
            for (int i = 0; i < 100; i++) {
                server.then(error(ErrorCode.PARTITION_NOT_SERVING, "moving"));
            }
            assertThat(failure(producer.send(OutgoingMessage.of("a"))).code()).isEqualTo("PARTITION_NOT_SERVING");
        }
    }

    @Test
    void lateAnswersLeaveTheOutcomeUnknown() throws Exception {
        config = config.toBuilder()
                .maxBatchMessages(1)
                .linger(Duration.ZERO)
                .deliveryTimeout(Duration.ofMillis(300))
                .closeTimeout(Duration.ofSeconds(20))
                .build();
        CountDownLatch gate = new CountDownLatch(1);
        try (TalosProducer producer = open(1)) {
            server.then(held(gate));
            TalosClientException late = failure(producer.send(OutgoingMessage.of("a")));
            assertThat(late).isInstanceOf(UnknownOutcomeException.class);
        } finally {
            gate.countDown();
        }
    }

    @Test
    void messagesThatNoServerAcceptsAreRefusedByTheClient() throws Exception {
        try (TalosProducer producer = open(2)) {
            assertThat(failure(producer.send(OutgoingMessage.of(new byte[(10 << 20) + 1]))))
                    .isInstanceOf(FatalException.class);
            server.then(result(ScriptedServer.attributed(2, Map.of())));
            assertThat(failure(producer.send(2, OutgoingMessage.of("a"))).code())
                    .isEqualTo("PARTITION_NOT_EXIST");
            assertThat(failure(producer.send(-1, OutgoingMessage.of("a"))).code())
                    .isEqualTo("PARTITION_NOT_EXIST");
        }
    }

    @Test
    void topicThatGrowsIsNoticed() throws Exception {
        config = config.toBuilder()
                .partitionCheckInterval(Duration.ofNanos(1))
                .maxBatchMessages(1)
                .linger(LONG)
                .build();
        try (TalosProducer producer = open(1)) {
            server.then(this::whateverIsAsked).then(this::whateverIsAsked);
            producer.send(OutgoingMessage.of("a")).get();
            await().until(() -> producer.partitions() == 3);
        }
    }

    private void whateverIsAsked(com.sun.net.httpserver.HttpExchange exchange, byte[] body) throws IOException {
        boolean put = new Asked("", exchange.getRequestURI().toString(), java.util.Map.of(), body)
                .uri()
                .endsWith("putMessage");
        (put ? result(new PutMessageResponse("x")) : result(ScriptedServer.attributed(3, Map.of()))).to(exchange, body);
    }

    @Test
    void callbackThatThrowsAffectsNoOtherMessage() throws Exception {
        config = config.toBuilder().maxBatchMessages(1).linger(Duration.ZERO).build();
        stored(2);
        try (TalosProducer producer = open(1)) {
            producer.send(OutgoingMessage.of("a"), (stored, failure) -> {
                throw new IllegalStateException("made to fail");
            });
            producer.send(OutgoingMessage.of("b")).get();
        }
    }

    /** A program that chooses partitions itself may know of a new one before the producer does. */
    @Test
    void messagesToAPartitionThatIsNewAreStoredInOrder() throws Exception {
        config = config.toBuilder().maxBatchMessages(1).linger(Duration.ZERO).build();
        try (TalosProducer producer = open(1)) {
            server.then(result(ScriptedServer.attributed(3, Map.of())));
            stored(2);
            CompletableFuture<PutResult> first = producer.send(2, OutgoingMessage.of("a"));
            CompletableFuture<PutResult> second = producer.send(2, OutgoingMessage.of("b"));

            assertThat(first.get().partition()).isEqualTo(2);
            assertThat(second.get().partition()).isEqualTo(2);
            assertThat(producer.partitions()).isEqualTo(3);
        }
        assertThat(puts().stream().map(each -> texts(each).get(0))).containsExactly("a", "b");
    }

    @Test
    void slowCallbacksMakeSendersWaitForRoom() throws Exception {
        config = config.toBuilder()
                .maxBatchMessages(1)
                .linger(Duration.ZERO)
                .maxBufferedMessages(5)
                .maxBufferedBytes(1 << 20)
                .maxBlock(Duration.ofSeconds(2))
                .build();
        server.otherwise(result(new PutMessageResponse("x")));
        CountDownLatch gate = new CountDownLatch(1);
        server.first(result(ScriptedServer.attributed(1, Map.of())));
        ClientConfig client = ClientConfig.of(server.uri(), "AKTEST", "a-secret");
        try (TalosProducer producer = new TalosProducer(new TalosClient(client), "orders", config)) {
            producer.send(OutgoingMessage.of("slow"), (stored, failure) -> {
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            List<CompletableFuture<PutResult>> sent = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                sent.add(producer.send(OutgoingMessage.of("a")));
            }
            assertThat(failure(sent.get(6)).code()).isEqualTo("BUFFER_FULL");
            gate.countDown();
        }
    }

    /** Its partition has no queue yet that could refuse it. */
    @Test
    void senderThatWaitsForRoomWhileTheProducerClosesIsRefused() throws Exception {
        config = config.toBuilder()
                .maxBatchMessages(1)
                .linger(Duration.ZERO)
                .maxBufferedMessages(1)
                .maxBufferedBytes(1 << 20)
                .maxBlock(LONG)
                .deliveryTimeout(LONG)
                .closeTimeout(Duration.ofMillis(100))
                .build();
        CountDownLatch gate = new CountDownLatch(1);
        TalosProducer producer = open(2);
        server.then(held(gate));
        CompletableFuture<PutResult> onItsWay = producer.send(0, OutgoingMessage.of("a"));
        CompletableFuture<CompletableFuture<PutResult>> late = new CompletableFuture<>();
        Thread sender = new Thread(() -> late.complete(producer.send(1, OutgoingMessage.of("b"))));
        sender.start();
        await().until(() -> sender.getState() == Thread.State.TIMED_WAITING);

        producer.close();

        assertThat(failure(late.get()).code()).isEqualTo("CLOSED");
        assertThat(failure(onItsWay)).isInstanceOf(UnknownOutcomeException.class);
        gate.countDown();
    }
}

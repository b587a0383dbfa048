// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ClientConfig;
import org.talos.client.FatalException;
import org.talos.client.ScriptedServer;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.UnknownOutcomeException;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.PutMessageResponse;

/** Tests flush and close of a producer that sends each message at once. */
@Timeout(60)
class ProducerEndTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();
    private static final ProducerConfig AT_ONCE =
            ProducerConfig.builder().maxBatchMessages(1).linger(Duration.ZERO).build();

    private ScriptedServer server;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private TalosProducer open() throws Exception {
        return open(AT_ONCE);
    }

    private TalosProducer open(ProducerConfig config) throws Exception {
        server.first(result(ScriptedServer.attributed(1, Map.of())));
        ClientConfig client =
                ClientConfig.of(server.uri(), "AKTEST", "a-secret").withTimeout(Duration.ofSeconds(5));
        return new TalosProducer(new TalosClient(client), "orders", config);
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

    /** It would wait for the callback that it is called by. */
    @Test
    void flushInACallbackIsRefusedByName() throws Exception {
        server.then(result(new PutMessageResponse("x")));
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        try (TalosProducer producer = open()) {
            producer.send(
                    OutgoingMessage.of("a"), (stored, failure) -> thrown.complete(catchThrowable(producer::flush)));

            assertThat(thrown.get())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("flush: called by a callback");
        }
    }

    @Test
    void flushWithATimeEndsThenAndTheMessageIsPutNevertheless() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        try (TalosProducer producer = open()) {
            server.then(held(gate));
            CompletableFuture<PutResult> sent = producer.send(OutgoingMessage.of("a"));

            assertThat(catchThrowable(() -> producer.flush(Duration.ofMillis(50))))
                    .isInstanceOf(UnknownOutcomeException.class)
                    .hasMessageContaining("TIMEOUT");
            gate.countDown();

            assertThat(sent.get()).isEqualTo(new PutResult("orders", 0));
        }
    }

    @Test
    void closeReportsWhatWasNotSentAndWhatMayHaveBeenStored() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        server.otherwise(held(gate));
        TalosProducer producer = open();
        try {
            var unused = producer.send(OutgoingMessage.of("in flight"));
            var unused1 = producer.send(OutgoingMessage.of("queued"));
            var unused2 = producer.send(OutgoingMessage.of("queued too"));

            assertThat(producer.close(Duration.ofMillis(50))).isEqualTo(new CloseReport(2, 1, 0));
            assertThat(producer.close(Duration.ZERO).isClean()).isTrue();
        } finally {
            gate.countDown();
        }
    }

    @Test
    void closeReportsFailuresThatNobodyLookedAt() throws Exception {
        server.otherwise(error(ErrorCode.PERMISSION_DENIED_ERROR, "no"));
        TalosProducer producer = open();
        CountDownLatch calledBack = new CountDownLatch(1);
        assertThat(failure(producer.send(OutgoingMessage.of("waited for")))).isInstanceOf(FatalException.class);
        producer.send(OutgoingMessage.of("with a callback"), (stored, failure) -> calledBack.countDown());
        calledBack.await();
        CompletableFuture<PutResult> early = producer.send(OutgoingMessage.of("looked at late"));
        await().until(early::isDone);
        assertThat(failure(early)).isInstanceOf(FatalException.class);
        CompletableFuture<PutResult> late = producer.send(OutgoingMessage.of("forgotten"));
        await().until(late::isDone);

        assertThat(producer.close(LONG)).isEqualTo(new CloseReport(0, 0, 1));
    }

    private static ProducerConfig.Builder withoutAnEnd() {
        return ProducerConfig.builder()
                .linger(FOREVER)
                .maxBlock(FOREVER)
                .deliveryTimeout(FOREVER)
                .partitionCheckInterval(FOREVER)
                .closeTimeout(FOREVER);
    }

    @Test
    void timesWithoutAnEndAreWaitedForByNobodyWhoSendsFlushesAndCloses() throws Exception {
        server.then(result(new PutMessageResponse("x"))).then(result(new PutMessageResponse("x")));
        TalosProducer producer = open(withoutAnEnd().build());
        CompletableFuture<PutResult> one = producer.send(OutgoingMessage.of("a"));
        producer.flush(FOREVER);
        CompletableFuture<PutResult> two = producer.send(OutgoingMessage.of("b"));

        producer.close();

        assertThat(one).isCompleted();
        assertThat(two).isCompleted();
        assertThat(producer.close(FOREVER).isClean()).isTrue();
    }

    @Test
    void roomIsWaitedForWithoutAnEnd() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        server.then(held(gate)).then(result(new PutMessageResponse("x")));
        TalosProducer producer =
                open(withoutAnEnd().linger(Duration.ZERO).maxBufferedMessages(1).build());
        CompletableFuture<PutResult> one = producer.send(OutgoingMessage.of("a"));
        FutureTask<CompletableFuture<PutResult>> two = new FutureTask<>(() -> producer.send(OutgoingMessage.of("b")));
        Thread sender = new Thread(two);
        sender.start();
        await().until(() -> sender.getState() == Thread.State.TIMED_WAITING || two.isDone());

        gate.countDown();

        one.get();
        two.get().get();
        sender.join();
        producer.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.client.ScriptedServer.result;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.ProducerConfig;
import org.talos.client.producer.PutResult;
import org.talos.client.producer.TalosProducer;
import org.talos.thrift.PutMessageResponse;

/** Tests how long it takes to close a client that has several producers. */
@Timeout(60)
class ClientEndTest {
    private static final int PRODUCERS = 4;

    private final CountDownLatch gate = new CountDownLatch(1);
    private ScriptedServer server;
    private TalosClient client;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        server.otherwise((exchange, body) -> {
            if (exchange.getRequestURI().toString().endsWith("getTopicAttribute")) {
                result(ScriptedServer.attributed(1, Map.of())).to(exchange, body);
                return;
            }
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            result(new PutMessageResponse("x")).to(exchange, body);
        });
        client = new TalosClient(ClientConfig.of(server.uri(), "AKTEST", "a-secret"));
    }

    @AfterEach
    void stop() {
        gate.countDown();
        server.close();
    }

    private TalosProducer producer(Duration closeTimeout) throws TalosClientException {
        return new TalosProducer(
                client,
                "orders",
                ProducerConfig.builder()
                        .linger(Duration.ZERO)
                        .closeTimeout(closeTimeout)
                        .build());
    }

    /** Messages in flight, each of a producer of its own, of which the server does not answer any. */
    private List<CompletableFuture<PutResult>> inFlight(Duration closeTimeout) throws TalosClientException {
        List<CompletableFuture<PutResult>> sent = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
            sent.add(producer(closeTimeout).send(OutgoingMessage.of("a")));
        }
        return sent;
    }

    private static void assertUnknown(List<CompletableFuture<PutResult>> sent) {
        assertThat(sent)
                .allSatisfy(each -> assertThatThrownBy(each::get)
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(UnknownOutcomeException.class));
    }

    @Test
    void producersAreClosedAtOnce() throws Exception {
        List<CompletableFuture<PutResult>> sent = inFlight(Duration.ofSeconds(2));
        long begun = System.nanoTime();

        client.close();

        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(PRODUCERS + 2));
        assertUnknown(sent);
    }

    @Test
    void timeOfTheClosingIsThatOfAllTogether() throws Exception {
        List<CompletableFuture<PutResult>> sent = inFlight(Duration.ofSeconds(30));
        long begun = System.nanoTime();

        client.close(Duration.ofMillis(500));

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        assertUnknown(sent);
    }

    @Test
    void callbackMayCloseTheClient() throws Exception {
        TalosProducer producer = producer(Duration.ofSeconds(30));
        CompletableFuture<Duration> took = new CompletableFuture<>();
        producer.send(OutgoingMessage.of("a"), (stored, failure) -> {
            long begun = System.nanoTime();
            client.close();
            took.complete(Duration.ofNanos(System.nanoTime() - begun));
        });

        gate.countDown();

        assertThat(took.get(30, TimeUnit.SECONDS)).isLessThan(Duration.ofSeconds(5));
        assertThatThrownBy(() -> producer(Duration.ZERO)).hasMessageContaining("CLOSED");
    }
}

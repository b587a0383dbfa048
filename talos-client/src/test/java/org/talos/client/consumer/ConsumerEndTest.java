// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.talos.client.ScriptedServer.result;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ClientConfig;
import org.talos.client.ScriptedServer;
import org.talos.client.TalosClient;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.ProducerConfig;
import org.talos.client.producer.PutResult;
import org.talos.client.producer.TalosProducer;
import org.talos.thrift.PutMessageResponse;

/** Tests how a consumer is closed by its processors, with its client, and within a time. */
@Timeout(60)
class ConsumerEndTest extends MemberFixture {
    /** Far below the 20 s for which closing waits by the configuration. */
    private static final Duration SOON = Duration.ofSeconds(10);

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    private TalosClient client() {
        return new TalosClient(
                ClientConfig.of(server.uri(), "AKTEST", "a-secret").withoutDirectRouting());
    }

    private TalosConsumer join(TalosClient client, MessageProcessor processor) throws Exception {
        TalosConsumer consumer = TalosConsumer.builder(client, "shop")
                .topics("orders")
                .config(CONFIG)
                .processor(processor)
                .build()
                .start();
        me = consumer.member();
        return consumer;
    }

    private void assertLeft(TalosConsumer consumer) {
        await().until(() -> heard.contains("leave " + consumer.member()));
        assertThat(heard).contains("commit 4", "unlock");
        await().until(() -> consumer.ended().toCompletableFuture().isDone());
        assertThat(consumer.ended().toCompletableFuture()).isCompleted();
    }

    @Test
    void processorMayCloseItsConsumer() throws Exception {
        message = 4;
        CompletableFuture<TalosConsumer> itself = new CompletableFuture<>();
        CompletableFuture<Duration> took = new CompletableFuture<>();
        TalosConsumer consumer = join(client(), (messages, checkpoint) -> {
            long begun = System.nanoTime();
            itself.get().close();
            took.complete(since(begun));
        });

        itself.complete(consumer);

        assertThat(took.get(30, TimeUnit.SECONDS)).isLessThan(SOON);
        assertLeft(consumer);
    }

    @Test
    void closeThatFollowsOnThatOfAProcessorWaitsForTheEnd() throws Exception {
        message = 4;
        CountDownLatch closed = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        CompletableFuture<TalosConsumer> itself = new CompletableFuture<>();
        TalosConsumer consumer = join(client(), (messages, checkpoint) -> {
            itself.get().close();
            closed.countDown();
            gate.await();
        });
        itself.complete(consumer);
        closed.await();
        CompletableFuture<Void> again = CompletableFuture.runAsync(consumer::close, task -> new Thread(task).start());
        await().during(Duration.ofMillis(50)).until(() -> !again.isDone());

        gate.countDown();

        assertThat(again).succeedsWithin(SOON);
        assertThat(heard).contains("commit 4", "leave " + consumer.member());
    }

    @Test
    void processorMayCloseTheClient() throws Exception {
        message = 4;
        TalosClient client = client();
        CompletableFuture<Duration> took = new CompletableFuture<>();
        CountDownLatch joined = new CountDownLatch(1);
        TalosConsumer consumer = join(client, (messages, checkpoint) -> {
            joined.await();
            long begun = System.nanoTime();
            client.close();
            took.complete(since(begun));
        });

        joined.countDown();

        assertThat(took.get(30, TimeUnit.SECONDS)).isLessThan(SOON);
        assertLeft(consumer);
    }

    @Test
    void closeWithATimeDoesNotWaitLongerForAProcessor() throws Exception {
        message = 4;
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        TalosConsumer consumer = join(client(), (messages, checkpoint) -> {
            inside.countDown();
            gate.await();
        });
        inside.await();
        long begun = System.nanoTime();

        consumer.close(Duration.ofMillis(50));

        assertThat(since(begun)).isLessThan(SOON);
        gate.countDown();
    }

    @Test
    void pollingConsumerIsClosedForATimeToo() throws Exception {
        message = 4;
        PollingConsumer consumer = builder(CONFIG).buildPolling().start();
        me = consumer.member();
        await().until(() -> !consumer.poll(Duration.ofSeconds(1)).isEmpty());
        consumer.commit();

        consumer.close(SOON);

        assertThat(heard).contains("commit 4", "unlock", "leave " + consumer.member());
    }

    /** Its processors may put what they make of its messages. */
    @Test
    void clientThatIsClosedEndsItsConsumersBeforeItsProducers() throws Exception {
        message = 4;
        server.otherwise(this::putOr);
        TalosClient client = client();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        CompletableFuture<PutResult> stored = new CompletableFuture<>();
        TalosProducer producer = new TalosProducer(
                client, "orders", ProducerConfig.builder().linger(Duration.ZERO).build());
        TalosConsumer consumer = join(client, (messages, checkpoint) -> {
            inside.countDown();
            gate.await();
            stored.complete(producer.send(OutgoingMessage.of("made of it")).get());
        });
        inside.await();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(client::close, task -> new Thread(task).start());
        await().until(() -> consumer.partitions().isEmpty());

        gate.countDown();

        assertThat(stored).succeedsWithin(SOON);
        assertThat(closed).succeedsWithin(SOON);
        assertLeft(consumer);
    }

    private void putOr(HttpExchange exchange, byte[] body) throws IOException {
        String uri = exchange.getRequestURI().toString();
        if (uri.endsWith("putMessage")) {
            result(new PutMessageResponse("x")).to(exchange, body);
        } else if (uri.endsWith("getTopicAttribute")) {
            result(ScriptedServer.attributed(1, Map.of())).to(exchange, body);
        } else {
            answer(exchange, body);
        }
    }
}

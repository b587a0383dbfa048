// SPDX-License-Identifier: Apache-2.0
package org.talos.client.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.consumer.PollingConsumer;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.TalosProducer;
import org.talos.server.TalosServer;

/** Meters of a program that uses a real server. */
@Timeout(90)
class EmbeddedServerMetricsTest {
    @TempDir
    private Path directory;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private TalosServer server;
    private TalosClient client;

    @BeforeEach
    void start() throws Exception {
        server = TalosServer.embedded(directory);
        client = new TalosClient(ClientConfig.of(server.uri(), directory.resolve("admin.credentials")));
        new TalosAdmin(client).createTopic(NewTopic.of("orders", 1));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private double gauge(String name) {
        return registry.get(name).tag("topic", "orders").gauge().value();
    }

    private double counter(String name) {
        return registry.get(name).tag("topic", "orders").functionCounter().count();
    }

    @Test
    void producerIsCounted() throws Exception {
        try (TalosProducer producer = new TalosProducer(client, "orders");
                TalosProducerMetrics metrics = new TalosProducerMetrics(producer)) {
            metrics.bindTo(registry);

            producer.send(OutgoingMessage.of("a")).get();
            producer.send(OutgoingMessage.of("b")).get();

            await().until(() -> counter("talos.producer.stored.messages") == 2);
            assertThat(counter("talos.producer.stored.puts")).isBetween(1.0, 2.0);
            assertThat(counter("talos.producer.stored.bytes")).isPositive();
            assertThat(counter("talos.producer.failed.messages")).isZero();
            await().until(() -> gauge("talos.producer.buffered.messages") == 0);
            assertThat(gauge("talos.producer.puts.in.flight")).isZero();
            assertThat(registry.get("talos.producer.contact.age").timeGauge().value(TimeUnit.SECONDS))
                    .isBetween(0.0, 60.0);
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void lagOfAConsumerIsWhatItHasNotPolled() throws Exception {
        try (TalosProducer producer = new TalosProducer(client, "orders");
                PollingConsumer consumer = TalosConsumer.builder(client, "shop")
                        .topics("orders")
                        .buildPolling()
                        .start();
                TalosConsumerMetrics metrics = new TalosConsumerMetrics(consumer)) {
            producer.send(OutgoingMessage.of("a")).get();
            await().until(() -> !consumer.poll(Duration.ofSeconds(1)).isEmpty());
            consumer.commit();
            consumer.pause(consumer.partitions());
            producer.send(OutgoingMessage.of("b")).get();
            producer.send(OutgoingMessage.of("c")).get();

            metrics.bindTo(registry);

            await().atMost(Duration.ofSeconds(30)).until(() -> gauge("talos.consumer.lag") == 2);
            assertThat(gauge("talos.consumer.position")).isEqualTo(1);
            assertThat(gauge("talos.consumer.committed")).isEqualTo(1);
            assertThat(gauge("talos.consumer.paused")).isEqualTo(1);
        }
    }
}

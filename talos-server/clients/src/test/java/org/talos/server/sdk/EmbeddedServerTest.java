// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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

/** A server in the JVM of a program's test, as docs/sdk.md shows it. */
@Timeout(60)
class EmbeddedServerTest {
    @TempDir
    private Path directory;

    @Test
    void programIsTestedAgainstAServerOfItsOwn() throws Exception {
        try (TalosServer server = TalosServer.embedded(directory);
                TalosClient client =
                        new TalosClient(ClientConfig.of(server.uri(), directory.resolve("admin.credentials")))) {
            new TalosAdmin(client).createTopic(NewTopic.of("orders", 2));
            try (TalosProducer producer = new TalosProducer(client, "orders")) {
                producer.send(OutgoingMessage.of("a")
                                .withKey("k".getBytes(StandardCharsets.UTF_8))
                                .withHeader("trace", "1")
                                .withHeader("id", new byte[] {0, -1}))
                        .get();
            }
            try (PollingConsumer consumer = TalosConsumer.builder(client, "shop")
                    .topics("orders")
                    .buildPolling()
                    .start()) {
                var messages = consumer.poll(Duration.ofSeconds(30));

                assertThat(messages).hasSize(1).allMatch(each -> each.text().equals("a"));
                assertThat(messages.get(0).headers()).containsEntry("trace", "1");
                assertThat(messages.get(0).headerBytes("id")).hasValue(new byte[] {0, -1});
                assertThat(messages.get(0).key()).hasValue("k");
                consumer.commit();
            }
        }
        try (TalosServer again = TalosServer.embedded(directory);
                TalosClient client =
                        new TalosClient(ClientConfig.of(again.uri(), directory.resolve("admin.credentials")))) {
            assertThat(List.copyOf(new TalosAdmin(client).listTopics())).hasSize(1);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ClientConfig;
import org.talos.client.ClientListener;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.Transport;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.TalosProducer;
import org.talos.server.testing.OwnCertificate;
import org.talos.server.testing.TestServer;

/** The SDK's producer and consumer over streams under TLS. */
@Timeout(120)
class StreamTlsTest {
    @TempDir
    private Path data;

    private final AtomicInteger gets = new AtomicInteger();

    /** Counts the gets that are calls. Thread-safe. */
    private final class Counting implements ClientListener {
        @Override
        public void called(String call, URI server, Duration took, Optional<TalosClientException> failure) {
            if (call.equals("getMessage")) {
                gets.incrementAndGet();
            }
        }
    }

    private static List<String> numbered(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "m" + i).toList();
    }

    private static void put(TalosProducer producer, List<String> texts) throws Exception {
        texts.forEach(text -> {
            var unused = producer.send(0, OutgoingMessage.of(text));
        });
        producer.flush();
    }

    @Test
    void putsAndMessagesGoOverStreamsOfAServerThatIsTrusted() throws Exception {
        OwnCertificate certificate = OwnCertificate.in(data);
        List<String> seen = new CopyOnWriteArrayList<>();
        try (TestServer server = TestServer.start(
                data,
                Map.of(
                        "HTTP_TLS_KEYSTORE",
                        certificate.keyStore().toString(),
                        "HTTP_TLS_KEYSTOREPASSWORD",
                        OwnCertificate.PASSWORD,
                        "SERVICE_MAXLONGPOLL",
                        "100ms"))) {
            URI uri = URI.create("https://127.0.0.1:" + server.uri().getPort());
            ClientConfig config = ClientConfig.of(TestServer.endpoint(uri, data))
                    .withTls(certificate.trusted())
                    .withoutDirectRouting()
                    .withListener(new Counting())
                    .withTransport(Transport.STREAM);
            try (TalosClient client = new TalosClient(config)) {
                var unused = new TalosAdmin(client).createTopic(NewTopic.of("orders", 1));
                try (TalosProducer producer = new TalosProducer(client, "orders");
                        TalosConsumer consumer = TalosConsumer.builder(client, "shop")
                                .topics("orders")
                                .processor((messages, checkpoint) -> messages.forEach(each -> seen.add(each.text())))
                                .build()) {
                    consumer.start();
                    List<String> all = new ArrayList<>();
                    int before = -1;
                    while (gets.get() != before) { // until a round has needed no call
                        before = gets.get();
                        List<String> more = numbered(all.size(), all.size() + 500);
                        put(producer, more);
                        all.addAll(more);
                        await().atMost(Duration.ofSeconds(60)).until(() -> seen.size() >= all.size());
                    }
                    assertThat(seen).isEqualTo(all);
                }
            }
        }
    }
}

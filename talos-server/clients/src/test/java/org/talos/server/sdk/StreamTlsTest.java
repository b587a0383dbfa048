// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
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
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.TalosProducer;
import org.talos.client.stream.StreamPuts;
import org.talos.client.transport.PartitionRef;
import org.talos.common.message.MessageBlocks;
import org.talos.server.testing.OwnCertificate;
import org.talos.server.testing.TestServer;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** The SDK's producer and consumer over streams under TLS. */
@Timeout(120)
class StreamTlsTest {
    private static final int MORE_THAN_SOCKETS_HOLD = 64 << 20;

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
        try (TestServer server = server(certificate)) {
            ClientConfig config = config(certificate, server.uri()).withListener(new Counting());
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

    private TestServer server(OwnCertificate certificate) throws Exception {
        return TestServer.start(
                data,
                Map.of(
                        "HTTP_TLS_KEYSTORE",
                        certificate.keyStore().toString(),
                        "HTTP_TLS_KEYSTOREPASSWORD",
                        OwnCertificate.PASSWORD,
                        "SERVICE_MAXLONGPOLL",
                        "100ms"));
    }

    private ClientConfig config(OwnCertificate certificate, URI server) throws Exception {
        URI uri = URI.create("https://127.0.0.1:" + server.getPort());
        return ClientConfig.of(TestServer.endpoint(uri, data))
                .withTls(certificate.trusted())
                .withoutDirectRouting()
                .withTransport(Transport.STREAM);
    }

    @Test
    void serverThatReadsNoMoreHoldsUpNoDeadline() throws Exception {
        OwnCertificate certificate = OwnCertificate.in(data);
        try (TestServer server = server(certificate);
                CutProxy proxy = CutProxy.before(server.uri());
                TalosClient client = new TalosClient(config(certificate, proxy.uri())
                        .withTimeout(Duration.ofSeconds(6))
                        .withTransport(Transport.STREAM.withWindow(MORE_THAN_SOCKETS_HOLD)))) {
            TopicDescription topic = new TalosAdmin(client).createTopic(NewTopic.of("orders", 1));
            try (StreamPuts puts = new StreamPuts(
                    client.calls().streams().orElseThrow(),
                    topic.resourceName(),
                    "shop-1",
                    (put, within) -> CompletableFuture.failedFuture(new IOException("a call")))) {
                assertThat(put(puts, topic, 1)).succeedsWithin(Duration.ofSeconds(30));
                proxy.stall();

                List<CompletableFuture<?>> unanswered = LongStream.range(2, 26)
                        .<CompletableFuture<?>>mapToObj(i -> put(puts, topic, i))
                        .toList();

                assertThat(unanswered).allSatisfy(each -> assertThat(each).failsWithin(Duration.ofSeconds(30)));
            }
        }
    }

    private static CompletableFuture<?> put(StreamPuts puts, TopicDescription topic, long number) {
        MessageBlock block = MessageBlocks.write(
                List.of(new Message(ByteBuffer.allocate(1 << 20))), MessageCompressionType.NONE, number);
        return puts.put(new PartitionRef(topic.name(), topic.resourceName(), 0), block, number, Duration.ofSeconds(8));
    }
}

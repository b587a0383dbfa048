// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.Transport;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.ProducerConfig;
import org.talos.client.producer.TalosProducer;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.Service;
import org.talos.devcluster.FreePorts;
import org.talos.server.testing.TestServer;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

/**
 * A topic of a real server, a client behind a network that treats its streams badly, and a producer. Confined: the
 * test.
 */
abstract class StreamReadFixture {
    static final int PARTITIONS = 3;
    static final int LARGE = 4 << 10;

    @TempDir
    private Path data;

    final AtomicInteger put = new AtomicInteger();
    private int port;
    TestServer server;
    StreamProxy proxy;
    TalosClient client;
    private TalosClient direct;
    TalosProducer producer;
    TopicDescription topic;

    @BeforeEach
    void start() throws Exception {
        port = FreePorts.next();
        startServer();
        proxy = new StreamProxy(server.uri());
        topic = server.admin().createTopic(NewTopic.of("orders", PARTITIONS));
        client = client(Transport.STREAM);
        direct = new TalosClient(server.endpoint());
        producer = producer();
    }

    /** Starts it, for the first time or again: it comes back where it was. */
    final void startServer() throws Exception {
        server = TestServer.start(
                data,
                Map.of("LOG_DURABILITY", "flush", "SERVICE_MAXLONGPOLL", "100ms", "HTTP_PORT", Integer.toString(port)));
    }

    @AfterEach
    void close() throws Exception {
        producer.close();
        direct.close();
        client.close();
        proxy.close();
        server.close();
    }

    final TalosClient client(Transport transport) throws Exception {
        return new TalosClient(ClientConfig.of(server.endpoint())
                .withEndpoints(List.of(proxy.uri()))
                .withTimeout(Duration.ofSeconds(2))
                .withoutDirectRouting()
                .withTransport(transport));
    }

    private TalosProducer producer() throws Exception {
        ProducerConfig small = ProducerConfig.builder()
                .compression(Compression.NONE)
                .linger(Duration.ZERO)
                .maxBatchMessages(3)
                .build();
        return new TalosProducer(direct, "orders", small);
    }

    static ConditionFactory awaiting() {
        return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5));
    }

    /** Puts so many more messages into each partition. */
    final void put(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            String text = text(put.getAndIncrement());
            for (int partition = 0; partition < PARTITIONS; partition++) {
                var unused = producer.send(partition, OutgoingMessage.of(text));
            }
        }
        producer.flush();
    }

    static String text(int number) {
        return "m" + number + " ".repeat(number % 50);
    }

    final void putUnreadable(int number, int messages) throws Exception {
        PartitionRef partition = new PartitionRef(topic.name(), topic.resourceName(), number);
        ByteBuffer bytes = ByteBuffer.allocate(messages * 13);
        for (int i = 0; i < messages; i++) {
            bytes.putInt(0x56000300).putInt(5).put(new byte[] {-1, -1, -1, -1, 0});
        }
        MessageBlock block = new MessageBlock(0, messages, MessageCompressionType.NONE, bytes.flip());
        PutMessageRequest request =
                new PutMessageRequest(partition.toThrift(), List.of(block), messages, "StreamReadFixture#1");
        RemoteCall<PutMessageResponse> call = new RemoteCall<>(
                Service.MESSAGE,
                "putMessage",
                deadlineMillis -> request,
                PutMessageResponse::new,
                RemoteCall.Effect.ONCE,
                Optional.of(partition),
                PutMessageResponse::isIsTransfer);
        assertThat(direct.calls().result(call)).isNotNull();
    }
}

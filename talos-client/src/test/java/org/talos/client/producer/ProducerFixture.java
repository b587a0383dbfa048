// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import static org.talos.client.ScriptedServer.result;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.talos.client.ClientConfig;
import org.talos.client.ScriptedServer;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

/** A producer and the server that it puts to, whose answers are scripted. Confined: one test. */
abstract class ProducerFixture {
    static final Duration LONG = Duration.ofSeconds(30);

    ScriptedServer server;
    ProducerConfig config = ProducerConfig.defaults();

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    TalosProducer open(int partitions) throws Exception {
        return open(partitions, Map.of());
    }

    TalosProducer open(int partitions, Map<String, String> attributes) throws Exception {
        server.first(result(ScriptedServer.attributed(partitions, attributes)));
        return new TalosProducer(client(), "orders", config);
    }

    TalosClient client() {
        return new TalosClient(
                ClientConfig.of(server.uri(), "AKTEST", "a-secret").withTimeout(Duration.ofSeconds(5)));
    }

    /** Scripts so many puts that are stored. */
    void stored(int puts) {
        for (int i = 0; i < puts; i++) {
            server.then(result(new PutMessageResponse("x")));
        }
    }

    /** The puts that have come so far. */
    List<PutMessageRequest> puts() {
        return server.asked().stream()
                .filter(each -> each.uri().endsWith("putMessage"))
                .map(each -> each.request(new PutMessageRequest()))
                .toList();
    }

    static List<Message> messages(PutMessageRequest put) {
        try {
            return MessageBlocks.read(put.getMessageBlocks().get(0), 1 << 20).stream()
                    .map(MessageAndOffset::getMessage)
                    .toList();
        } catch (MalformedBlockException e) {
            throw new AssertionError(e);
        }
    }

    static List<String> texts(PutMessageRequest put) {
        return messages(put).stream()
                .map(each -> new String(each.getMessage(), StandardCharsets.UTF_8))
                .toList();
    }

    /** An answer that waits until it is released. */
    static ScriptedServer.Answer held(CountDownLatch gate) {
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

    static TalosClientException failure(CompletableFuture<PutResult> sent) throws InterruptedException {
        try {
            throw new AssertionError("it was stored: " + sent.get());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TalosClientException failure) {
                return failure;
            }
            throw new AssertionError(e);
        }
    }
}

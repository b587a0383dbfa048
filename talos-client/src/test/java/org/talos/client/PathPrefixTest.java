// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.result;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.talos.client.ScriptedServer.Asked;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.PipelinedProducer;
import org.talos.client.producer.SimpleProducer;
import org.talos.common.auth.RequestSignature;
import org.talos.thrift.GetScheduleInfoResponse;
import org.talos.thrift.PutMessageResponse;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/** Servers that a proxy has below a path. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD) // who waits for a socket hears no interrupt
class PathPrefixTest {
    private static final TopicDescription TOPIC =
            new TopicDescription("orders", "me#orders#1", "me", 1, Duration.ofDays(1));

    @AutoClose
    private final ScriptedServer server = new ScriptedServer();

    PathPrefixTest() throws IOException {}

    private static ClientConfig config(URI endpoint) {
        return ClientConfig.of(endpoint, "AKTEST", "a-secret");
    }

    private static List<OutgoingMessage> message() {
        return List.of(OutgoingMessage.of("a"));
    }

    @Test
    void callGoesBelowThePathAndIsSignedAsTheServerGetsIt() throws Exception {
        server.then(result(new PutMessageResponse("x")));

        try (TalosClient client = new TalosClient(config(URI.create(server.uri() + "/queue/")))) {
            new SimpleProducer(client, TOPIC, Compression.NONE).put(0, message());
        }

        Asked asked = server.asked().get(0);
        assertThat(asked.uri()).startsWith("/queue/v1/api/message?");
        Map<String, List<String>> headers = new HashMap<>();
        for (String name : List.of("content-type", "x-xiaomi-content-md5", "x-xiaomi-date", "x-xiaomi-timestamp")) {
            headers.put(name, List.of(asked.header(name)));
        }
        String signed = RequestSignature.stringToSign("POST", "/v1/api/message", null, headers);
        assertThat(asked.header("Authorization")).endsWith(":" + RequestSignature.sign("a-secret", signed));
    }

    /** Addresses that servers publish are those behind the proxy. */
    @Test
    void partitionsServerIsNotCalledDirectly() throws Exception {
        server.schedule(new GetScheduleInfoResponse(
                Map.of(new TopicAndPartition("orders", new TopicTalosResourceName("me#orders#1"), 0), "192.0.2.1:1")));

        try (TalosClient client = new TalosClient(config(URI.create(server.uri() + "/queue")))) {
            SimpleProducer producer = new SimpleProducer(client.once(), TOPIC, Compression.NONE);
            for (int i = 0; i < 20; i++) {
                server.then(result(new PutMessageResponse("x")));
                producer.put(0, message());
            }
        }

        assertThat(server.asked()).hasSize(20);
    }

    @Test
    void streamIsOpenedBelowThePath() throws Exception {
        try (ServerSocket proxy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                TalosClient client =
                        new TalosClient(config(URI.create("http://127.0.0.1:" + proxy.getLocalPort() + "/queue"))
                                .withTransport(Transport.STREAM)
                                .withTimeout(Duration.ofSeconds(1)) // which nobody answers within
                                .withDeadline(Duration.ZERO));
                PipelinedProducer producer = new PipelinedProducer(client, TOPIC, Compression.NONE)) {
            var unused = producer.put(0, message());
            try (Socket opened = proxy.accept();
                    BufferedReader in = new BufferedReader(
                            new InputStreamReader(opened.getInputStream(), StandardCharsets.ISO_8859_1))) {
                assertThat(in.readLine()).startsWith("GET /queue/v1/topics/me%23orders%231/stream?window=");
            }
        }
    }
}

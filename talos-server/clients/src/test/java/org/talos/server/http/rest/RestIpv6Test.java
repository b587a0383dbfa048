// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.testing.TestServer;

/** A server that listens on an address of IPv6 alone. */
@Timeout(60)
class RestIpv6Test {
    @TempDir
    private Path data;

    private static boolean hasIpv6() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getAllByName("::1")[0])) {
            return socket.getLocalPort() > 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void addressesThatClientsAreGivenHaveBrackets() throws Exception {
        assumeTrue(hasIpv6(), "this machine has no ::1: left out");
        try (TestServer server = TestServer.start(data, Map.of("HTTP_HOST", "::1"))) {
            int port = server.uri().getPort();
            URI uri = URI.create("http://[::1]:" + port);
            TalosEndpoint endpoint = TestServer.endpoint(uri, data);
            try (TalosClient client = new TalosClient(endpoint)) {
                var topic = new TalosAdmin(client).createTopic(NewTopic.of("orders", 1));
                try (SimpleProducer producer = new SimpleProducer(client, topic, Compression.NONE)) {
                    producer.put(0, List.of(OutgoingMessage.of("by the address that the server names")));
                }

                assertThat(new SimpleConsumer(client, topic, 0).fetch(SimpleConsumer.EARLIEST, 1))
                        .extracting(FetchedMessage::text)
                        .containsExactly("by the address that the server names");
            }
            HttpRequest partitions = HttpRequest.newBuilder(uri.resolve("/v1/topics/orders/partitions"))
                    .header("Authorization", RestFixture.basic(endpoint.accessKey(), endpoint.secretKey()))
                    .build();
            assertThat(HttpClient.newHttpClient()
                            .send(partitions, BodyHandlers.ofString())
                            .body())
                    .contains("\"address\":\"[::1]:" + port + "\"");
        }
    }
}

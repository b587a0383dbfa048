// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.Transport;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.server.testing.TestServer;

/** A server with the topic {@code orders}, a proxy before it, and a client that has streams. Confined: to a test. */
final class StreamFixture implements AutoCloseable {
    final TestServer server;
    final StreamProxy proxy;
    final TopicDescription topic;
    final TalosClient client;

    StreamFixture(Path data, int partitions) throws Exception {
        server = TestServer.start(data, Map.of("LOG_DURABILITY", "flush"));
        proxy = new StreamProxy(server.uri());
        topic = server.admin().createTopic(NewTopic.of("orders", partitions));
        client = new TalosClient(ClientConfig.of(server.endpoint())
                .withEndpoints(List.of(proxy.uri()))
                .withTimeout(Duration.ofSeconds(6)) // for the opening of a stream, else puts go by calls
                .withoutDirectRouting()
                .withTransport(Transport.STREAM));
    }

    /** The messages of a partition. */
    List<String> stored(TopicDescription of, int partition) throws Exception {
        try (TalosClient direct = new TalosClient(server.endpoint())) {
            SimpleConsumer consumer = new SimpleConsumer(direct, of, partition);
            List<String> all = new ArrayList<>();
            long end = server.admin().offsets(of).get(partition).endExclusive();
            for (long at = 0; at < end; ) {
                for (FetchedMessage each : consumer.fetch(at, 10_000)) {
                    all.add(each.text());
                    at = each.offset() + 1;
                }
            }
            return all;
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
        proxy.close();
        server.close();
    }
}

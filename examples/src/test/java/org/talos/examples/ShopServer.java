// SPDX-License-Identifier: Apache-2.0
package org.talos.examples;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.server.TalosServer;

/**
 * A server with the topics of an example.
 *
 * <p>Confined: one thread.
 */
final class ShopServer implements AutoCloseable {
    private static final int MOST = 1_000; // messages of a partition

    private final Path credentials;
    private final TalosServer server;
    private final TalosClient client;
    private final TalosAdmin admin;

    ShopServer(Path data) throws Exception {
        credentials = data.resolve("admin.credentials");
        server = TalosServer.embedded(data);
        client = new TalosClient(ClientConfig.of(server.uri(), credentials));
        admin = new TalosAdmin(client);
        admin.createTopic(NewTopic.of("orders", 2));
        admin.createTopic(NewTopic.of("orders-dead", 1));
    }

    TalosClient client() {
        return client;
    }

    /** The environment of a program that uses this server, with a further name. */
    Map<String, String> environment(String name, String value) throws Exception {
        Properties key = new Properties();
        try (var in = Files.newBufferedReader(credentials)) {
            key.load(in);
        }
        Map<String, String> environment = new HashMap<>();
        environment.put("TALOS_ENDPOINT", server.uri().toString());
        environment.put("TALOS_ACCESS_KEY", key.getProperty("accessKey"));
        environment.put("TALOS_SECRET_KEY", key.getProperty("secretKey"));
        environment.put(name, value);
        return environment;
    }

    /** All messages of a topic. */
    List<FetchedMessage> messages(String topic) throws Exception {
        TopicDescription description = admin.describeTopic(topic);
        List<FetchedMessage> messages = new ArrayList<>();
        for (int partition = 0; partition < description.partitions(); partition++) {
            messages.addAll(new SimpleConsumer(client, description, partition).fetch(SimpleConsumer.EARLIEST, MOST));
        }
        return messages;
    }

    /** Messages that a group has not committed. */
    long lag(String topic, String group) throws Exception {
        return new GroupAdmin(client).describe(topic, group).lag().orElseThrow();
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}

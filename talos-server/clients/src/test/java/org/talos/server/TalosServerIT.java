// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.Grantee;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.Right;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.testing.TestServer;

/** A whole server over its port, as a client finds it. */
class TalosServerIT {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"fsync", "flush"})
    void messagesComeBackInOrderAlsoAfterARestart(String durability) throws Exception {
        Map<String, String> settings = Map.of("LOG_DURABILITY", durability, "LOG_SEGMENTBYTES", "64KiB");
        try (TestServer server = TestServer.start(directory, settings)) {
            TopicDescription topic = server.admin().createTopic(NewTopic.of("orders", 2));
            for (Compression compression : Compression.values()) {
                SimpleProducer producer =
                        new SimpleProducer(new TalosClient(server.endpoint()).once(), topic, compression);
                for (int i = 0; i < 20; i++) {
                    producer.put(1, messages(compression.name() + "-" + i, 10));
                }
            }

            assertThat(texts(server, topic, 1))
                    .hasSize(1_000)
                    .startsWith("NONE-0-0")
                    .endsWith("LZ4-19-9");
            assertThat(texts(server, topic, 0)).isEmpty();
        }
        try (TestServer server = TestServer.start(directory, settings)) {
            TopicDescription topic = server.admin().describeTopic("orders");
            new SimpleProducer(new TalosClient(server.endpoint()).once(), topic, Compression.NONE)
                    .put(1, messages("after", 1));

            assertThat(texts(server, topic, 1))
                    .hasSize(1_001)
                    .startsWith("NONE-0-0")
                    .endsWith("after-0");
        }
    }

    @Test
    void aPutThatIsRepeatedIsStoredOnce() throws Exception {
        try (TestServer server = TestServer.start(directory, Map.of())) {
            TopicDescription topic = server.admin().createTopic(NewTopic.of("orders", 1));
            SimpleProducer producer =
                    new SimpleProducer(new TalosClient(server.endpoint()).once(), topic, Compression.SNAPPY);
            SimpleProducer.Prepared put = producer.prepare(0, messages("once", 3));

            producer.repeat(put);
            producer.repeat(put);
            producer.put(0, messages("once", 3));

            assertThat(texts(server, topic, 0))
                    .containsExactly("once-0", "once-1", "once-2", "once-0", "once-1", "once-2");
        }
    }

    @Test
    void aDeletedTopicIsGoneAndItsNameStartsAnew() throws Exception {
        try (TestServer server = TestServer.start(directory, Map.of())) {
            TopicDescription old = server.admin().createTopic(NewTopic.of("orders", 1));
            SimpleProducer producer =
                    new SimpleProducer(new TalosClient(server.endpoint()).once(), old, Compression.NONE);
            producer.put(0, messages("old", 1));
            server.admin().deleteTopic("orders");
            TopicDescription created = server.admin().createTopic(NewTopic.of("orders", 1));

            assertThat(texts(server, created, 0)).isEmpty();
            assertThatThrownBy(() -> producer.put(0, messages("late", 1)))
                    .isInstanceOf(TalosClientException.class)
                    .hasMessageContaining("TOPIC_NOT_EXIST");
        }
    }

    @Test
    void aUserMayDoWhatWasGrantedUntilRemoved() throws Exception {
        try (TestServer server = TestServer.start(directory, Map.of())) {
            TalosAdmin admin = server.admin();
            TopicDescription topic = admin.createTopic(NewTopic.of("orders", 1));
            NewCredential key = admin.addUser("ann", false, List.of(), List.of());
            TalosEndpoint ann = new TalosEndpoint(server.uri(), key.accessKey(), key.secretKey());
            SimpleProducer producer = new SimpleProducer(new TalosClient(ann).once(), topic, Compression.NONE);

            assertThatThrownBy(() -> producer.put(0, messages("denied", 1)))
                    .hasMessageContaining("PERMISSION_DENIED_ERROR");
            admin.grant("orders", Grantee.of("ann"), Set.of(Right.PUT));
            producer.put(0, messages("granted", 1));
            assertThatThrownBy(() -> new SimpleConsumer(new TalosClient(ann).once(), topic, 0).fetch(0, 1))
                    .hasMessageContaining("PERMISSION_DENIED_ERROR");
            admin.removeUser("ann");
            assertThatThrownBy(() -> producer.put(0, messages("removed", 1))).hasMessageContaining("HTTP_401");
        }
    }

    @Test
    void anotherServerIsKeptOutOfTheDataDirectory() throws Exception {
        try (TestServer server = TestServer.start(directory, Map.of())) {
            assertThatThrownBy(() -> TestServer.start(directory, Map.of())).hasMessageContaining("in use");
            assertThat(server.admin().listTopics()).isEmpty();
        }
    }

    private static List<OutgoingMessage> messages(String name, int count) {
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(OutgoingMessage.of(name + "-" + i));
        }
        return messages;
    }

    private static List<String> texts(TestServer server, TopicDescription topic, int partition) throws Exception {
        SimpleConsumer consumer = new SimpleConsumer(new TalosClient(server.endpoint()).once(), topic, partition);
        List<String> texts = new ArrayList<>();
        for (List<FetchedMessage> next = consumer.fetch(SimpleConsumer.EARLIEST, 100); !next.isEmpty(); ) {
            for (FetchedMessage message : next) {
                assertThat(message.offset()).isEqualTo(texts.size());
                texts.add(message.text());
            }
            next = consumer.fetch(texts.size(), 100);
        }
        return texts;
    }
}

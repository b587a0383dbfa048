// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.TalosProducer;
import org.talos.common.name.Partitioner;
import org.talos.server.sdk.PublicSdkCalls.Sdk;
import org.talos.server.testing.TestServer;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.CreateTopicResponse;
import org.talos.thrift.TopicAttribute;

/** The same key, put by the SDK and over REST, to topics that either SDK has made. */
@Timeout(60)
class KeyPlacementTest {
    private static final int PARTITIONS = 7;
    private static final List<String> KEYS = List.of("k1", "k2", "customer-000003", "schön", "日本");

    @TempDir
    private static Path data;

    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = TestServer.start(data, Map.of());
    }

    @AfterAll
    static void close() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void topicThatAPublicSdkMadeStaysAsThePublicSdksPlaceKeys(Sdk sdk) throws Exception {
        String topic = "made-by-" + sdk;
        new PublicSdkCalls(sdk, server.endpoint())
                .call(
                        "topic",
                        "createTopic",
                        new CreateTopicRequest(topic, new TopicAttribute().setPartitionNumber(PARTITIONS)),
                        new CreateTopicResponse());

        assertThat(server.admin().describeTopic(topic).attributes()).isEmpty();
        assertPlaced(topic, Partitioner.SDK);
    }

    @ParameterizedTest
    @EnumSource
    void keysGoWhereTheTopicThatThisSdkMadeSays(Partitioner partitioner) throws Exception {
        String topic = "placed-by-" + partitioner;
        server.admin().createTopic(NewTopic.of(topic, PARTITIONS).withPartitioner(partitioner));

        assertPlaced(topic, partitioner);
    }

    private static void assertPlaced(String topic, Partitioner partitioner) throws Exception {
        assertThat(server.admin().describeTopic(topic).partitioner()).isEqualTo(partitioner.toString());
        try (TalosClient client = new TalosClient(server.endpoint());
                TalosProducer producer = new TalosProducer(client, topic)) {
            for (String key : KEYS) {
                int expected = partitioner.partition(key, PARTITIONS);
                assertThat(producer.send(OutgoingMessage.of("a").withKey(key))
                                .get()
                                .partition())
                        .as(key)
                        .isEqualTo(expected);
                assertThat(putOverRest(topic, key)).as(key).contains("\"partition\":" + expected + ",");
            }
        }
    }

    private static String putOverRest(String topic, String key) throws Exception {
        TalosEndpoint admin = server.endpoint();
        String credentials = Base64.getEncoder()
                .encodeToString((admin.accessKey() + ":" + admin.secretKey()).getBytes(StandardCharsets.UTF_8));
        HttpRequest put = HttpRequest.newBuilder(server.uri().resolve("/v1/topics/" + topic + "/messages"))
                .header("Authorization", "Basic " + credentials)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"messages\":[{\"value\":\"v\",\"key\":\"" + key + "\"}]}"))
                .build();
        return HttpClient.newHttpClient().send(put, BodyHandlers.ofString()).body();
    }
}

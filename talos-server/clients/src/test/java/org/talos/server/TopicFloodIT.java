// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.TalosAdmin;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.topic.Records;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.testing.ServerProcess;
import org.talos.server.testing.TestServer;

/** A server with a small heap and topics that are many and large: made by one user, or stored by an earlier version. */
@Tag("full") // load
@Tag("servers")
@Timeout(180)
class TopicFloodIT {
    private static final String HEAP = "160m";
    private static final int TOPICS = 2_000;
    private static final int STORED_TOPICS = 1_000;
    private static final String OWNER = "somebody";
    private static final int VALUE_CHARACTERS = 4_096;

    @TempDir
    private Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private Path data;
    private ServerProcess server;
    private TalosEndpoint admin;

    @BeforeEach
    void start() throws Exception {
        data = directory.resolve("data");
        restart();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void restart() throws Exception {
        server = ServerProcess.start(data, Map.of(), HEAP);
        admin = TestServer.endpoint(server.endpoint(), data);
    }

    private NewCredential user(String name) throws Exception {
        return new TalosAdmin(new TalosClient(admin).once()).addUser(name, false, List.of(), List.of());
    }

    private static String basic(String key, String secret) {
        return "Basic " + Base64.getEncoder().encodeToString((key + ":" + secret).getBytes(UTF_8));
    }

    private HttpResponse<String> send(String authorization, String method, String path, String json) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.endpoint().resolve(path))
                .timeout(Duration.ofSeconds(20))
                .header("Authorization", authorization)
                .header("Content-Type", "application/json")
                .method(method, json.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(json))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private static Map<String, String> attributes(int number) {
        return IntStream.range(0, number)
                .boxed()
                .collect(Collectors.toMap(each -> "key" + each, each -> "v".repeat(VALUE_CHARACTERS)));
    }

    private static String topic(String name, int attributes) {
        String all = attributes(attributes).entrySet().stream()
                .map(each -> "\"" + each.getKey() + "\":\"" + each.getValue() + "\"")
                .collect(Collectors.joining(","));
        return "{\"name\":\"" + name + "\",\"partitions\":1,\"attributes\":{" + all + "}}";
    }

    /** Statuses of the answers to a user's requests, and how often each came. */
    private Map<Integer, Integer> create(String authorization, int attributes) throws Exception {
        Map<Integer, Integer> statuses = new HashMap<>();
        for (int i = 0; i < TOPICS; i++) {
            HttpResponse<String> answer =
                    send(authorization, "POST", "/v1/topics", topic("flood-" + attributes + "-" + i, attributes));
            statuses.merge(answer.statusCode(), 1, Integer::sum);
            if (answer.statusCode() == 429) {
                assertThat(answer.body()).contains("quota").contains("delete some");
            }
        }
        return statuses;
    }

    @Test
    void oneUsersLargeTopicsAreRefusedAndOthersCreateTheirs() throws Exception {
        NewCredential flood = user("flood");
        String flooding = basic(flood.accessKey(), flood.secretKey());

        assertThat(create(flooding, 60)).containsOnlyKeys(422);
        assertThat(create(flooding, 7)).containsOnlyKeys(201, 429);

        NewCredential quiet = user("quiet");
        String other = basic(quiet.accessKey(), quiet.secretKey());
        assertThat(send(other, "POST", "/v1/topics", topic("others", 1)).statusCode())
                .isEqualTo(201);
        server.kill();
        restart();
        assertThat(send(other, "GET", "/v1/topics/others", "").statusCode()).isEqualTo(200);
    }

    @Test
    void serverStartsWithTopicsThatAnEarlierVersionLetIn() throws Exception {
        server.stop();
        try (RocksDbMetadataStore store = RocksDbMetadataStore.open(data.resolve("metadata"))) {
            Topics rows = new Topics(store);
            for (int i = 0; i < STORED_TOPICS; i++) {
                rows.create(stored(i));
            }
        }

        restart();

        String authorization = basic(admin.accessKey(), admin.secretKey());
        HttpResponse<String> described = send(authorization, "GET", "/v1/topics/stored-7", "");
        assertThat(described.statusCode()).isEqualTo(200);
        assertThat(described.body()).contains("key59").contains("v".repeat(VALUE_CHARACTERS));
        assertThat(send(authorization, "POST", "/v1/topics", topic("new", 1)).statusCode())
                .isEqualTo(201);
        assertListingIsRefusedAndNamesAreListed();
    }

    /** The rows together are larger than the heap. */
    private void assertListingIsRefusedAndNamesAreListed() throws Exception {
        NewCredential owner = user(OWNER);
        TalosAdmin owned = new TalosAdmin(
                new TalosClient(new TalosEndpoint(server.endpoint(), owner.accessKey(), owner.secretKey())).once());
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(owned::listTopics).hasMessageContaining("describe each topic");
        }
        HttpResponse<String> names =
                send(basic(owner.accessKey(), owner.secretKey()), "GET", "/v1/topics?limit=1000", "");
        assertThat(names.statusCode()).isEqualTo(200);
        assertThat(names.body()).contains("stored-0\"", "stored-999");
        assertThat(owned.describeTopic("stored-8").attributes()).hasSize(60);
    }

    private static TopicRecord stored(int number) {
        TopicRecord small = Records.topic("any", 1);
        return new TopicRecord(
                "stored-" + number,
                String.format(Locale.ROOT, "%032x", number),
                OWNER,
                1,
                1,
                small.retentionSeconds(),
                attributes(60),
                small.acl(),
                small.createTimestamp(),
                0,
                null,
                null,
                List.of());
    }
}

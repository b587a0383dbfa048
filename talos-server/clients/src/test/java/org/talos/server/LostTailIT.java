// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.Transport;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.TalosConsumer;
import org.talos.server.testing.Folders;
import org.talos.server.testing.ServerProcess;
import org.talos.server.testing.TestServer;

/**
 * Tests a group after a power failure has taken messages that it had committed. The failure is an earlier copy of the
 * logs, beside rows that were synced.
 */
@Timeout(120)
class LostTailIT {
    private static final Map<String, String> FLUSH = Map.of("TALOS_LOG_DURABILITY", "flush");
    private static final String GROUP = "/v1/topics/orders/groups/ship";
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();
    private ServerProcess server;
    private String member = "";

    @BeforeEach
    void start() throws Exception {
        server = ServerProcess.start(folder.resolve("data"), FLUSH);
        send("POST", "/v1/topics", "{'name':'orders','partitions':1}");
    }

    @AfterEach
    void end() {
        server.close();
    }

    private JsonNode send(String method, String path, String body) throws Exception {
        TalosEndpoint admin = TestServer.endpoint(server.endpoint(), folder.resolve("data"));
        String key = admin.accessKey() + ":" + admin.secretKey();
        HttpRequest request = HttpRequest.newBuilder(server.endpoint().resolve(path))
                .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(key.getBytes(UTF_8)))
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
        return JSON.readTree(answer.body());
    }

    private List<Long> put(int messages) throws Exception {
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            JsonNode put =
                    send("POST", "/v1/topics/orders/partitions/0/messages", "{'messages':[{'value':'m" + i + "'}]}");
            offsets.add(put.findValue("offset").longValue());
        }
        return offsets;
    }

    private List<Long> drain() throws Exception {
        List<Long> offsets = new ArrayList<>();
        String commit = "{'maxMessages':1000}";
        while (true) {
            JsonNode fetched = send("POST", GROUP + "/members/" + member + "/fetch", commit);
            fetched.get("messages")
                    .forEach(message -> offsets.add(message.get("offset").longValue()));
            if (fetched.get("messages").isEmpty()) {
                return offsets;
            }
            commit = "{'maxMessages':1000,'commit':" + fetched.get("next") + "}";
        }
    }

    private long lag() throws Exception {
        return send("GET", GROUP, "").get("lag").longValue();
    }

    /** Reads the partition over a stream, from its beginning on. */
    private TalosConsumer consumer(List<String> into) throws Exception {
        TalosEndpoint admin = TestServer.endpoint(server.endpoint(), folder.resolve("data"));
        TalosClient over = new TalosClient(ClientConfig.of(admin).withTransport(Transport.STREAM));
        return TalosConsumer.builder(over, "streams")
                .topics("orders")
                .config(ConsumerConfig.builder().build())
                .processors(
                        partition -> (messages, checkpoint) -> messages.forEach(message -> into.add(message.text())))
                .build()
                .start();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    @Test
    void groupThatHadCommittedWhatIsLostGetsWhatIsPutAfterwards() throws Exception {
        Path data = folder.resolve("data");
        Path logs = data.resolve("logs");
        Path earlier = folder.resolve("earlier");
        put(100);
        copy(logs, earlier);
        List<Long> lost = put(50);
        member = send("POST", GROUP + "/members", "{}").get("member").textValue();
        assertThat(drain()).hasSize(150);
        server.kill();
        Folders.delete(logs);
        copy(earlier, logs);
        server = ServerProcess.start(data, FLUSH);
        try (ServerProcess running = server) {
            assertThat(lag()).isZero();
            List<String> streamed = new CopyOnWriteArrayList<>();
            TalosConsumer consumer = consumer(streamed);
            await().until(() -> streamed.size() == 100);

            List<Long> put = put(80);

            await().until(() -> streamed.size() == 180);
            consumer.close();
            assertThat(put).doesNotContainAnyElementsOf(lost);
            assertThat(lag()).isEqualTo(80);
            assertThat(drain()).isEqualTo(put);
            assertThat(lag()).isZero();
            assertThat(folder.resolve("server.log"))
                    .content()
                    .contains("messages may be lost", "end=100")
                    .containsPattern("messages are lost if .*messages=50");
            assertThat(running.stop()).isIn(0, 143);
        }
        server = ServerProcess.start(data, FLUSH);
        try (ServerProcess running = server) {
            assertThat(put(1).get(0)).isGreaterThan(lost.get(49));
            assertThat(drain()).hasSize(1);
            assertThat(running.stop()).isIn(0, 143);
        }
    }

    @Test
    void logOfAServerThatIsKilledGoesOnWithoutAGap() throws Exception {
        Path data = folder.resolve("data");
        put(10);
        server.kill();
        server = ServerProcess.start(data, FLUSH);
        try (ServerProcess running = server) {
            assertThat(put(1)).containsExactly(10L);
            assertThat(running.stop()).isIn(0, 143);
        }
    }
}

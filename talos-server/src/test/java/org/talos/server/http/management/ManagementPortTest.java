// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.testing.TestServer;

@Timeout(60)
class ManagementPortTest {
    private static final Pattern SAMPLE =
            Pattern.compile("talos_[a-z_]+(\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*\\})? [0-9.E-]+");
    private static final int PUTS = 20;

    @TempDir
    private static Path data;

    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = TestServer.start(data, Map.of("HTTP_TLS_KEYSTOREPASSWORD", "hush"));
        TopicDescription topic = server.admin().createTopic(NewTopic.of("orders", 1));
        SimpleProducer producer =
                new SimpleProducer(new TalosClient(server.endpoint()).once(), topic, Compression.NONE);
        for (int i = 0; i < PUTS; i++) {
            producer.put(0, List.of(OutgoingMessage.of("message")));
        }
    }

    @AfterAll
    static void close() {
        server.close();
    }

    private static HttpResponse<String> get(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.managementUri().resolve(URI.create(path)))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }

    @Test
    void metricsAreTextThatPrometheusReads() throws Exception {
        String text = get("/metrics").body();

        Set<String> typed = new HashSet<>();
        for (String line : text.split("\n", -1)) {
            if (line.startsWith("# TYPE ")) {
                assertThat(typed.add(line.split(" ", -1)[2]))
                        .as("twice: %s", line)
                        .isTrue();
            } else if (!line.isEmpty() && !line.startsWith("# HELP ")) {
                assertThat(line).matches(SAMPLE);
                assertThat(line).doesNotContain("orders");
            }
        }
        assertThat(typed).contains("talos_log_flush_seconds", "talos_dispatch_queue_wait_seconds", "talos_jvm_threads");
    }

    /** Counted since the start, so that a rate can be taken between any two readings. */
    @Test
    void histogramCountsEveryPutInGrowingBuckets() throws Exception {
        List<Long> buckets = get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("talos_dispatch_run_seconds_bucket{pool=\"put\""))
                .map(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .toList();

        assertThat(buckets).isSorted().last().isEqualTo((long) PUTS);
        assertThat(get("/metrics").body()).contains("talos_dispatch_run_seconds_count{pool=\"put\"} " + PUTS + "\n");
    }

    @Test
    void serverThatServesIsLiveAndReady() throws Exception {
        assertThat(get("/health/live").statusCode()).isEqualTo(200);
        HttpResponse<String> ready = get("/health/ready");
        assertThat(ready.statusCode()).as(ready.body()).isEqualTo(200);
        assertThat(ready.body()).contains("\"ready\":true");
    }

    @Test
    void configurationIsShownWithoutSecrets() throws Exception {
        String config = get("/config").body();

        assertThat(config).contains("\"durability\":", "\"keyStorePassword\":\"***\"", "\"maxBodyBytes\":");
        assertThat(config).doesNotContain("hush");
        assertThat(get("/info").body()).contains("\"version\":", "\"java\":");
    }

    @Test
    void nothingCanBeChangedAndNothingElseIsThere() throws Exception {
        HttpRequest post = HttpRequest.newBuilder(server.managementUri().resolve("/config"))
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(post, BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(405);
        assertThat(get("/").statusCode()).isEqualTo(404);
        assertThat(get("/v1/topics").statusCode()).isEqualTo(404);
    }
}

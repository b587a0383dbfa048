// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.talos.server.config.HttpLimits;
import org.talos.server.config.ManagementConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.PrometheusText;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.testing.TestServer;

@Timeout(60)
class ManagementPortTest {
    private static final Pattern SAMPLE =
            Pattern.compile("talos_[a-z_]+(\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*+\\})? [0-9.E-]+");
    private static final int PUTS = 20;
    private static final int CONNECTIONS = 16;
    private static final HttpLimits LIMITS = TestConfig.of(HttpLimits.class)
            .with("connectionsPerAddress", 1_000)
            .with("acceptsPerSecond", 10_000)
            .with("failedKeysPerMinute", 1_000)
            .with("streams", 100)
            .with("streamsPerUser", 100)
            .with("waitingPerUser", 1_000)
            .create();

    @TempDir
    private static Path data;

    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = TestServer.start(
                data,
                Map.of(
                        "HTTP_TLS_KEYSTOREPASSWORD",
                        "hush",
                        "HTTP_LIMITS_HEADTIMEOUT",
                        "500ms",
                        "MANAGEMENT_MAXCONNECTIONS",
                        Integer.toString(CONNECTIONS),
                        "MANAGEMENT_HOSTNAMES",
                        "ops.example, talos-0.talos"));
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
        return get(server.managementUri().resolve(URI.create(path)));
    }

    private static HttpResponse<String> get(URI uri) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(uri).build();
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
    void serverThatHasToBeStartedAgainIsNotLive() throws Exception {
        Readiness readiness = new Readiness(SystemTime.ticker());
        readiness.watchEnd("connections", () -> Optional.of("served no more"));
        ManagementPort.Shown shown = new ManagementPort.Shown(
                new PrometheusText(new Metrics(SystemTime.ticker())), readiness, Map.of(), Map.of());
        ManagementConfig config =
                TestConfig.of(ManagementConfig.class).with("port", 0).create();
        try (ManagementPort port = new ManagementPort(config, LIMITS, Set.of(), shown, SystemTime.ticker())) {
            port.start();

            HttpResponse<String> live = get(URI.create("http://127.0.0.1:" + port.port() + "/health/live"));

            assertThat(live.statusCode()).isEqualTo(503);
            assertThat(live.body()).contains("\"live\":false", "served no more");
        }
    }

    @Test
    void connectionsThatSayNothingKeepNoProbeWaiting() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 2 * CONNECTIONS; i++) {
                silent.add(connect());
            }

            assertThat(status("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                    .isEqualTo(200);
            assertThat(silent.get(0).getInputStream().read()).as("given up").isNegative();
        } finally {
            for (Socket each : silent) {
                each.close();
            }
        }
    }

    @Test
    void headThatComesByteByByteEndsTheConnection() throws Exception {
        try (Socket slow = connect()) {
            send(slow, "GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");

            await().pollInterval(Duration.ofMillis(20)).until(() -> refusesByte(slow));
        }
    }

    private static boolean refusesByte(Socket slow) {
        try {
            send(slow, "x");
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** A page of anywhere can have its own name lead here. */
    @Test
    void hostsOfOthersAreRefused() throws Exception {
        for (String host :
                List.of("attacker.example", "localhost.attacker.example:8081", "127.0.0.1.attacker.example")) {
            assertThat(status("GET /config HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
                    .as(host)
                    .isEqualTo(421);
        }
        for (String host : List.of(
                "localhost:8081", "127.0.0.1", "10.1.2.3:8081", "[::1]:8081", "OPS.example", "talos-0.talos:1")) {
            assertThat(status("GET /config HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
                    .as(host)
                    .isEqualTo(200);
        }
        assertThat(status("GET /health/ready HTTP/1.0\r\n\r\n")).isEqualTo(200);
    }

    private static Socket connect() throws IOException {
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), server.managementUri().getPort());
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static int status(String request) throws IOException {
        try (Socket socket = connect()) {
            send(socket, request);
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            return Integer.parseInt(in.readLine().split(" ", 3)[1]);
        }
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

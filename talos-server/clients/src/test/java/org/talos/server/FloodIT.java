// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.GZIPOutputStream;
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
import org.talos.server.testing.ServerProcess;
import org.talos.server.testing.TestServer;

/**
 * A server with a small heap under everything at once that makes memory grow: large bodies declared and chunked, bodies
 * that inflate, trees of JSON, answers that nobody reads, connections that only wait. Others are served meanwhile, and
 * everything is given back afterwards.
 */
@Tag("full") // load
@Tag("servers")
@Timeout(180)
class FloodIT {
    private static final Map<String, String> SMALL = Map.of(
            "TALOS_HTTP_MAXREQUESTMEMORYBYTES", "48MiB",
            "TALOS_HTTP_IDLETIMEOUT", "5s",
            "TALOS_LOG_TAILCACHEBYTES", "8MiB",
            "TALOS_LOG_MAXUNWRITTENBYTES", "16MiB",
            "TALOS_LOG_JOURNALFILEBYTES", "16MiB",
            "TALOS_MANAGEMENT_PORT", "0");
    private static final int FLOOD_SECONDS = 12;

    @TempDir
    private Path directory;

    private final AtomicBoolean over = new AtomicBoolean();
    private final List<Socket> sockets = new ArrayList<>();
    private final ExecutorService flooders = Executors.newCachedThreadPool();
    private ServerProcess server;
    private String authorization; // of who floods
    private String quiet;

    @BeforeEach
    void start() throws Exception {
        server = ServerProcess.start(directory.resolve("data"), SMALL, "256m");
        TalosEndpoint endpoint = TestServer.endpoint(server.endpoint(), directory.resolve("data"));
        authorization = basic(endpoint.accessKey(), endpoint.secretKey());
        NewCredential other =
                new TalosAdmin(new TalosClient(endpoint).once()).addUser("quiet", false, List.of(), List.of());
        quiet = basic(other.accessKey(), other.secretKey());
        assertThat(send(authorization, "/v1/topics", "{\"name\":\"victim\",\"partitions\":2}"))
                .isEqualTo(201);
        assertThat(send(quiet, "/v1/topics", "{\"name\":\"quiet\",\"partitions\":1}"))
                .isEqualTo(201);
    }

    @AfterEach
    void stop() throws Exception {
        over.set(true);
        flooders.shutdownNow();
        for (Socket socket : sockets) {
            socket.close();
        }
        server.close();
    }

    private static String basic(String key, String secret) {
        return "Authorization: Basic " + Base64.getEncoder().encodeToString((key + ":" + secret).getBytes(UTF_8));
    }

    private int send(String sender, String path, String json) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.endpoint().resolve(path))
                .timeout(Duration.ofSeconds(20))
                .header("Authorization", sender.substring("Authorization: ".length()))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json))
                .build();
        return HttpClient.newHttpClient()
                .send(request, BodyHandlers.discarding())
                .statusCode();
    }

    private Socket connect() throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.endpoint().getPort());
        socket.setSoTimeout(10_000);
        synchronized (sockets) {
            sockets.add(socket);
        }
        return socket;
    }

    private byte[] head(String line, String... headers) {
        return (line + " HTTP/1.1\r\nHost: localhost\r\n" + authorization + "\r\n"
                        + String.join(
                                "",
                                List.of(headers).stream()
                                        .map(each -> each + "\r\n")
                                        .toList())
                        + "\r\n")
                .getBytes(US_ASCII);
    }

    /** Something that is done over and over until the flood is over; a refused connection is part of it. */
    private interface Wave {
        void run() throws IOException;
    }

    private void flood(Wave wave) {
        flooders.execute(() -> {
            while (!over.get()) {
                try {
                    wave.run();
                } catch (IOException e) {
                    Thread.onSpinWait(); // closed on the flooder: as it should be
                }
            }
        });
    }

    /** The whole body is sent, whatever the server says; its answer is read if it comes. */
    private void put(byte[] head, byte[] body) throws IOException {
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write(head);
            out.write(body);
            out.flush();
            int unused = socket.getInputStream().read(new byte[1_024]);
        }
    }

    private byte[] declared(String type, byte[] body, String... more) {
        List<String> headers = new ArrayList<>(List.of(more));
        headers.add("Content-Type: " + type);
        headers.add("Content-Length: " + body.length);
        return head("POST /v1/topics/victim/partitions/0/messages", headers.toArray(String[]::new));
    }

    private static byte[] bomb() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            for (int i = 0; i < 300; i++) {
                out.write(new byte[1 << 20]);
            }
        }
        return bytes.toByteArray();
    }

    private void unreadAnswers() throws IOException {
        Socket socket = connect(); // stays open; nobody reads
        for (int i = 0; i < 20; i++) {
            socket.getOutputStream()
                    .write(head("GET /v1/topics/victim/partitions/1/messages?maxMessages=10000&maxBytes=10000000"));
        }
    }

    private void chunked() throws IOException {
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write(head(
                    "POST /v1/topics/victim/partitions/0/messages",
                    "Content-Type: application/octet-stream",
                    "Transfer-Encoding: chunked"));
            byte[] chunk = new byte[64 << 10];
            for (int i = 0; i < 400 && !over.get(); i++) {
                out.write((Integer.toHexString(chunk.length) + "\r\n").getBytes(US_ASCII));
                out.write(chunk);
                out.write("\r\n".getBytes(US_ASCII));
            }
        }
    }

    private double requestMemory() throws Exception {
        String log = Files.readString(directory.resolve("server.log"));
        String port = log.substring(log.indexOf("management port=") + "management port=".length())
                .split("\\s", 2)[0];
        HttpRequest metrics = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .build();
        return HttpClient.newHttpClient()
                .send(metrics, BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith("talos_http_request_memory_bytes "))
                .mapToDouble(line -> Double.parseDouble(line.split(" ", 2)[1]))
                .findFirst()
                .orElseThrow();
    }

    /** Stores messages whose readers get enough for answers that fill the memory. */
    private void store() throws Exception {
        for (int i = 0; i < 6; i++) {
            put(declared("application/octet-stream", new byte[2 << 20]), new byte[2 << 20]);
            String value = "{\"messages\":[{\"value\":\"" + "x".repeat(900_000) + "\"}]}";
            assertThat(send(authorization, "/v1/topics/victim/partitions/1/messages", value))
                    .isEqualTo(200);
        }
    }

    private void floodWithEverything() throws IOException {
        byte[] large = new byte[20 << 20];
        byte[] tree =
                ("{\"messages\":[" + "{\"value\":\"a\"},".repeat(1_000_000) + "{\"value\":\"a\"}]}").getBytes(UTF_8);
        byte[] bomb = bomb();
        for (int i = 0; i < 3; i++) {
            flood(() -> put(declared("application/octet-stream", large), large));
            flood(this::chunked);
            flood(() -> put(declared("application/json", tree), tree));
            flood(() -> put(declared("application/json", bomb, "Content-Encoding: gzip"), bomb));
        }
        for (int i = 0; i < 40; i++) {
            unreadAnswers();
        }
        for (int i = 0; i < 1_000; i++) {
            connect();
        }
    }

    private int putSmall() throws Exception {
        return send(quiet, "/v1/topics/quiet/partitions/0/messages", "{\"messages\":[{\"value\":\"small\"}]}");
    }

    @Test
    void smallHeapHoldsAndOthersAreServedWhileEverythingComesAtOnce() throws Exception {
        store();
        floodWithEverything();
        int served = 0;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(FLOOD_SECONDS);
        while (System.nanoTime() < end) {
            int status = putSmall();
            assertThat(status).isEqualTo(200);
            served++;
            assertThat(requestMemory()).isLessThanOrEqualTo(48 << 20);
        }
        over.set(true);
        System.out.printf(Locale.ROOT, "FloodIT small puts served=%d%n", served);
        assertThat(served).isGreaterThan(4);

        synchronized (sockets) {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(requestMemory()).isZero());
        assertThat(putSmall()).isEqualTo(200);
        assertThat(Files.readString(directory.resolve("server.log"))).doesNotContain("OutOfMemory");
    }
}

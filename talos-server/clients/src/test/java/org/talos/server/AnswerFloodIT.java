// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.Service;
import org.talos.common.message.MessageBlocks;
import org.talos.server.testing.ServerProcess;
import org.talos.server.testing.TestServer;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

/**
 * Reads whose answers are many times as large as what was stored: control characters, of which each is six bytes of
 * JSON, and blocks that are compressed a thousandfold. The server keeps running with a heap that no answer would fit
 * into, and serves others meanwhile.
 */
@Tag("full") // load
@Tag("servers")
@Timeout(240)
class AnswerFloodIT {
    private static final int FLOOD_SECONDS = 8;
    private static final int LARGEST_BYTES = 54 << 20;
    private static final byte CONTROL = 7;

    @TempDir
    private Path directory;

    private final AtomicBoolean over = new AtomicBoolean();
    private final List<Socket> sockets = new ArrayList<>();
    private final List<WebSocket> streams = new ArrayList<>();
    private final ExecutorService readers = Executors.newCachedThreadPool();
    private ServerProcess server;
    private TalosClient client;
    private TopicDescription topic;
    private String attacker;
    private String other;

    /** The heap of the server that a test is given. */
    @Retention(RetentionPolicy.RUNTIME)
    private @interface Heap {
        String value();
    }

    /** Starts a server, with a topic of the attacker and one of another user. */
    @BeforeEach
    void start(TestInfo test) throws Exception {
        String heap =
                test.getTestMethod().orElseThrow().getAnnotation(Heap.class).value();
        server = ServerProcess.start(directory.resolve("data"), Map.of(), heap);
        TalosEndpoint endpoint = TestServer.endpoint(server.endpoint(), directory.resolve("data"));
        client = new TalosClient(endpoint);
        attacker = basic(endpoint.accessKey(), endpoint.secretKey());
        topic = new TalosAdmin(client).createTopic(NewTopic.of("large", 2));
        NewCredential quiet = new TalosAdmin(client.once()).addUser("quiet", false, List.of(), List.of());
        other = basic(quiet.accessKey(), quiet.secretKey());
        assertThat(post(
                        other,
                        "/v1/topics",
                        "application/json",
                        "{\"name\":\"quiet\",\"partitions\":1}".getBytes(UTF_8)))
                .isEqualTo(201);
    }

    @AfterEach
    void stop() throws Exception {
        over.set(true);
        readers.shutdownNow();
        for (Socket socket : sockets) {
            socket.close();
        }
        client.close();
        server.close();
    }

    private static String basic(String key, String secret) {
        return "Basic " + Base64.getEncoder().encodeToString((key + ":" + secret).getBytes(UTF_8));
    }

    private int post(String sender, String path, String type, byte[] body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.endpoint().resolve(path))
                .timeout(Duration.ofSeconds(20))
                .header("Authorization", sender)
                .header("Content-Type", type)
                .POST(BodyPublishers.ofByteArray(body))
                .build();
        return HttpClient.newHttpClient()
                .send(request, BodyHandlers.discarding())
                .statusCode();
    }

    private static byte[] controlCharacters(int count) {
        byte[] bytes = new byte[count];
        Arrays.fill(bytes, CONTROL);
        return bytes;
    }

    /** A block of 55 KB which holds a message of 54 MiB, 324 MiB as JSON. */
    private void putBomb() throws Exception {
        PartitionRef partition = new PartitionRef(topic.name(), topic.resourceName(), 0);
        Message message = new Message(ByteBuffer.wrap(controlCharacters(LARGEST_BYTES)));
        MessageBlock block = MessageBlocks.write(List.of(message), MessageCompressionType.GZIP, 1);
        PutMessageRequest request = new PutMessageRequest(partition.toThrift(), List.of(block), 1, "AnswerFloodIT#1");
        var unused = client.calls()
                .result(new RemoteCall<>(
                        Service.MESSAGE,
                        "putMessage",
                        deadlineMillis -> request,
                        PutMessageResponse::new,
                        RemoteCall.Effect.ONCE,
                        Optional.of(partition),
                        PutMessageResponse::isIsTransfer));
    }

    /** Sends a request on a connection of its own and, if wanted, reads whatever comes until the flood is over. */
    private void request(String method, String path, String accept, boolean reads) throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.endpoint().getPort());
        synchronized (sockets) {
            sockets.add(socket);
        }
        String head = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + attacker
                + "\r\nAccept: " + accept + "\r\nContent-Length: 0\r\n\r\n";
        socket.getOutputStream().write(head.getBytes(US_ASCII));
        if (reads) {
            readers.execute(() -> {
                byte[] some = new byte[64 << 10];
                try {
                    while (!over.get() && socket.getInputStream().read(some) >= 0) {
                        Thread.onSpinWait();
                    }
                } catch (IOException e) {
                    assertThat(e).isNotNull(); // ended by the server or the test, as it may be
                }
            });
        }
    }

    /** Puts of another user succeed until the flood ends. */
    private void othersAreServedUntilTheEnd() throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(FLOOD_SECONDS);
        while (System.nanoTime() < end) {
            assertThat(post(
                            other,
                            "/v1/topics/quiet/partitions/0/messages",
                            "application/json",
                            "{\"messages\":[{\"value\":\"small\"}]}".getBytes(UTF_8)))
                    .isEqualTo(200);
        }
        over.set(true);
        streams.forEach(WebSocket::abort);
        synchronized (sockets) {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(requestMemory()).isZero());
        assertThat(Files.readString(directory.resolve("server.log"))).doesNotContain("OutOfMemory");
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

    @Test
    @Heap("512m")
    void getsOfPlainMessagesThatAreSixTimesAsLongAsJsonLeaveTheServerItsHeap() throws Exception {
        for (int i = 0; i < 48; i++) {
            assertThat(post(
                            attacker,
                            "/v1/topics/large/partitions/1/messages",
                            "application/octet-stream",
                            controlCharacters(1_000_000)))
                    .isEqualTo(201);
        }
        for (int i = 0; i < 300; i++) {
            request(
                    "GET",
                    "/v1/topics/large/partitions/1/messages?maxMessages=100&maxBytes=10485760",
                    i % 3 == 0 ? "application/x-ndjson" : "application/json",
                    i % 2 == 0);
        }

        othersAreServedUntilTheEnd();
    }

    /** The ways to request one message. */
    enum Way {
        JSON("GET", "/partitions/0/messages?from=0", "application/json"),
        BASE64("GET", "/partitions/0/messages?from=0&as=base64", "application/json"),
        LINES("GET", "/partitions/0/messages?from=0", "application/x-ndjson"),
        ONE("GET", "/partitions/0/messages/0", "application/json"),
        RAW("GET", "/partitions/0/messages/0", "*/*"),
        EVENTS("GET", "/partitions/0/events?from=0", "text/event-stream"),
        SEARCH("GET", "/search?from=earliest", "*/*"),
        BACKWARD_SEARCH("GET", "/search?direction=backward", "*/*"),
        STREAM("GET", "", "");

        private final String method;
        private final String path;
        private final String accept;

        Way(String method, String path, String accept) {
            this.method = method;
            this.path = path;
            this.accept = accept;
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    @Heap("1g")
    void oneBlockThatHoldsAThousandTimesItsBytesLeavesTheServerItsHeap(Way way) throws Exception {
        putBomb();
        for (int i = 0; i < 40; i++) {
            if (way == Way.STREAM) {
                openStream();
            } else {
                request(way.method, "/v1/topics/large" + way.path, way.accept, i % 2 == 0);
            }
        }

        othersAreServedUntilTheEnd();
    }

    /** Opens a stream that reads, unless the server has no memory for one more. */
    private void openStream() throws Exception {
        WebSocket.Listener listener = new WebSocket.Listener() {
            @Override
            public void onOpen(WebSocket socket) {
                var unused = socket.sendText("{\"type\":\"subscribe\",\"partition\":0,\"from\":0}", true);
                socket.request(1);
            }
        };
        try {
            WebSocket opened = HttpClient.newHttpClient()
                    .newWebSocketBuilder()
                    .header("Authorization", attacker)
                    .subprotocols("talos.v1.json")
                    .buildAsync(
                            URI.create("ws://127.0.0.1:" + server.endpoint().getPort()
                                    + "/v1/topics/large/stream?window=67108864"),
                            listener)
                    .get(20, TimeUnit.SECONDS);
            streams.add(opened);
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(WebSocketHandshakeException.class).hasStackTraceContaining("503");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.HttpClientTransportOverHTTP2;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.talos.client.TalosClient;
import org.talos.client.admin.TopicDescription;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.Service;
import org.talos.common.message.MessageBlocks;
import org.talos.server.http.HttpExchange;
import org.talos.server.http.rest.RestFixture.Answer;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

/** Tests a message's key, tag, and headers in the head of an answer: over both versions of HTTP, and behind a proxy. */
@Timeout(60)
class RestHeadersTest {
    private static final String ORIGIN = "https://pages-that-show-orders.example.com:8443";
    private static final String LONG_ID = "i".repeat(64);
    /** The header's name, and the separators. */
    private static final int NAMES_BYTES = "talos-header-a: \r\n".length();

    private static final int LARGEST = 3_328;
    /** Room for the cookie of a session that is renewed meanwhile. */
    private static final int COOKIE_BYTES = 300;

    private static final AtomicInteger TOPICS = new AtomicInteger();

    @TempDir
    private static Path data;

    @TempDir
    private static Path proxy;

    private static RestFixture rest;
    private static TalosClient client;

    private final String topic = "orders-" + TOPICS.incrementAndGet();
    private final String messages = "/v1/topics/" + topic + "/partitions/0/messages";

    @BeforeAll
    static void start() throws Exception {
        rest = new RestFixture(data, Map.of("HTTP_CORSORIGINS", ORIGIN));
        client = new TalosClient(rest.server.endpoint());
    }

    @BeforeEach
    void createTopic() throws Exception {
        rest.createTopic(topic, 1);
    }

    @AfterAll
    static void close() {
        client.close();
        rest.close();
    }

    /** Puts a message as an SDK may: its blocks are not looked at. */
    private void putBlock(Message message) throws Exception {
        TopicDescription described = rest.server.admin().describeTopic(topic);
        PartitionRef partition = new PartitionRef(described.name(), described.resourceName(), 0);
        MessageBlock block = MessageBlocks.write(List.of(message), MessageCompressionType.NONE, 1);
        PutMessageRequest request =
                new PutMessageRequest(partition.toThrift(), List.of(block), 1, "RestHeadersTest#" + topic);
        RemoteCall<PutMessageResponse> call = new RemoteCall<>(
                Service.MESSAGE,
                "putMessage",
                deadlineMillis -> request,
                PutMessageResponse::new,
                RemoteCall.Effect.ONCE,
                Optional.of(partition),
                PutMessageResponse::isIsTransfer);
        assertThat(client.calls().result(call)).isNotNull();
    }

    private static Message message() {
        return new Message(ByteBuffer.wrap("body".getBytes(UTF_8)));
    }

    private static Message withHeader(String name, String value) {
        return message().setHeaders(Map.of(name, ByteBuffer.wrap(value.getBytes(UTF_8))));
    }

    private void putLargest() throws Exception {
        Answer stored = rest.post(
                messages, BodyPublishers.ofString("body"), "Talos-Header-A", "a".repeat(LARGEST - NAMES_BYTES));
        assertThat(stored.status()).as(stored.text()).isEqualTo(201);
    }

    @Test
    void largestHeadersAreReadOverHttp11InAHeadOfLessThan4KiB() throws Exception {
        putLargest();

        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), rest.server.uri().getPort())) {
            socket.getOutputStream()
                    .write(("GET " + messages + "/0 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: "
                                    + ORIGIN
                                    + "\r\nX-Request-Id: " + LONG_ID + "\r\nAuthorization: " + rest.authorization()
                                    + "\r\n\r\n")
                            .getBytes(UTF_8));
            String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);

            assertThat(answer)
                    .startsWith("HTTP/1.1 200")
                    .endsWith("\r\n\r\nbody")
                    .contains(LONG_ID, ORIGIN);
            assertThat(answer.length()).isLessThanOrEqualTo(4_096 - COOKIE_BYTES);
        }
    }

    private ContentResponse overHttp2(String path) throws Exception {
        return overHttp2(path, 8 << 10);
    }

    private ContentResponse overHttp2(String path, int maxHeadBytes) throws Exception {
        org.eclipse.jetty.client.HttpClient http2 =
                new org.eclipse.jetty.client.HttpClient(new HttpClientTransportOverHTTP2(new HTTP2Client()));
        http2.setMaxResponseHeadersSize(maxHeadBytes);
        http2.start();
        try {
            return http2.newRequest(rest.server.uri().resolve(path))
                    .headers(headers -> headers.put("Authorization", rest.authorization()))
                    .timeout(20, TimeUnit.SECONDS)
                    .send();
        } finally {
            http2.stop();
        }
    }

    @Test
    void largestHeadersAreReadOverHttp2() throws Exception {
        putLargest();

        ContentResponse one = overHttp2(messages + "/0");

        assertThat(one.getStatus()).isEqualTo(200);
        assertThat(one.getContentAsString()).isEqualTo("body");
        assertThat(one.getHeaders().get("talos-header-a")).hasSize(LARGEST - NAMES_BYTES);
    }

    /** Over HTTP/2 each header counts with 32 bytes more. */
    @Test
    void mostHeadersThatAreAsLargeAsAllowedAreReadOverHttp2() throws Exception {
        StringBuilder headers = new StringBuilder();
        for (int i = 10; i < 74; i++) {
            headers.append(i == 10 ? "" : ",")
                    .append("'h")
                    .append(i)
                    .append("':'")
                    .append("x".repeat(32))
                    .append('\'');
        }
        Answer stored = rest.send(
                "POST", messages, RestFixture.json("{'messages':[{'value':'body','headers':{" + headers + "}}]}"));
        assertThat(stored.status()).as(stored.text()).isEqualTo(200);

        ContentResponse one = overHttp2(messages + "/0");

        assertThat(one.getStatus()).isEqualTo(200);
        assertThat(one.getHeaders().get("talos-header-h73")).hasSize(32);
    }

    @Test
    void largestHeadersAreReadThroughNginxAsItIsInstalled() throws Exception {
        String program = Stream.concat(
                        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1)), Stream.of("/usr/sbin"))
                .map(each -> Path.of(each).resolve("nginx"))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElse("");
        assumeTrue(!program.isEmpty(), "there is no nginx on the path: what it takes of an answer is left out");
        putLargest();
        int port = freePort();
        Process nginx = nginx(program, port);
        try {
            await().ignoreExceptions().until(() -> {
                assertThat(nginx.isAlive()).isTrue();
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                return true;
            });

            HttpResponse<String> one = HttpClient.newHttpClient()
                    .send(
                            rest.request(messages + "/0")
                                    .uri(URI.create("http://127.0.0.1:" + port + messages + "/0"))
                                    .header("Origin", ORIGIN)
                                    .header("X-Request-Id", LONG_ID)
                                    .build(),
                            BodyHandlers.ofString());

            assertThat(one.statusCode()).isEqualTo(200);
            assertThat(one.body()).isEqualTo("body");
            assertThat(one.headers().firstValue("talos-header-a").orElse("")).hasSize(LARGEST - NAMES_BYTES);
        } finally {
            nginx.destroy();
            assertThat(nginx.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private static Process nginx(String program, int port) throws IOException {
        String paths = Stream.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
                .map(each -> each + "_temp_path " + proxy.resolve(each) + ";\n")
                .reduce("", String::concat);
        Path file = Files.writeString(
                proxy.resolve("nginx.conf"),
                "daemon off;\nmaster_process off;\npid " + proxy.resolve("pid")
                        + ";\nevents {}\nhttp {\naccess_log off;\n"
                        + paths + "server {\nlisten 127.0.0.1:" + port + ";\nlocation / {\nproxy_pass "
                        + rest.server.uri() + ";\n}\n}\n}\n");
        return new ProcessBuilder(
                        program,
                        "-p",
                        proxy.toString(),
                        "-e",
                        proxy.resolve("error.log").toString(),
                        "-c",
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(proxy.resolve("output").toFile())
                .start();
    }

    @Test
    void messageWhoseHeadersNoHeadHoldsIsRefusedHoweverItIsPut() throws Exception {
        String value = "ü".repeat((LARGEST - NAMES_BYTES) / 6 + 1);
        String json = "{'value':'body','headers':{'a':'" + value + "'}}";
        List<Answer> refused = List.of(
                rest.post(
                        messages,
                        BodyPublishers.ofString("body"),
                        "Talos-Header-A",
                        "a".repeat(LARGEST - NAMES_BYTES + 1)),
                rest.post(messages, BodyPublishers.ofString("body"), "Talos-Tag", "t".repeat(LARGEST)),
                rest.send("POST", messages, RestFixture.json("{'messages':[" + json + "]}")));
        Answer line = rest.post(
                messages,
                BodyPublishers.ofString(RestFixture.json(json) + "\n"),
                "Content-Type",
                "application/x-ndjson");

        assertThat(refused).allSatisfy(each -> {
            assertThat(each.status()).as(each.text()).isEqualTo(400);
            assertThat(each.text()).contains("as percent-encoded HTTP headers (expected: at most 3328)");
        });
        assertThat(line.text()).startsWith("{\"line\":1,\"problem\":").contains("(expected: at most 3328)");
        assertThat(rest.get(messages).json().get("end").longValue()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {5_400, 20_000})
    void storedMessageWhoseHeadersNoHeadHoldsIsReadAsJson(int length) throws Exception {
        putBlock(length > 8_000 ? message().setTag("t".repeat(length)) : withHeader("a", "ü".repeat(length / 2)));

        Answer raw = rest.get(messages + "/0");
        ContentResponse rawOverHttp2 = overHttp2(messages + "/0");
        Answer json = rest.get(messages + "/0", "Accept", "application/json");

        assertThat(raw.status()).isEqualTo(406);
        assertThat(raw.json().get("code").textValue()).isEqualTo("headers-too-large");
        assertThat(raw.json().get("detail").textValue()).contains("get it as JSON, with Accept: application/json");
        assertThat(raw.json().get("outcome").textValue()).isEqualTo("did-not-happen");
        assertThat(rawOverHttp2.getStatus()).isEqualTo(406);
        assertThat(json.json().get("value").textValue()).isEqualTo("body");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain\r\nX-Other: 1",
                "text/\u0001plain",
                "text",
                "",
                "text/plän",
                "a/b/c",
                "text/plain;\u0007"
            })
    void whatIsNoMediaTypeIsSentAsBytes(String type) throws Exception {
        putBlock(withHeader("content-type", type));

        Answer one = rest.get(messages + "/0");
        ContentResponse overHttp2 = overHttp2(messages + "/0");

        assertThat(one.header("Content-Type")).isEqualTo("application/octet-stream");
        assertThat(one.header("X-Other")).isEmpty();
        assertThat(one.text()).isEqualTo("body");
        assertThat(overHttp2.getStatus()).isEqualTo(200);
        assertThat(overHttp2.getHeaders().get("Content-Type")).isEqualTo("application/octet-stream");
    }

    @Test
    void mediaTypeComesBackWithItsParameters() throws Exception {
        putBlock(withHeader("content-type", "application/vnd.order+json ; charset=\"utf-8\""));

        assertThat(overHttp2(messages + "/0").getHeaders().get("Content-Type"))
                .isEqualTo("application/vnd.order+json ; charset=\"utf-8\"");
    }

    @Test
    void keyTagAndHeadersOfAnyCharactersAreReadOverHttp2() throws Exception {
        putBlock(withHeader("a", "\u0000\r\nX-Other: 1").setTag("\u0001\u007f").setPartitionKey("k\n"));

        ContentResponse one = overHttp2(messages + "/0");

        assertThat(one.getStatus()).isEqualTo(200);
        assertThat(one.getHeaders().get("talos-header-a")).isEqualTo("%00%0D%0AX-Other%3A%201");
        assertThat(one.getHeaders().get("talos-tag")).isEqualTo("%01%7F");
        assertThat(one.getHeaders().get("talos-key")).isEqualTo("k%0A");
    }

    @Test
    void answerWhoseHeadTheClientDoesNotTakeIsLogged() throws Exception {
        putLargest();
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(HttpExchange.class);
        log.addAppender(lines);

        try {
            assertThatThrownBy(() -> overHttp2(messages + "/0", 1_000)).isInstanceOf(ExecutionException.class);

            await().untilAsserted(() -> assertThat(List.copyOf(lines.list)).anySatisfy(line -> {
                assertThat(line.getMessage()).startsWith("response not sent");
                assertThat(line.getKeyValuePairs().toString()).contains(messages + "/0");
            }));
        } finally {
            log.detachAppender(lines);
        }
    }
}

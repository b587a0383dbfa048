// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.NewTopic;
import org.talos.server.testing.TestServer;

/** Requests and frames that no library sends: each gets what is documented, and the server continues. */
@Timeout(90)
class StreamHostileTest {
    private static final String STREAM = "/v1/topics/orders/stream";
    private static final byte[] NOTHING = {};

    @TempDir
    private static Path data;

    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = started(data, Map.of("HTTP_CORSORIGINS", "https://shop.example.org"));
    }

    private static TestServer started(Path folder, Map<String, String> settings) throws Exception {
        TestServer started = TestServer.start(folder, settings);
        started.admin().createTopic(NewTopic.of("orders", 2));
        return started;
    }

    @AfterAll
    static void close() {
        server.close();
    }

    @AfterEach
    void serverIsStillThere() throws Exception {
        assertThere(server);
    }

    private static void assertThere(TestServer asked) throws Exception {
        try (StreamClient client = StreamClient.open(asked.endpoint(), STREAM)) {
            client.send(Sent.putMessage(0, 0, 1, "", "still there"));
            assertThat(client.stored(1)).hasSize(1);
        }
    }

    private RawStream stream(String query, String... headers) throws Exception {
        return new RawStream(server.endpoint(), STREAM + query, headers);
    }

    @ParameterizedTest
    @CsvSource({
        "?window=1, 400",
        "?window=67108865, 400",
        "?producer=, 400",
        "?producer=a.b, 400",
        "?unknown=1, 400",
        "?token=x, 401",
    })
    void openingThatIsNoneIsRefusedWithAStatus(String query, int status) throws Exception {
        try (RawStream raw = stream(query)) {
            assertThat(raw.status()).isEqualTo(status);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET            | HEAD                         | 405",
                "GET            | POST                         | 405",
                "GET            | CONNECT                      | 400",
                "HTTP/1.1       | HTTP/1.0                     | 400",
                "Version: 13    | Version: 8                   | 400",
                "Version: 13    | Version: 13, 8               | 400",
                "AAAAAAAAAAAAAAAAAAAAAA== | AAAA               | 400",
                "AAAAAAAAAAAAAAAAAAAAAA== | ======================== | 400",
                "Upgrade: websocket | Upgrade: h2c, websocket  | 400",
                "Connection: Upgrade | Connection: keep-alive  | 400",
                "Connection: Upgrade | Connection: \"Upgrade\" | 400",
                "Protocol: talos.v1 | Protocol: \"talos.v1\"   | 400",
                "Host: localhost | Host: localhost#Sec-WebSocket-Key: BAAAAAAAAAAAAAAAAAAAAA== | 400",
                "Host: localhost | Host: localhost#Sec-WebSocket-Extensions: ;;\"=,   | 101",
            })
    void openingThatIsNearlyOneIsAnsweredInOrder(String right, String wrong, int status) throws Exception {
        String request = new String(RawStream.request(server.endpoint(), STREAM), ISO_8859_1);
        assertThat(request).contains(right);

        byte[] sent = request.replace(right, wrong.replace("#", "\r\n")).getBytes(ISO_8859_1);

        try (RawStream raw = new RawStream(RawStream.connect(server.endpoint()), sent)) {
            assertThat(raw.status()).isEqualTo(status);
        }
    }

    @Test
    void otherSubprotocolsAreRefusedByName() throws Exception {
        try (RawStream raw = stream("", "Sec-WebSocket-Protocol: talos.v2, chat")) {
            assertThat(raw.status()).isEqualTo(400);
            assertThat(raw.body()).contains("talos.v2", "chat", "expected: talos.v1");
        }
    }

    @Test
    void streamsNeedCredentialsAndARight() throws Exception {
        try (RawStream raw = new RawStream(server.endpoint(), STREAM, List.of())) {
            assertThat(raw.status()).isEqualTo(401);
        }
        NewCredential key = server.admin().addUser("ann", false, List.of(), List.of());
        TalosEndpoint ann = new TalosEndpoint(server.uri(), key.accessKey(), key.secretKey());
        try (RawStream raw = new RawStream(ann, STREAM)) {
            assertThat(raw.status()).isEqualTo(403);
        }
        try (RawStream raw = new RawStream(server.endpoint(), "/v1/topics/none/stream")) {
            assertThat(raw.status()).isEqualTo(404);
        }
    }

    @Test
    void pagesOfOtherOriginsOpenNoStream() throws Exception {
        try (RawStream raw = stream("", "Origin: https://evil.example.org")) {
            assertThat(raw.status()).isEqualTo(403);
            assertThat(raw.body()).contains("foreign-origin");
        }
        for (String origin : List.of("https://shop.example.org", "http://localhost")) {
            try (RawStream raw = stream("", "Origin: " + origin)) {
                assertThat(raw.status()).isEqualTo(101);
            }
        }
    }

    @Test
    void noExtensionIsAgreedOn() throws Exception {
        try (RawStream raw = stream("", "Sec-WebSocket-Extensions: permessage-deflate")) {
            assertThat(raw.status()).isEqualTo(101);
            assertThat(raw.head().toLowerCase(Locale.ROOT))
                    .doesNotContain("extensions")
                    .contains("talos.v1");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00",
                "06000000",
                "030000",
                "01000000000000030000000000000007000000010000018bcfe56800ffffffff",
                "01000000000000000000000000000007000000010000018bcfe568000000000468656c6c6f",
                "01000000000000000000000000000007000000010000018bcfe568000000000668656c6c6f",
            })
    void messageThatIsNotOfItsFormEndsTheStream(String hex) throws Exception {
        try (RawStream raw = stream("")) {
            raw.frame(RawStream.BINARY, HexFormat.of().parseHex(hex));

            assertThat(raw.closeCode()).isEqualTo(1002);
        }
    }

    @Test
    void putThatClaimsMoreThanMayBeSentEndsTheStreamByItsHead() throws Exception {
        try (RawStream raw = stream("")) {
            raw.frame(
                    RawStream.BINARY,
                    Long.MAX_VALUE,
                    HexFormat.of().parseHex("01000000000000000000000000000007000000010000018bcfe568007fffffff"));

            assertThat(raw.closeCode()).isIn(1002, 1009);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {RawStream.BINARY | 0x40, 0x83, RawStream.CONTINUATION, 0x09})
    void frameThatIsNoneEndsTheStream(int first) throws Exception {
        try (RawStream raw = stream("")) {
            raw.frame(first, Sent.credit(1));

            assertThat(raw.closeCode()).isEqualTo(1002);
        }
    }

    @Test
    void frameWithoutAMaskEndsTheStream() throws Exception {
        try (RawStream raw = stream("")) {
            raw.send(new byte[] {(byte) RawStream.BINARY, 8, 5, 0, 0, 0, 0, 0, 0, 1});

            assertThat(raw.closeCode()).isEqualTo(1002);
        }
    }

    @Test
    void textEndsTheStream() throws Exception {
        try (RawStream raw = stream("")) {
            raw.frame(RawStream.TEXT, "{}".getBytes(StandardCharsets.UTF_8));

            assertThat(raw.closeCode()).isEqualTo(1003);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {RawStream.PING, 0x8a, 0x02})
    void floodOfFramesThatCarryNothingEndsTheStream(int first) throws Exception {
        try (RawStream raw = stream("")) {
            assertThat(codeOfAFlood(raw, first)).isEqualTo(1008);
        }
    }

    /** In one go: what comes after a connection is closed would reset it. */
    private static int codeOfAFlood(RawStream raw, int first) throws IOException {
        ByteArrayOutputStream flood = new ByteArrayOutputStream();
        flood.writeBytes(RawStream.framed(first, 0, NOTHING));
        for (int i = 0; i < 300; i++) {
            flood.writeBytes(RawStream.framed(first == 0x02 ? 0 : first, 0, NOTHING));
        }
        raw.send(flood.toByteArray());
        return raw.closeCode();
    }

    @Test
    void clientWhoDoesNotAnswerPingsIsClosedAndOneWhoDoesIsNot(@TempDir Path own) throws Exception {
        try (TestServer impatient = started(own, Map.of("HTTP_IDLETIMEOUT", "1s"));
                StreamClient answers = StreamClient.open(impatient.endpoint(), STREAM);
                RawStream silent = new RawStream(impatient.endpoint(), STREAM)) {
            assertThat(silent.closeCode()).isEqualTo(1001);

            answers.send(Sent.putMessage(0, 0, 1, "", "alive"));
            assertThat(answers.stored(1)).hasSize(1);
        }
    }

    @Test
    void messageThatComesTooSlowlyEndsTheStream(@TempDir Path own) throws Exception {
        started(own, Map.of()).close();
        Map<String, String> strict =
                Map.of("HTTP_BODYGRACE", "0s", "HTTP_MINBODYBYTESPERSECOND", Integer.toString(1 << 30));
        try (TestServer impatient = TestServer.start(own, strict);
                RawStream raw = new RawStream(impatient.endpoint(), STREAM)) {
            byte[] put = Sent.put(0, 0, 1, "slow");
            raw.frame(0x02, new byte[] {put[0]});
            raw.frame(0, new byte[] {put[1]});

            assertThat(raw.closeCode()).isEqualTo(1013);
        }
        try (TestServer again = TestServer.start(own, Map.of())) {
            assertThere(again);
        }
    }

    @Test
    void putLargerThanTheLargestEndsTheStream() throws Exception {
        try (RawStream raw = stream("?window=65536")) {
            raw.frame(RawStream.BINARY, Sent.put(0, 0, 1, "x".repeat(65_536)));

            assertThat(raw.closeCode()).isEqualTo(1009);
        }
    }
}

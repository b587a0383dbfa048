// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.json;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.http.rest.RestFixture.Answer;

/** Checks that wrong requests are refused by name, and not taken for similar ones. */
@Timeout(60)
class RestRefusalsTest {
    private static final String PARTITION = "/v1/topics/orders/partitions/0/messages";

    @TempDir
    private static Path data;

    private static RestFixture rest;

    @BeforeAll
    static void start() throws Exception {
        rest = new RestFixture(data);
        rest.createTopic("orders", 2);
    }

    @AfterAll
    static void close() {
        rest.close();
    }

    private static void assertBadRequest(Answer answer, String... named) throws Exception {
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.json().get("detail").textValue()).contains(named);
        assertThat(answer.json().get("outcome").textValue()).isEqualTo("did-not-happen");
    }

    /** The status of a request that no client library would send. */
    private static String sent(String head, String body) throws Exception {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), rest.server.uri().getPort())) {
            socket.setSoTimeout(20_000);
            String text = head + "\r\nHost: localhost\r\nAuthorization: " + rest.authorization()
                    + "\r\nConnection: close\r\n\r\n" + body;
            socket.getOutputStream().write(text.getBytes(UTF_8));
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }

    private static byte[] frame(int type, int flags, int stream, byte... payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) 0)
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    /** HTTP/2, byte by byte: no library leaves the server no window. */
    @Test
    void bodyOfOneWithoutKeyIsDroppedThoughTheAnswerIsNotTaken() throws Exception {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), rest.server.uri().getPort())) {
            socket.setSoTimeout(20_000);
            OutputStream out = socket.getOutputStream();
            out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(UTF_8));
            out.write(frame(4, 0, 0, new byte[] {0, 4, 0, 0, 0, 0})); // SETTINGS: no window for what the server sends
            byte[] post =
                    joined(new byte[] {(byte) 0x83, (byte) 0x86, 0x01, 1, 'a', 0x04, 10}, "/v1/topics".getBytes(UTF_8));
            out.write(frame(1, 4, 1, post)); // HEADERS
            for (int i = 0; i < 20_000; i++) {
                out.write(frame(0, 0, 1, new byte[16])); // DATA, more than half of its window
            }
            assertThat(updatedStream(new DataInputStream(socket.getInputStream())))
                    .isEqualTo(1);
        }
    }

    /** The stream of the next WINDOW_UPDATE that is not the connection's. */
    private static int updatedStream(DataInputStream in) throws Exception {
        while (true) {
            int lengthAndType = in.readInt();
            in.skipNBytes(1); // flags
            int stream = in.readInt();
            in.skipNBytes(lengthAndType >>> 8);
            if ((lengthAndType & 0xff) == 8 && stream != 0) {
                return stream;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/topics/orders;a=b",
                "/v1/topics/orders/partitions/0;x/messages",
                "/v1/topics;/orders",
                "/v1/topics/orders/partitions/00/messages",
                "/v1/topics/orders/partitions/+0/messages",
                "/v1/topics/orders/partitions/%D9%A0/messages"
            })
    void pathHasOneSpelling(String path) throws Exception {
        assertThat(rest.get(path).status()).isEqualTo(404);
    }

    @Test
    void transferEncodingThatIsNotReadIsRefused() throws Exception {
        String head = "POST " + PARTITION + " HTTP/1.1\r\nTransfer-Encoding: gzip, chunked";

        String answer = sent(head, "2\r\nab\r\n0\r\n\r\n");

        assertThat(answer).startsWith("HTTP/1.1 400 ").contains("application/problem+json", "chunked");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/events?from=%zz", "/events?token=%", "/messages?from=%ff", "/messages?%zz"})
    void parametersThatCannotBeReadAreRefused(String path) throws Exception {
        String answer = sent("GET /v1/topics/orders/partitions/0" + path + " HTTP/1.1", "");

        assertThat(answer).startsWith("HTTP/1.1 400 ").contains("application/problem+json", "what follows ?");
    }

    @ParameterizedTest
    @CsvSource({"Talos-Key, %ff", "Talos-Key, %", "Talos-Tag, a%c3", "Talos-Header-Trace, %ed%a0%80"})
    void headerThatIsNotPercentEncodedUtf8IsRefused(String name, String value) throws Exception {
        assertBadRequest(rest.post(PARTITION, BodyPublishers.ofString("x"), name, value), "percent-encoded UTF-8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Talos-Key", "Talos-Tag", "Talos-Header-Trace", "Content-Type"})
    void headerOfRawUtf8IsRefused(String name) throws Exception {
        String answer = sent(
                "POST " + PARTITION + " HTTP/1.1\r\nContent-Length: 1\r\n" + name + ": \u043a\u043b\u044e\u0447", "x");

        assertThat(answer).startsWith("HTTP/1.1 400 ").containsIgnoringCase("header " + name);
    }

    @ParameterizedTest
    @CsvSource({
        "Talos-Header-Trace: 1, talos-header-trace: 2, trace",
        "Talos-Header-Trace: 1, Talos-Header-Trace: 1, trace",
        "Talos-Key: a, Talos-Key: b, Talos-Key",
        "Talos-Tag: a, talos-tag: b, Talos-Tag",
        "Talos-Timestamp: 1, Talos-Timestamp: 2, Talos-Timestamp",
        "Content-Type: a/b, content-type: c/d, Content-Type"
    })
    void headerThatComesTwiceIsRefusedByName(String one, String other, String name) throws Exception {
        String answer = sent("POST " + PARTITION + " HTTP/1.1\r\nContent-Length: 1\r\n" + one + "\r\n" + other, "x");

        assertThat(answer).startsWith("HTTP/1.1 400 ").contains("header " + name + " comes more than once");
    }

    @Test
    void headersOfAMessageThatDifferInCapitalsOnlyAreRefusedByName() throws Exception {
        String message = json("{'value':'a','headers':{'Trace':'1','trace':'2'}}");

        assertBadRequest(rest.send("POST", PARTITION, json("{'messages':[") + message + "]}"), "header trace comes");
        assertThat(rest.post(PARTITION, BodyPublishers.ofString(message), "Content-Type", "application/x-ndjson")
                        .text())
                .contains("\"problem\":", "header trace comes more than once");
    }

    @Test
    void headerIsWhatItsPercentEncodingSays() throws Exception {
        Answer stored = rest.post(PARTITION, BodyPublishers.ofString("x"), "Talos-Key", "a+b%20%D0%BA%F0%9F%8D%83");

        assertThat(stored.status()).isEqualTo(201);
        assertThat(rest.get(PARTITION + "/" + stored.json().get("offset")).header("Talos-Key"))
                .isEqualTo("a%2Bb%20%D0%BA%F0%9F%8D%83");
    }

    @ParameterizedTest
    @ValueSource(strings = {"'\\ud800'", "{'x':['\\udc00']}", "{'a':{'b':'\\ud800\\ud800'}}"})
    void jsonWithHalfOfASurrogatePairIsRefused(String value) throws Exception {
        assertBadRequest(
                rest.send("POST", PARTITION, json("{'messages':[{'json':" + value + "}]}")),
                "messages[0].json",
                "surrogate");
    }

    @Test
    void nameWithHalfOfASurrogatePairIsRefused() throws Exception {
        assertBadRequest(
                rest.send("POST", PARTITION, json("{'messages':[{'json':{'\\ud800':1}}]}")),
                "surrogate pair in field name");
    }

    /** The JSON of a message is read without a tree. It must not let pass what the rest of a body may not have. */
    @ParameterizedTest
    @ValueSource(
            strings = {"{'a':1,'a':2}", "[1e99999999999]", "{'a':1", "[01]", "NaN", "[1,]", "'a' 1", "{'a'}", "/**/1"})
    void jsonThatIsNoneIsRefused(String value) throws Exception {
        assertBadRequest(rest.send("POST", PARTITION, json("{'messages':[{'json':" + value + "}]}")), "the body");
    }

    @Test
    void jsonOfAMessageIsAsDeepAsABodyMayBe() throws Exception {
        String most = "[".repeat(29) + "]".repeat(29); // three levels are around it

        assertThat(rest.send("POST", PARTITION, json("{'messages':[{'json':" + most + "}]}"))
                        .status())
                .isEqualTo(200);
        assertBadRequest(rest.send("POST", PARTITION, json("{'messages':[{'json':[" + most + "]}]}")), "the body");
        assertBadRequest(
                rest.send("POST", PARTITION, json("{'messages':[{'json':" + "9".repeat(101) + "}]}")), "the body");
    }

    private static byte[] gzip(String text) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }

    private static byte[] joined(byte[] one, byte[] other) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(one);
        all.writeBytes(other);
        return all.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 18, 19, 5_000})
    void whatFollowsACompressedBodyIsRefused(int junk) throws Exception {
        byte[] text = "x".repeat(junk).getBytes(UTF_8);
        Answer gzip =
                rest.post(PARTITION, BodyPublishers.ofByteArray(joined(gzip("a"), text)), "Content-Encoding", "gzip");
        Answer zstd = rest.post(
                PARTITION,
                BodyPublishers.ofByteArray(joined(Zstd.compress("a".getBytes(UTF_8)), text)),
                "Content-Encoding",
                "zstd");

        assertBadRequest(gzip, "gzip");
        assertBadRequest(zstd, "zstd");
    }

    @Test
    void severalMembersOfGzipAreOneBody() throws Exception {
        byte[] body = joined(gzip("first, "), gzip("y".repeat(100_000)));

        Answer stored = rest.post(PARTITION, BodyPublishers.ofByteArray(body), "Content-Encoding", "gzip");

        assertThat(stored.status()).as(stored.text()).isEqualTo(201);
        assertThat(rest.get(PARTITION + "/" + stored.json().get("offset")).text())
                .isEqualTo("first, " + "y".repeat(100_000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{'messages':[{'value':'a'}]}", " [1]"})
    void jsonThatCurlCallsAFormIsRefusedWithWhatToSend(String body) throws Exception {
        Answer answer = rest.post(
                PARTITION, BodyPublishers.ofString(json(body)), "Content-Type", "application/x-www-form-urlencoded");

        assertThat(answer.status()).as(answer.text()).isEqualTo(415);
        assertThat(answer.json().get("detail").textValue()).contains("--json", "--data-binary");
        assertThat(rest.post(
                                PARTITION,
                                BodyPublishers.ofString("a=b"),
                                "Content-Type",
                                "application/x-www-form-urlencoded")
                        .status())
                .isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "text/plain",
                "text/plain;charset=UTF-8",
                "TEXT/JSON",
            })
    void batchThatIsNotCalledJsonIsRefusedWithWhatToSend(String type) throws Exception {
        String head = "POST " + PARTITION + " HTTP/1.1" + (type.isEmpty() ? "" : "\r\nContent-Type: " + type);
        String batch = json(" {\n'messages' : [{'value':'a'}]}");

        String answer = sent(head + "\r\nContent-Length: " + batch.length(), batch);

        assertThat(answer)
                .startsWith("HTTP/1.1 415 ")
                .contains("Content-Type: application/json", "application/octet-stream");
    }

    @Test
    void batchBehindAMarkOfTheByteOrderIsRefusedAsWell() throws Exception {
        Answer answer = rest.post(
                PARTITION, BodyPublishers.ofString("\ufeff" + json("{'messages':[]}")), "Content-Type", "text/plain");

        assertThat(answer.status()).isEqualTo(415);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            text/plain               | {"messages": 1}
            text/plain               | ["messages"]
            text/plain               | {"value": "a"}
            application/octet-stream | {"messages": [{"value": "a"}]}
            application/x-mine       | {"messages": []}
            """)
    void otherBytesAreAMessageWhateverTheirType(String type, String bytes) throws Exception {
        Answer stored = rest.post(PARTITION, BodyPublishers.ofString(bytes), "Content-Type", type);

        assertThat(stored.status()).as(stored.text()).isEqualTo(201);
        assertThat(rest.get(PARTITION + "/" + stored.json().get("offset")).text())
                .isEqualTo(bytes);
    }

    @Test
    void emptyObjectIsABodyWhereNoneIsNeededAndNothingElseIs() throws Exception {
        String members = "/v1/topics/orders/groups/readers/members";
        String member =
                rest.post(members, BodyPublishers.noBody()).json().get("member").textValue();

        assertThat(rest.send("POST", members + "/" + member + "/heartbeat", " {} ")
                        .status())
                .isEqualTo(200);
        assertBadRequest(rest.send("POST", members + "/" + member + "/heartbeat", json("{'lease':5}")), "lease");
        assertBadRequest(rest.send("DELETE", members + "/" + member, "x"), "JSON");
        assertBadRequest(rest.send("DELETE", members + "/" + member, " ".repeat(100_000)), "expected: no body, or {}");
        assertThat(rest.send("DELETE", members + "/" + member, "{}").status()).isEqualTo(204);
    }
}

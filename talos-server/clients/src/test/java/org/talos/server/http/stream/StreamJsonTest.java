// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.client.admin.NewTopic;
import org.talos.common.message.MessageBlocks;
import org.talos.server.testing.TestServer;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Streams of JSON over a socket, as browsers and scripts use them: at one server, each test with a topic of its own.
 */
@Timeout(90)
class StreamJsonTest {
    private static final String STREAM = "/v1/topics/orders/stream";
    private static final String SMALLEST_WINDOW = "?window=65536";

    @TempDir
    private static Path data;

    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = TestServer.start(data, Map.of("SERVICE_MAXRESTWAIT", "1s"));
    }

    @AfterAll
    static void close() {
        server.close();
    }

    @BeforeEach
    void make() throws Exception {
        server.admin().createTopic(NewTopic.of("orders", 2));
    }

    @AfterEach
    void serverIsStillThere() throws Exception {
        try (JsonStream client = open("")) {
            client.send("{'type':'put','number':1,'value':'still there'}");
            client.next("stored");
        } finally {
            server.admin().deleteTopic("orders");
        }
    }

    private JsonStream open(String query) throws Exception {
        return JsonStream.open(server.endpoint(), STREAM + query);
    }

    private RawStream raw(String query) throws Exception {
        return new RawStream(
                server.endpoint(), STREAM + query, "Sec-WebSocket-Protocol: " + StreamUpgrade.JSON_SUBPROTOCOL);
    }

    private static String code(JsonNode message) {
        return message.get("problem").get("code").textValue();
    }

    private void awaitNothingHeld() {
        HttpRequest metrics = HttpRequest.newBuilder(metricsUri()).build();
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(HttpClient.newHttpClient()
                                .send(metrics, BodyHandlers.ofString())
                                .body())
                        .contains("talos_http_open_streams 0", "talos_http_request_memory_bytes 0"));
    }

    private URI metricsUri() {
        return server.managementUri().resolve("/metrics");
    }

    @Test
    void putIsAnsweredByItsNumberAndItsTextComesBackAsCredit() throws Exception {
        String put = "{\"type\":\"put\",\"number\":7,\"partition\":1,\"value\":\"grüße\"}";
        try (JsonStream client = open("")) {
            JsonNode opened = client.next();
            assertThat(opened.get("type").textValue()).isEqualTo("opened");
            assertThat(List.of(
                            opened.get("window").intValue(),
                            opened.get("partitions").intValue()))
                    .containsExactly(2 << 20, 2);

            client.sendAsItIs(put);

            JsonNode stored = client.next("stored").get("puts").get(0);
            assertThat(List.of(
                            stored.get("partition").intValue(),
                            stored.get("number").intValue(),
                            stored.get("offset").intValue()))
                    .containsExactly(1, 7, 0);
            assertThat(client.next("credit").get("bytes").intValue()).isEqualTo(put.getBytes(UTF_8).length);
        }
        awaitNothingHeld();
    }

    @Test
    void messageOfNoBytesIsStoredAndComesBack() throws Exception {
        try (JsonStream client = open("")) {
            client.send("{'type':'put','number':1,'partition':0,'value':''}");
            assertThat(client.next("stored").get("puts").get(0).get("number").intValue())
                    .isEqualTo(1);

            client.send("{'type':'subscribe','partition':0,'from':0}");

            assertThat(client.next("message").get("value").textValue()).isEmpty();
        }
        awaitNothingHeld();
    }

    @Test
    void messagesComeAsRestShowsThem() throws Exception {
        try (JsonStream client = open("?as=json")) {
            client.send("{'type':'subscribe','partition':0,'from':'latest'}");
            client.send("{'type':'put','number':1,'partition':0,'json':{'total':12.50},'key':'k','tag':'t',"
                    + "'timestamp':5,'headers':{'a':'b'}}");
            client.send("{'type':'put','number':2,'partition':0,'base64':'AAEC/w==','timestamp':6}");

            JsonNode first = client.next("message");
            first.withObject("").remove("appendTimestamp");
            assertThat(first)
                    .hasToString(
                            ("{'type':'message','partition':0,'end':1,'offset':0,'key':'k','tag':'t','timestamp':5,"
                                            + "'headers':{'a':'b','content-type':'application/json'},'json':{'total':12.5}}")
                                    .replace('\'', '"')
                                    .replace("\"end\":1", "\"end\":" + first.get("end")));
            assertThat(client.next("message").get("base64").textValue()).isEqualTo("AAEC/w==");
        }
    }

    @Test
    void messageWithAKeyGoesWhereTheKeyBelongs() throws Exception {
        try (JsonStream client = open("");
                StreamClient binary = StreamClient.open(server.endpoint(), STREAM)) {
            for (int i = 0; i < 8; i++) {
                client.send("{'type':'put','number':" + i + ",'key':'key-" + i + "','value':'a'}");
                int partition = client.next("stored")
                        .get("puts")
                        .get(0)
                        .get("partition")
                        .intValue();

                binary.send(Sent.putMessage(0, -1, i, "key-" + i, "a"));
                assertThat(binary.stored(1).get(0).partition()).isEqualTo(partition);
            }
        }
    }

    @Test
    void putThatIsSentAgainAsTheSameTextIsStoredOnce() throws Exception {
        String put = "{'type':'put','number':3,'partition':0,'value':'paid once'}";
        try (JsonStream broken = open("?producer=p")) {
            broken.send(put);
            broken.next("stored");
        }
        try (JsonStream client = open("?producer=p")) {
            client.send(put);
            assertThat(client.next("stored").get("puts").get(0).get("offset").intValue())
                    .isZero();
            client.send(put.replace("once", "twice"));
            assertThat(code(client.next("refused"))).isEqualTo("lock-value-not-expected");
        }
    }

    @Test
    void textsOfAllSizesAreStoredInTheirOrder() throws Exception {
        try (JsonStream client = open("")) {
            for (int i = 0; i < 40; i++) {
                String value = "x".repeat(i % 4 == 0 ? 70_000 : 1); // of which the large ones are read elsewhere
                client.send("{'type':'put','number':" + i + ",'partition':0,'value':'" + i + " " + value + "'}");
            }
            client.send("{'type':'subscribe','partition':0,'from':'earliest'}");

            assertThat(client.messages(40))
                    .extracting(each -> each.split(" ", 3)[1])
                    .isEqualTo(
                            IntStream.range(0, 40).mapToObj(Integer::toString).toList());
        }
        awaitNothingHeld();
    }

    @Test
    void blockThatHoldsMoreThanTheWindowComesInPartsAsItIsPaidFor() throws Exception {
        int count = 500;
        List<Message> messages = IntStream.range(0, count)
                .mapToObj(i -> {
                    Message message = new Message();
                    message.setMessage((i + "x".repeat(1_000)).getBytes(UTF_8));
                    return message;
                })
                .toList();
        MessageBlock block = MessageBlocks.write(messages, MessageCompressionType.GZIP, 1);
        try (StreamClient writer = StreamClient.open(server.endpoint(), STREAM)) {
            writer.send(Sent.put(0, 0, 1, block));
            assertThat(writer.stored(1)).hasSize(1);
        }
        try (JsonStream client = open(SMALLEST_WINDOW)) {
            client.send("{'type':'subscribe','partition':0,'from':0}");

            List<String> read = client.messages(count);

            assertThat(read).hasSize(count).doesNotHaveDuplicates();
            assertThat(read.get(count - 1)).startsWith("499 499x");
        }
        awaitNothingHeld();
    }

    @Test
    void messageLargerThanTheWindowIsSaidToBeSoAndPassedBy() throws Exception {
        try (JsonStream writer = open("")) {
            writer.send("{'type':'put','number':1,'partition':0,'value':'" + "x".repeat(70_000) + "'}");
            writer.send("{'type':'put','number':2,'partition':0,'value':'small'}");
            writer.next("stored");
        }
        try (JsonStream client = open(SMALLEST_WINDOW)) {
            client.send("{'type':'subscribe','partition':0,'from':'earliest'}");
            JsonNode ended = client.next("ended");
            assertThat(code(ended)).isEqualTo("larger-than-window");
            assertThat(ended.get("problem").get("skip").intValue()).isEqualTo(1);
            client.send("{'type':'subscribe','partition':0,'from':1}");

            assertThat(client.messages(1)).containsExactly("1 small");
        }
    }

    @Test
    void clientWithoutCreditGetsNothingUntilItGrantsSome() throws Exception {
        try (JsonStream client = open(SMALLEST_WINDOW)) {
            for (int i = 0; i < 4; i++) {
                client.send("{'type':'put','number':" + i + ",'partition':0,'value':'" + "x".repeat(30_000) + "'}");
                client.next("credit");
            }
            client.send("{'type':'subscribe','partition':0,'from':0}");
            client.next("message");
            client.next("message");
            client.send("{'type':'put','number':9,'partition':1,'value':'between'}");
            assertThat(client.next().get("type").textValue())
                    .as("and no message")
                    .isEqualTo("stored");

            client.send("{'type':'credit','bytes':65536}");

            assertThat(client.next("message").get("offset").intValue()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'value':'a','base64':'AA=='}          | one of value",
                "{'value':1}                            | text",
                "{'value':'a','unknown':1}              | unknown field",
                "{'value':'a','partition':-2}           | partition",
                "{'value':'a','partition':1.5}          | partition",
                "{'value':'a','partition':99999999999}  | partition",
                "{'value':'a','ordered':'yes'}          | ordered",
                "{'base64':'AA'}                        | base64",
                "{'value':'a','key':''}                 | a key of 0 bytes",
                "{'value':'a','headers':[]}             | headers",
                "{'value':'a','timestamp':1e400}        | timestamp",
                "{'value':'\\ud800'}                    | surrogate",
            })
    void putThatIsWrongIsRefusedByItsNumberAndTheStreamGoesOn(String fields, String says) throws Exception {
        try (JsonStream client = open("")) {
            client.send(fields.strip().replaceFirst("\\{", "{'type':'put','number':5,"));

            JsonNode refused = client.next("refused");
            assertThat(refused.get("number").intValue()).isEqualTo(5);
            assertThat(code(refused)).isEqualTo("bad-request");
            assertThat(refused.get("problem").get("detail").textValue()).contains(says);
            client.send("{'type':'put','number':6,'value':'right'}");
            assertThat(client.next("stored").get("puts").get(0).get("number").intValue())
                    .isEqualTo(6);
        }
        awaitNothingHeld();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{}                                                           | 1002",
                "{'type':'chat'}                                              | 1002",
                "{'type':7}                                                   | 1002",
                "{'type':'put','value':'a'}                                   | 1002",
                "{'type':'put','number':1.5,'value':'a'}                      | 1002",
                "{'type':'put','number':99999999999999999999,'value':'a'}     | 1002",
                "{'type':'subscribe','partition':0}                           | 1002",
                "{'type':'subscribe','partition':-1,'from':0}                 | 1002",
                "{'type':'subscribe','partition':0,'from':-1}                 | 1002",
                "{'type':'subscribe','partition':0,'from':'end'}              | 1002",
                "{'type':'unsubscribe','partition':0,'x':1}                   | 1002",
                "{'type':'credit','bytes':-1}                                 | 1002",
                "{'type':'credit','bytes':4294967296}                         | 1002",
                "{'type':'credit','bytes':1,'bytes':2}                        | 1007",
                "{'type':'put','number':1e999999999,'value':'a'}              | 1002",
                "{'type':'put','number':1e99999999999,'value':'a'}            | 1007",
                "[1]                                                          | 1007",
                "{                                                            | 1007",
                "{} {}                                                        | 1007",
                "NaN                                                          | 1007",
            })
    void textThatIsNoMessageEndsTheStream(String text, int code) throws Exception {
        try (JsonStream client = open("")) {
            client.send(text.strip());

            assertThat(client.closeCode()).isEqualTo(code);
        }
        awaitNothingHeld();
    }

    @Test
    void deepTextAndALongNameEndTheStreamOrdinarily() throws Exception {
        try (JsonStream client = open("")) {
            client.sendAsItIs(
                    "{\"type\":\"put\",\"number\":1,\"json\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}");
            assertThat(client.closeCode()).isEqualTo(1007);
        }
        try (JsonStream client = open("")) {
            client.sendAsItIs("{\"type\":\"credit\",\"bytes\":1,\"" + "ü".repeat(10_000) + "\":1}");
            assertThat(client.closeCode()).isEqualTo(1002);
        }
    }

    @Test
    void whatIsNoUtf8OrNoTextEndsTheStream() throws Exception {
        try (RawStream raw = raw("")) {
            raw.frame(RawStream.TEXT, new byte[] {'{', '"', (byte) 0xff, '"', '}'});
            assertThat(raw.closeCode()).isEqualTo(1007);
        }
        try (RawStream raw = raw("")) {
            raw.frame(RawStream.BINARY, "{}".getBytes(UTF_8));
            assertThat(raw.closeCode()).isEqualTo(1003);
        }
    }

    @Test
    void textLargerThanTheLargestPutEndsTheStreamBeforeItIsWhole() throws Exception {
        try (RawStream raw = raw(SMALLEST_WINDOW)) {
            raw.frame(RawStream.TEXT, 1 << 30, new byte[65_537]);
            assertThat(raw.closeCode()).isEqualTo(1009);
        }
        awaitNothingHeld();
    }

    @Test
    void firstSubprotocolThatIsKnownIsTaken() throws Exception {
        for (String offered : List.of("chat, talos.v1.json, talos.v1", "talos.v1, talos.v1.json")) {
            try (RawStream raw = new RawStream(server.endpoint(), STREAM, "Sec-WebSocket-Protocol: " + offered)) {
                assertThat(raw.head()).contains("talos.v1" + (offered.startsWith("chat") ? ".json" : "") + "\r\n");
            }
        }
    }
}

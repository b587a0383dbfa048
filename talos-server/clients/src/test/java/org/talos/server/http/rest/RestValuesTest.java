// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.http.rest.RestFixture.Answer;

/** Values over REST as they are written: JSON of any spelling, and no bytes at all. */
@Timeout(60)
class RestValuesTest {
    private static final AtomicInteger TOPICS = new AtomicInteger();

    @TempDir
    private static Path data;

    private static RestFixture rest;

    private final String topic = "values-" + TOPICS.incrementAndGet();
    private final String first = "/v1/topics/" + topic + "/partitions/0/messages";

    @BeforeAll
    static void start() throws Exception {
        rest = new RestFixture(data);
    }

    @BeforeEach
    void createTopic() throws Exception {
        rest.asAdmin();
        rest.createTopic(topic, 4);
    }

    @AfterAll
    static void close() {
        rest.close();
    }

    private Answer put(String path, String body) throws Exception {
        return rest.send("POST", path, json(body));
    }

    private static List<String> values(JsonNode read) {
        List<String> values = new ArrayList<>();
        read.get("messages").forEach(each -> values.add(each.get("value").textValue()));
        return values;
    }

    /** Jackson reads a long text in pieces of some thousand characters. */
    @Test
    void jsonIsStoredAsItIsWrittenHoweverFarBehindItStands() throws Exception {
        StringBuilder batch = new StringBuilder(json("{'messages':["));
        for (int i = 0; i < 200; i++) {
            batch.append(json("{'key':'"))
                    .append("𝄞".repeat(i % 60 + 1))
                    .append(json("','json':-0."))
                    .append(i)
                    .append("},");
        }
        rest.send(
                "POST", first, batch.append(json("{'json': {'a' :[1e2] } }]}")).toString());

        for (int i = 0; i < 200; i++) {
            assertThat(rest.get(first + "/" + i).text()).isEqualTo("-0." + i);
        }
        assertThat(rest.get(first + "/200").text()).isEqualTo(json("{'a':[1e2]}"));
    }

    @Test
    void contentTypeOfJsonIsWhatItsHeaderSaysInWhateverCapitals() throws Exception {
        rest.send(
                "POST", first, json("{'messages':[{'json':1,'headers':{'Content-Type':'application/problem+json'}}]}"));

        assertThat(rest.get(first + "/0").header("Content-Type")).isEqualTo("application/problem+json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-0",
                "1e400",
                "1.50E+2",
                "\"\\u00e9\\/\\u0041\"",
                "{\"json\":{\"json\":-0.0},\"a\":[1e2,true,null,\"\\ud834\\udd1e\"]}"
            })
    void jsonIsStoredAsItIsWritten(String value) throws Exception {
        rest.send(
                "POST",
                first,
                json("{'messages':[{'json': ") + value + json(" ,'key':'k'},{ 'json' :") + value + "}]}");
        rest.post(
                first, BodyPublishers.ofString(json("{'json':") + value + "}"), "Content-Type", "application/x-ndjson");

        for (int offset = 0; offset < 3; offset++) {
            assertThat(rest.get(first + "/" + offset).text()).isEqualTo(value);
        }
        assertThat(rest.get(first + "?as=json").text()).contains("\"json\":" + value + "}");
    }

    /** As the SDKs' puts store it, whose blocks nobody opens. */
    @Test
    void messageOfNoBytesIsStoredAndComesBack() throws Exception {
        put(first, "{'messages':[{'value':'','key':'k'},{'base64':''}]}");
        Answer raw = rest.post(first, BodyPublishers.ofString(""), "Content-Type", "text/plain");

        assertThat(raw.status()).as(raw.text()).isEqualTo(201);
        assertThat(raw.json().get("offset").intValue()).isEqualTo(2);
        assertThat(values(rest.get(first).json())).containsExactly("", "", "");
        assertThat(rest.get(first + "?as=json").json().at("/messages/0/value").textValue())
                .isEmpty();
        assertThat(rest.get(first + "/0").status()).isEqualTo(200);
        assertThat(rest.get(first + "/0").text()).isEmpty();
        assertThat(rest.get(first + "/0").header("Talos-Key")).isEqualTo("k");
    }

    @Test
    void putWithoutABodyIsRefusedAsForgotten() throws Exception {
        int port = rest.server.uri().getPort();
        String head = "POST " + first + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + rest.authorization()
                + "\r\nConnection: close\r\n\r\n";
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answer).startsWith("HTTP/1.1 400 ").contains("no body (one of no bytes has Content-Length: 0)");
        }
    }
}

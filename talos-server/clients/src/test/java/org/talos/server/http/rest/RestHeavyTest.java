// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.talos.client.TalosClient;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.http.rest.RestFixture.Answer;

/** Which threads spend the time that requests cost which are small on the wire and large in memory. */
@Timeout(90)
@Isolated // looks at all threads of the JVM
class RestHeavyTest {
    /** Less than any machine needs for what is asked here, and more than it needs for the rest. */
    private static final Duration MUCH = Duration.ofMillis(10);

    private static final int MESSAGES = 1_000;
    private static final String TEXT = "0123456789abcdef".repeat(512);
    private static final String GROUP = "/v1/topics/orders/groups/shop/members";

    @TempDir
    private Path data;

    private RestFixture rest;

    @BeforeEach
    void start() throws Exception {
        rest = new RestFixture(data);
        rest.createTopic("orders", 1);
    }

    @AfterEach
    void close() {
        rest.close();
    }

    /** 8 MiB of text in a block of some 20 KB. */
    private void putCompressed() throws Exception {
        TopicDescription topic = rest.server.admin().describeTopic("orders");
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            messages.add(OutgoingMessage.of(TEXT));
        }
        new SimpleProducer(new TalosClient(rest.server.endpoint()).once(), topic, Compression.GZIP).put(0, messages);
    }

    /** Processor time of the threads that are there for what is large. */
    private static Duration spent() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long nanos = 0;
        for (ThreadInfo each : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (each != null && each.getThreadName().startsWith("talos-http-large-")) {
                nanos += Math.max(0, threads.getThreadCpuTime(each.getThreadId()));
            }
        }
        return Duration.ofNanos(nanos);
    }

    @Test
    void blocksOfAGetAreDecompressedOffTheSelectors() throws Exception {
        putCompressed();
        Duration before = spent();

        Answer read = rest.get("/v1/topics/orders/partitions/0/messages?maxMessages=" + MESSAGES);

        assertThat(read.json().get("messages")).hasSize(MESSAGES);
        assertThat(spent().minus(before)).isGreaterThan(MUCH);
    }

    @Test
    void blocksOfAFetchAreDecompressedOffTheSelectors() throws Exception {
        putCompressed();
        String member = rest.send("POST", GROUP, "{}").json().get("member").textValue();
        Duration before = spent();

        Answer fetched = rest.send("POST", GROUP + "/" + member + "/fetch", "{\"maxMessages\":" + MESSAGES + "}");

        assertThat(fetched.json().get("messages")).hasSize(MESSAGES);
        assertThat(spent().minus(before)).isGreaterThan(MUCH);
    }

    @Test
    void smallBodyThatHoldsMuchIsInflatedOffTheSelectors() throws Exception {
        byte[] body = gzip("{\"messages\":[{\"value\":\"" + text(new Random(7)) + "\"}]}");
        assertThat(body.length).isLessThan(128 << 10);
        Duration before = spent();

        Answer stored = rest.post(
                "/v1/topics/orders/messages",
                BodyPublishers.ofByteArray(body),
                "Content-Type",
                "application/json",
                "Content-Encoding",
                "gzip");

        assertThat(stored.status()).as(stored.text()).isEqualTo(200);
        assertThat(spent().minus(before)).isGreaterThan(MUCH);
    }

    @Test
    void linesThatComeTogetherAreReadAndAnsweredOffTheSelectors() throws Exception {
        int lines = 50_000;
        String body = "{\"value\":\"0123456789\"}\n".repeat(lines);
        Duration before = spent();

        Answer stored = rest.post(
                "/v1/topics/orders/messages", BodyPublishers.ofString(body), "Content-Type", "application/x-ndjson");

        assertThat(stored.text().lines()).hasSize(lines);
        assertThat(spent().minus(before)).isGreaterThan(MUCH);
    }

    /** 8 MiB that become a little less than a hundred times as small. */
    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < MESSAGES; i++) {
            byte[] some = new byte[75];
            random.nextBytes(some);
            String piece = HexFormat.of().formatHex(some);
            text.append(piece.repeat(8_192 / piece.length()));
        }
        return text.toString();
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.talos.client.admin.NewTopic;
import org.talos.common.message.MessageBlocks;
import org.talos.server.testing.TestServer;
import org.talos.thrift.Message;
import org.talos.thrift.MessageCompressionType;

/** Checks that long work for a stream of JSON happens where no connection waits for it. */
@Timeout(90)
@Isolated // looks at all threads of the JVM
class StreamHeavyTest {
    /** Less than any machine needs for what is asked here. */
    private static final Duration MUCH = Duration.ofMillis(10);

    private static final String STREAM = "/v1/topics/orders/stream?window=67108864";
    private static final int MESSAGES = 1_000;

    @TempDir
    private Path data;

    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = TestServer.start(data, Map.of());
        server.admin().createTopic(NewTopic.of("orders", 1));
    }

    @AfterEach
    void close() {
        server.close();
    }

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
    void blocksAreDecompressedOffTheSelectors() throws Exception {
        List<Message> messages = IntStream.range(0, MESSAGES)
                .mapToObj(i -> new Message(UTF_8.encode("0123456789abcdef".repeat(512))))
                .toList();
        try (StreamClient writer = StreamClient.open(server.endpoint(), STREAM)) {
            writer.send(Sent.put(0, 0, 1, MessageBlocks.write(messages, MessageCompressionType.GZIP, 1)));
            assertThat(writer.stored(1)).hasSize(1);
        }
        Duration before = spent();

        try (JsonStream client = JsonStream.open(server.endpoint(), STREAM)) {
            client.send("{'type':'subscribe','partition':0,'from':0}");
            assertThat(client.messages(MESSAGES)).hasSize(MESSAGES);
        }

        assertThat(spent().minus(before)).isGreaterThan(MUCH);
    }

    @Test
    void largeTextIsReadOffTheSelectors() throws Exception {
        Duration before = spent();

        try (JsonStream client = JsonStream.open(server.endpoint(), STREAM)) {
            String numbers = "1,".repeat(500_000) + "1";
            client.send("{'type':'put','number':1,'json':[" + numbers + "]}");
            client.next("stored");
        }

        assertThat(spent().minus(before)).isGreaterThan(MUCH);
    }
}

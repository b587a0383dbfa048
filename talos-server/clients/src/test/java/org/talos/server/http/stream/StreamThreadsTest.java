// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.server.http.HttpPort;
import org.talos.server.testing.OwnCertificate;
import org.talos.server.testing.TestServer;

/**
 * Which threads take what clients send over streams. Jetty's threads take turns at selecting: one that has found
 * something to be read, and may wait in it, wakes another one for its place.
 */
@Isolated // looks at all threads of the JVM
@Timeout(60)
class StreamThreadsTest {
    private static final String STREAM = "/v1/topics/orders/stream";
    private static final int PONG = 0x8a;
    private static final int ROUNDS = 50;
    private static final int WORKERS = 8;

    @TempDir
    private Path data;

    @TempDir
    private Path keys;

    private final Set<Thread> others = new HashSet<>(); // of servers that other tests have left, or that has just ended

    private TestServer start(Map<String, String> settings) throws Exception {
        others.addAll(Thread.getAllStackTraces().keySet());
        return TestServer.start(data, settings);
    }

    @Test
    void whatComesIsReadByTheThreadThatHasFoundItAndNoOtherIsWoken() throws Exception {
        try (TestServer server = start(Map.of("HTTP_WORKERS", Integer.toString(WORKERS)))) {
            server.admin().createTopic(NewTopic.of("orders", 1));
            try (RawStream stream = new RawStream(server.endpoint(), STREAM)) {
                assertSameThreadsSelect(stream);
            }
        }
    }

    @Test
    void alsoUnderTls() throws Exception {
        OwnCertificate certificate = OwnCertificate.in(keys);
        Map<String, String> tls = Map.of(
                "HTTP_TLS_KEYSTORE",
                certificate.keyStore().toString(),
                "HTTP_TLS_KEYSTOREPASSWORD",
                OwnCertificate.PASSWORD,
                "HTTP_WORKERS",
                Integer.toString(WORKERS));
        try (TestServer server = TestServer.start(data, Map.of())) {
            server.admin().createTopic(NewTopic.of("orders", 1));
        }
        try (TestServer server = start(tls)) {
            TalosEndpoint endpoint = server.endpoint();
            Socket socket = certificate
                    .trusted()
                    .getSocketFactory()
                    .createSocket("127.0.0.1", server.uri().getPort());
            try (RawStream stream = new RawStream(socket, RawStream.request(endpoint, STREAM))) {
                assertSameThreadsSelect(stream);
            }
        }
    }

    private void assertSameThreadsSelect(RawStream stream) throws Exception {
        assertThat(stream.status()).isEqualTo(101);
        assertThat(stream.next().name()).isEqualTo("OPENED");
        var unused = selectingMeanwhile(stream); // those that the opening has woken come to their places

        assertThat(selectingMeanwhile(stream)).hasSizeBetween(1, HttpPort.selectors(WORKERS));
    }

    private Set<Thread> selectingMeanwhile(RawStream stream) throws Exception {
        Set<Thread> all = new HashSet<>();
        for (int i = 0; i < ROUNDS; i++) {
            ask(stream);
            all.addAll(selecting());
        }
        return all;
    }

    private static void ask(RawStream stream) throws Exception {
        stream.frame(RawStream.PING, new byte[0]);
        assertThat(stream.readByte()).isEqualTo(PONG);
        assertThat(stream.readByte()).isZero();
    }

    /** The threads that are about to find what there is to be read; they may no longer be when this returns. */
    private Set<Thread> selecting() {
        Set<Thread> selecting = new HashSet<>();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (!others.contains(thread)
                    && thread.getName().startsWith("talos-http")
                    && Arrays.stream(stack).anyMatch(each -> each.getClassName().endsWith("$SelectorProducer"))) {
                selecting.add(thread);
            }
        });
        return selecting;
    }
}

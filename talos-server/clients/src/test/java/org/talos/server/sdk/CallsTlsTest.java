// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.testing.OwnCertificate;
import org.talos.server.testing.TestServer;

/** The SDK's calls under TLS. */
@Timeout(120)
class CallsTlsTest {
    private static final int MESSAGES = 10;
    private static final int BYTES = 1_000_000;

    @TempDir
    private Path data;

    /** Once to open the connection, and then by it. */
    @ParameterizedTest
    @CsvSource({"TLSv1.2", "TLSv1.3"})
    void tenMegabytesArePutAndGotInOneCall(String protocol) throws Exception {
        OwnCertificate certificate = OwnCertificate.in(data);
        List<byte[]> bodies = new ArrayList<>();
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            byte[] body = new byte[BYTES];
            new Random(i).nextBytes(body);
            bodies.add(body);
            messages.add(OutgoingMessage.of(body));
        }
        Map<String, String> tls = Map.of(
                "HTTP_TLS_KEYSTORE",
                certificate.keyStore().toString(),
                "HTTP_TLS_KEYSTOREPASSWORD",
                OwnCertificate.PASSWORD);
        try (TestServer server = TestServer.start(data, tls)) {
            URI uri = URI.create("https://127.0.0.1:" + server.uri().getPort());
            ClientConfig config =
                    ClientConfig.of(TestServer.endpoint(uri, data)).withTls(certificate.trusted(protocol));
            try (TalosClient client = new TalosClient(config)) {
                TopicDescription topic = new TalosAdmin(client).createTopic(NewTopic.of("orders", 1));
                try (SimpleProducer producer = new SimpleProducer(client, topic, Compression.NONE)) {
                    for (int round = 0; round < 2; round++) {
                        producer.put(0, messages);

                        List<FetchedMessage> got =
                                new SimpleConsumer(client, topic, 0).fetch((long) MESSAGES * round, MESSAGES, 10 << 20);

                        assertThat(got).hasSize(MESSAGES);
                        for (int i = 0; i < MESSAGES; i++) {
                            assertThat(Arrays.equals(got.get(i).body(), bodies.get(i)))
                                    .isTrue();
                        }
                    }
                }
            }
        }
    }
}

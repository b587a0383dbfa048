// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.ClientConfig;
import org.talos.client.ClientListener;
import org.talos.client.FatalException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.server.testing.OwnCertificate;
import org.talos.server.testing.TestServer;

/** Failures of the SDK with servers that it must not, or cannot, talk to under TLS. */
@Timeout(120)
class TrustTest {
    @TempDir
    private Path data;

    private final AtomicInteger repeated = new AtomicInteger();

    /** Counts repetitions. Thread-safe. */
    private final class Counting implements ClientListener {
        @Override
        public void repeating(String call, TalosClientException failure, Duration pause) {
            repeated.incrementAndGet();
        }
    }

    private TestServer server(OwnCertificate certificate) throws Exception {
        return TestServer.start(
                data,
                Map.of(
                        "HTTP_TLS_KEYSTORE",
                        certificate.keyStore().toString(),
                        "HTTP_TLS_KEYSTOREPASSWORD",
                        OwnCertificate.PASSWORD));
    }

    private ClientConfig config(String server) throws Exception {
        return ClientConfig.of(TestServer.endpoint(URI.create(server), data))
                .withDeadline(Duration.ofSeconds(60))
                .withListener(new Counting());
    }

    private void assertLasting(ClientConfig config, String sentence) {
        try (TalosClient client = new TalosClient(config)) {
            assertThatThrownBy(() -> new TalosAdmin(client).createTopic(NewTopic.of("orders")))
                    .isInstanceOf(FatalException.class)
                    .hasMessageContaining(sentence);
        }
        assertThat(repeated).hasValue(0);
    }

    @Test
    void certificateThatIsNotTrustedIsToldAtOnce() throws Exception {
        try (TestServer server = server(OwnCertificate.in(data))) {
            assertLasting(
                    config("https://127.0.0.1:" + server.uri().getPort()),
                    "is not trusted: unable to find valid certification path");
        }
    }

    @Test
    void certificateOfAnotherNameIsToldAtOnce() throws Exception {
        OwnCertificate certificate = OwnCertificate.in(data);
        try (TestServer server = server(certificate)) {
            assertLasting(
                    config("https://localhost:" + server.uri().getPort()).withTls(certificate.trusted()),
                    "is not trusted: No ");
        }
    }

    @Test
    void certificateThatHasEndedIsToldAtOnce() throws Exception {
        OwnCertificate certificate = OwnCertificate.ended(data);
        try (TestServer server = server(certificate)) {
            assertLasting(
                    config("https://127.0.0.1:" + server.uri().getPort()).withTls(certificate.trusted()),
                    "is not trusted: ");
        }
    }

    @Test
    void serverWithoutTlsIsToldAtOnce() throws Exception {
        try (TestServer server = TestServer.start(data, Map.of())) {
            assertLasting(config("https://127.0.0.1:" + server.uri().getPort()), "does not speak TLS (expected: http)");
        }
    }
}

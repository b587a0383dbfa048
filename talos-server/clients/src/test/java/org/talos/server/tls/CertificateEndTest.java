// SPDX-License-Identifier: Apache-2.0
package org.talos.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.talos.server.testing.OwnCertificate;
import org.talos.server.testing.TestServer;
import org.talos.server.tls.CertificateEnd.Use;

@Timeout(60)
final class CertificateEndTest {
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(CertificateEnd.class);
    private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

    private final ListAppender<ILoggingEvent> said = new ListAppender<>();
    private Instant now = START;
    private final CertificateEnd end = new CertificateEnd(Use.CLIENTS, "/etc/talos/keys.p12", () -> now);

    @BeforeEach
    void listen() {
        said.start();
        LOGGER.addAppender(said);
    }

    @AfterEach
    void forget() {
        LOGGER.detachAppender(said);
    }

    @Test
    void certificateThatEndsLaterThanInAMonthIsNotMentioned() {
        end.look(START.plus(Duration.ofDays(31)));

        assertThat(said.list).isEmpty();
    }

    @Test
    void certificateThatEndsWithinAMonthIsWarnedOfOnceADay() {
        Instant soon = START.plus(Duration.ofDays(29));

        end.look(soon);
        now = START.plus(Duration.ofHours(23));
        end.look(soon);
        assertThat(said.list).hasSize(1);
        now = START.plus(Duration.ofHours(24));
        end.look(soon);

        assertThat(said.list).hasSize(2);
        assertThat(said.list.get(0).getFormattedMessage())
                .startsWith("http.tls.keyStore: the certificate in /etc/talos/keys.p12 ends in 29 days")
                .contains("put a new one into the file, which is read again");
    }

    @Test
    void certificateThatHasEndedIsSaidToBeRefused() {
        assertThat(end.hasEnded(START)).isTrue();
        assertThat(end.warning(START))
                .hasValueSatisfying(sentence -> assertThat(sentence).contains("has ended", "clients refuse it"));
        assertThat(end.hasEnded(START.plusSeconds(1))).isFalse();
    }

    @Test
    void serverWithACertificateThatHasEndedWarnsAndShowsItAsAMetric(@TempDir Path folder) throws Exception {
        OwnCertificate ended = OwnCertificate.in(folder, "-startdate", "-400d", "-validity", "365");
        Map<String, String> settings = Map.of(
                "HTTP_TLS_KEYSTORE", ended.keyStore().toString(), "HTTP_TLS_KEYSTOREPASSWORD", OwnCertificate.PASSWORD);

        try (TestServer server = TestServer.start(folder.resolve("data"), settings)) {
            assertThat(said.list)
                    .singleElement()
                    .satisfies(event ->
                            assertThat(event.getFormattedMessage()).contains("http.tls.keyStore", "has ended"));
            HttpRequest metrics = HttpRequest.newBuilder(server.managementUri().resolve("/metrics"))
                    .build();
            assertThat(HttpClient.newHttpClient()
                            .send(metrics, BodyHandlers.ofString())
                            .body())
                    .containsPattern("talos_certificate_end_seconds\\{of=\"clients\"} 1[0-9]{9}");
        }
    }
}

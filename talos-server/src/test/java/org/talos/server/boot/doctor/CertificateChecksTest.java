// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.hadoop.Report;
import org.talos.server.hadoop.ReportLine;
import org.talos.server.hadoop.ReportLine.Status;
import org.talos.server.testing.OwnCertificate;
import org.talos.server.tls.KeyStoreFile;

final class CertificateChecksTest {
    @TempDir
    private Path folder;

    private OwnCertificate certificate;

    @BeforeEach
    void make() throws Exception {
        certificate = OwnCertificate.in(folder, "-validity", "365");
    }

    private ServerConfig config(String password) throws Exception {
        return ConfigLoader.load(Map.of(
                "TALOS_HTTP_TLS_KEYSTORE",
                certificate.keyStore().toString(),
                "TALOS_HTTP_TLS_KEYSTOREPASSWORD",
                password));
    }

    @ParameterizedTest
    @CsvSource({"-31, OK, the certificate ends", "-30, WARN, ends in 30 days", "0, FAIL, has ended"})
    void certificateIsReportedByHowLongItLasts(int daysAfterItsEnd, Status status, String detail) throws Exception {
        ServerConfig config = config(OwnCertificate.PASSWORD);
        Instant now = KeyStoreFile.read(config.http().tls()).end().plus(Duration.ofDays(daysAfterItsEnd));
        Report report = new Report();

        CertificateChecks.run(config, report, () -> now);

        ReportLine line = report.all().get(0);
        assertThat(report.all()).hasSize(1);
        assertThat(line.what()).isEqualTo("http.tls");
        assertThat(line.status()).isEqualTo(status);
        assertThat(line.detail()).contains(detail);
    }

    @Test
    void keyStoreThatDoesNotOpenIsReportedWithItsSetting() throws Exception {
        Doctor.Diagnosis diagnosis = Doctor.examine(config("not this one"), 10);

        assertThat(diagnosis.healthy()).isFalse();
        assertThat(diagnosis.results())
                .anySatisfy(line -> assertThat(line.detail()).contains("http.tls.keyStorePassword"));
    }
}

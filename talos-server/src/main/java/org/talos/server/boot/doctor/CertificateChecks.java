// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot.doctor;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.TlsConfig;
import org.talos.server.config.TransferTlsConfig;
import org.talos.server.config.TransferTlsConfig.TlsMode;
import org.talos.server.hadoop.Report;
import org.talos.server.tls.CertificateEnd;
import org.talos.server.tls.CertificateEnd.Use;
import org.talos.server.tls.KeyStoreFile;
import org.talos.server.transfer.tls.TransferTls;

/** Reports whether the certificates of a configuration can be used, and until when. Immutable. */
final class CertificateChecks {
    private CertificateChecks() {}

    /** Adds a line for each configured certificate. Without TLS there is none. */
    static void run(ServerConfig config, Report report, InstantSource clock) {
        TlsConfig clients = config.http().tls();
        if (clients.enabled()) {
            CertificateEnd end = new CertificateEnd(Use.CLIENTS, clients.keyStore(), clock);
            check(report, "http.tls", end, () -> KeyStoreFile.read(clients).end());
        }
        TransferTlsConfig servers = config.transfer().tls();
        if (servers.mode() != TlsMode.NONE) {
            CertificateEnd end = new CertificateEnd(Use.SERVERS, servers.certificateFile(), clock);
            check(report, "transfer.tls", end, () -> TransferTls.endIn(servers));
        }
    }

    private interface Reading {
        Instant end() throws IOException;
    }

    private static void check(Report report, String what, CertificateEnd warnings, Reading reading) {
        report.check(what, "with such files no server starts", checks -> {
            Instant end = reading.end();
            String warning = warnings.warning(end).orElse("");
            if (warnings.hasEnded(end)) {
                checks.fail(what, warning, "ended " + end);
            } else if (warning.isEmpty()) {
                checks.ok(what, "the certificate ends " + end);
            } else {
                checks.warn(what, warning, "ends " + end);
            }
        });
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class ConnectionFaultTest {
    private static Throwable caused(Throwable failure, Throwable cause) {
        return failure.initCause(cause);
    }

    @Test
    void failureOfTlsBehindTheHandshakeMayBeLaterThanTheRequest() {
        for (IOException each : new IOException[] {
            new SSLException("Tag mismatch"),
            new SSLException("closing inbound before receiving peer's close_notify"),
            new IOException("Connection reset"),
            new HttpTimeoutException("request timed out")
        }) {
            assertThat(ConnectionFault.of(each)).isEqualTo(ConnectionFault.UNKNOWN);
        }
    }

    @Test
    void connectionThatWasNotMadeIsKnownAsSuch() {
        assertThat(ConnectionFault.of(new SSLHandshakeException("Remote host terminated the handshake")))
                .isEqualTo(ConnectionFault.NO_HANDSHAKE);
        assertThat(ConnectionFault.of(new HttpConnectTimeoutException("HTTP connect timed out")))
                .isEqualTo(ConnectionFault.NO_SERVER);
        assertThat(ConnectionFault.of(new ConnectException("Connection refused")))
                .isEqualTo(ConnectionFault.NO_SERVER);
    }

    @Test
    void preciseCauseCountsWhereverItIs() {
        assertThat(ConnectionFault.of(caused(new ConnectException("no"), new UnresolvedAddressException())))
                .isEqualTo(ConnectionFault.UNKNOWN_HOST);
        assertThat(ConnectionFault.of(caused(new SSLHandshakeException("no"), new CertificateException("unknown"))))
                .isEqualTo(ConnectionFault.UNTRUSTED);
        assertThat(ConnectionFault.of(new SSLException("Unsupported or unrecognized SSL message")))
                .isEqualTo(ConnectionFault.OTHER_SCHEME);
    }
}

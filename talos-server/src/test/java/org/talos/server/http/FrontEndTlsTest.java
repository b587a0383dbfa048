// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.config.TlsConfig;
import org.talos.server.testing.OwnCertificate;

/** Errors of the front end for a key store that it cannot use, and the suites that it offers to clients. */
@Timeout(60)
final class FrontEndTlsTest {
    @TempDir
    private Path directory;

    private OwnCertificate certificate;

    @BeforeEach
    void make() throws Exception {
        certificate = OwnCertificate.in(Files.createDirectory(directory.resolve("keys")));
    }

    private FrontEndFixture started(Path keyStore, String password) throws Exception {
        return new FrontEndFixture(directory, FrontEndFixture.withTls(new TlsConfig(keyStore.toString(), password)));
    }

    private void assertRefused(Path keyStore, String password, String... parts) {
        assertThatThrownBy(() -> started(keyStore, password).close())
                .isInstanceOf(IOException.class)
                .message()
                .contains(keyStore.toString())
                .contains(parts)
                .doesNotContain(OwnCertificate.PASSWORD);
    }

    @Test
    void missingKeyStoreIsNamedWithItsSetting() {
        assertRefused(directory.resolve("none.p12"), OwnCertificate.PASSWORD, "http.tls.keyStore: ", "does not exist");
    }

    @Test
    void directoryInsteadOfAKeyStoreIsNamedWithItsSetting() {
        assertRefused(directory, OwnCertificate.PASSWORD, "http.tls.keyStore: ", "is no file");
    }

    @Test
    void wrongPasswordIsNamedWithItsSetting() {
        assertRefused(
                certificate.keyStore(),
                "not this one",
                "http.tls.keyStorePassword: ",
                "TALOS_HTTP_TLS_KEYSTOREPASSWORD");
    }

    @Test
    void fileThatIsNoKeyStoreIsNamedWithItsSettingAndHowToMakeOne() throws Exception {
        Path pem = Files.writeString(directory.resolve("certificate.pem"), "-----BEGIN CERTIFICATE-----\n");

        assertRefused(pem, OwnCertificate.PASSWORD, "http.tls.keyStore: ", "openssl pkcs12 -export");
    }

    @Test
    void keyStoreWithoutAPrivateKeyIsNamedWithItsSetting() throws Exception {
        char[] password = OwnCertificate.PASSWORD.toCharArray();
        KeyStore own = KeyStore.getInstance(certificate.keyStore().toFile(), password);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("talos", own.getCertificate("talos"));
        Path file = directory.resolve("trusted.p12");
        try (var out = Files.newOutputStream(file)) {
            trusted.store(out, password);
        }

        assertRefused(file, OwnCertificate.PASSWORD, "http.tls.keyStore: ", "no private key");
    }

    @Test
    void clientsOfTls12GetAuthenticatedEncryptionOnly() throws Exception {
        try (FrontEndFixture fixture = started(certificate.keyStore(), OwnCertificate.PASSWORD)) {
            assertThat(handshake(fixture, "_GCM_")).contains("_GCM_");
            assertThat(handshake(fixture, "_CHACHA20_")).contains("_CHACHA20_");
            assertThatThrownBy(() -> handshake(fixture, "_CBC_")).isInstanceOf(SSLHandshakeException.class);
        }
    }

    /** The suite on which a client of TLS 1.2 and the server agree, of those with this in the name. */
    private String handshake(FrontEndFixture fixture, String part) throws Exception {
        try (SSLSocket socket =
                (SSLSocket) certificate.trusted().getSocketFactory().createSocket("127.0.0.1", fixture.port())) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.setEnabledCipherSuites(Stream.of(socket.getEnabledCipherSuites())
                    .filter(suite -> suite.contains(part))
                    .toArray(String[]::new));
            socket.startHandshake();
            return socket.getSession().getCipherSuite();
        }
    }
}

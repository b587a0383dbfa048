// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.talos.server.config.TlsConfig;
import org.talos.server.testing.OwnCertificate;
import org.talos.server.tls.FileReloader;
import org.talos.server.tls.KeyStoreFile;

/** Key stores that the front end cannot use or that are renewed, and the suites that it offers to clients. */
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
        assertRefused(directory, OwnCertificate.PASSWORD, "http.tls.keyStore: ", "is not a file");
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

    /** The server's certificate on a new connection; fails if it is another than the trusted one. */
    private static Certificate shown(FrontEndFixture fixture, OwnCertificate trusted) throws Exception {
        try (SSLSocket socket =
                (SSLSocket) trusted.trusted().getSocketFactory().createSocket("127.0.0.1", fixture.port())) {
            socket.startHandshake();
            return socket.getSession().getPeerCertificates()[0];
        }
    }

    private static Certificate of(OwnCertificate own) throws Exception {
        return KeyStore.getInstance(own.keyStore().toFile(), OwnCertificate.PASSWORD.toCharArray())
                .getCertificate("talos");
    }

    private Path copyOf(OwnCertificate certificate) throws Exception {
        return Files.copy(
                certificate.keyStore(), directory.resolve("changing.p12"), StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void renewedCertificateIsShownToNewConnectionsWithoutARestart() throws Exception {
        OwnCertificate renewed =
                OwnCertificate.in(Files.createDirectory(directory.resolve("renewed")), "-validity", "1000");
        try (FrontEndFixture fixture = started(copyOf(certificate), OwnCertificate.PASSWORD);
                SSLSocket open = (SSLSocket)
                        certificate.trusted().getSocketFactory().createSocket("127.0.0.1", fixture.port())) {
            open.startHandshake();
            assertThat(shown(fixture, certificate)).isEqualTo(of(certificate));

            assertThat(copyOf(renewed)).exists();
            fixture.frontEnd.reloadCertificate();

            assertThat(shown(fixture, renewed)).isEqualTo(of(renewed));
            assertThat(fixture.frontEnd.certificateEndSeconds())
                    .isEqualTo(
                            KeyStoreFile.read(new TlsConfig(renewed.keyStore().toString(), OwnCertificate.PASSWORD))
                                    .end()
                                    .getEpochSecond());
            assertThat(handshake(fixture, renewed, "_GCM_")).contains("_GCM_");
            assertThatThrownBy(() -> handshake(fixture, renewed, "_CBC_")).isInstanceOf(SSLHandshakeException.class);
            open.getOutputStream().write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
            assertThat(open.getInputStream().read()).isEqualTo('H'); // what is open continues
        }
    }

    /** The log's lines about a file: beside this class, others have theirs read again. */
    private static List<String> said(ListAppender<ILoggingEvent> lines, Path file) {
        return List.copyOf(lines.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(each -> each.contains(file.toString()))
                .toList();
    }

    @Test
    void newKeyStoreThatCannotBeUsedLeavesTheOldOneAndIsWarnedOfOnce() throws Exception {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(FileReloader.class);
        log.addAppender(lines);
        Path file = copyOf(certificate);
        try (FrontEndFixture fixture = started(file, OwnCertificate.PASSWORD)) {
            Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 500)); // as while it is being copied
            fixture.frontEnd.reloadCertificate();
            fixture.frontEnd.reloadCertificate();

            assertThat(shown(fixture, certificate)).isEqualTo(of(certificate));
            assertThat(said(lines, file))
                    .singleElement()
                    .asString()
                    .contains("changed files of http.tls cannot be used, the earlier ones stay in use");

            Files.delete(file);
            fixture.frontEnd.reloadCertificate();
            assertThat(shown(fixture, certificate)).isEqualTo(of(certificate));
            assertThat(said(lines, file).get(1)).contains("does not exist");
        } finally {
            log.detachAppender(lines);
        }
    }

    private String handshake(FrontEndFixture fixture, String part) throws Exception {
        return handshake(fixture, certificate, part);
    }

    /** The suite on which a client of TLS 1.2 and the server agree, of those with this in the name. */
    private static String handshake(FrontEndFixture fixture, OwnCertificate trusted, String part) throws Exception {
        try (SSLSocket socket =
                (SSLSocket) trusted.trusted().getSocketFactory().createSocket("127.0.0.1", fixture.port())) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.setEnabledCipherSuites(Stream.of(socket.getEnabledCipherSuites())
                    .filter(suite -> suite.contains(part))
                    .toArray(String[]::new));
            socket.startHandshake();
            return socket.getSession().getCipherSuite();
        }
    }
}

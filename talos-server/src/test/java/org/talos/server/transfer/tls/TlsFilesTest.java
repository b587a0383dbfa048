// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.config.TransferTlsConfig;
import org.talos.server.config.TransferTlsConfig.TlsMode;
import org.talos.server.transfer.TestCertificates;

/** Errors of files that cannot be used, before a server joins the others. */
class TlsFilesTest {
    @TempDir
    private static Path made;

    private static TestCertificates certificates;

    @TempDir
    private Path folder;

    @BeforeAll
    static void make() throws Exception {
        certificates = new TestCertificates(made).server("a").server("b").server("rsa", "-keyalg", "RSA");
    }

    @BeforeEach
    void copy() throws Exception {
        take("a.pem", "own.pem");
        take("a.key", "own.key");
        take("ca.pem", "ca.pem");
    }

    private void take(String file, String as) throws IOException {
        write(as, Files.readString(certificates.file(file)));
    }

    private void write(String file, String text) throws IOException {
        Path path = folder.resolve(file);
        Files.writeString(path, text);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r-----"));
    }

    private TransferTlsConfig config() {
        return certificates.in(folder).config(TlsMode.REQUIRE, "own");
    }

    private void assertRefused(String... parts) {
        assertThatThrownBy(() -> TlsFiles.read(config()))
                .isInstanceOf(IOException.class)
                .message()
                .contains(parts);
    }

    @Test
    void keysOfBothKindsAreRead() throws Exception {
        assertThat(TlsFiles.read(config()).own().getPublicKey().getAlgorithm()).isEqualTo("EC");

        take("rsa.pem", "own.pem");
        take("rsa.key", "own.key");

        assertThat(TlsFiles.read(config()).own().getPublicKey().getAlgorithm()).isEqualTo("RSA");
    }

    @Test
    void bothEndsOfferAuthenticatedEncryptionOnly() throws Exception {
        TlsFiles files = TlsFiles.read(config());

        for (SslContext end : List.of(files.client(true), files.server())) {
            assertThat(end.cipherSuites())
                    .contains("TLS_AES_256_GCM_SHA384", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384")
                    .noneMatch(suite -> suite.contains("_CBC_"))
                    .noneMatch(suite -> suite.startsWith("TLS_RSA_"));
        }
    }

    @Test
    void changeIsNoticedEvenIfSizeAndTimeAreThoseOfBefore() throws Exception {
        TlsFiles read = TlsFiles.read(config());
        assertThat(read.areUnchanged(config())).isTrue();
        Path file = folder.resolve("ca.pem");
        var time = Files.getLastModifiedTime(file);
        write("ca.pem", Files.readString(file).replace('\n', ' '));
        Files.setLastModifiedTime(file, time);

        assertThat(read.areUnchanged(config())).isFalse();
    }

    @Test
    void missingFileIsNamed() throws Exception {
        Files.delete(folder.resolve("ca.pem"));

        assertRefused("transfer.tls.trustedFile", "ca.pem is missing");
    }

    @Test
    void fileWithoutACertificateIsNamed() throws Exception {
        write("own.pem", "");
        assertRefused("transfer.tls.certificateFile: no certificate in");

        write("own.pem", "-----BEGIN CERTIFICATE-----\nabcd\n-----END CERTIFICATE-----\n");
        assertRefused("transfer.tls.certificateFile", "cannot be read");
    }

    @Test
    void keyOfAnotherFormIsRefusedWithTheCommandThatTurnsIt() throws Exception {
        write("own.key", "-----BEGIN EC PRIVATE KEY-----\nabcd\n-----END EC PRIVATE KEY-----\n");

        assertRefused("transfer.tls.keyFile", "openssl pkcs8 -topk8 -nocrypt");
    }

    @Test
    void keyOfAnotherCertificateIsRefused() throws Exception {
        take("b.key", "own.key");
        assertRefused("transfer.tls.keyFile", "is not the certificate's");

        take("rsa.key", "own.key");
        assertRefused("transfer.tls.keyFile", "has no EC key");
    }

    @Test
    void keyThatOthersMayReadIsRefused() throws Exception {
        Files.setPosixFilePermissions(folder.resolve("own.key"), PosixFilePermissions.fromString("rw-r--r--"));

        assertRefused("transfer.tls.keyFile", "chmod 600");
    }
}

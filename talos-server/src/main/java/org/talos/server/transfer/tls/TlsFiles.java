// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.tls;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.talos.server.config.TransferTlsConfig;
import org.talos.server.tls.CipherSuites;

/**
 * The contents of the three files of {@code transfer.tls} as they were read. Files that do not belong together cannot
 * be read.
 *
 * <p>Immutable.
 */
final class TlsFiles {
    private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");
    /**
     * The time within which a session is resumed without a check of certificates. It is short, so that expired
     * certificates are soon refused.
     */
    private static final long SESSION_SECONDS = 60;

    private static final Pattern PRIVATE_KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");
    private static final Set<PosixFilePermission> OWNER_AND_GROUP = PosixFilePermissions.fromString("rwxr-x---");

    private final List<String> texts;
    private final List<X509Certificate> chain;
    private final PrivateKey key;
    private final List<X509Certificate> trusted;

    private TlsFiles(List<String> texts, TransferTlsConfig config) throws IOException {
        this.texts = texts;
        chain = certificates("transfer.tls.certificateFile", config.certificateFile(), texts.get(0));
        key = key(config.keyFile(), texts.get(1), own());
        trusted = certificates("transfer.tls.trustedFile", config.trustedFile(), texts.get(2));
    }

    /**
     * Reads the files.
     *
     * @throws IOException a file cannot be read, or the key is not the certificate's; the message names the file and
     *     the remedy
     */
    static TlsFiles read(TransferTlsConfig config) throws IOException {
        return new TlsFiles(texts(config), config);
    }

    private static List<String> texts(TransferTlsConfig config) throws IOException {
        String certificate = text("transfer.tls.certificateFile", config.certificateFile());
        checkPermissions(Path.of(config.keyFile()));
        String key = text("transfer.tls.keyFile", config.keyFile());
        return List.of(certificate, key, text("transfer.tls.trustedFile", config.trustedFile()));
    }

    /** Returns whether the files still have the contents that were read. */
    boolean areUnchanged(TransferTlsConfig config) throws IOException {
        return texts(config).equals(texts);
    }

    private static String text(String setting, String file) throws IOException {
        Path path = Path.of(file);
        if (!Files.isRegularFile(path)) {
            throw new IOException(setting + ": " + path + " is missing");
        }
        return Files.readString(path, StandardCharsets.ISO_8859_1); // PEM is ASCII; the text around it may be anything
    }

    private static void checkPermissions(Path path) throws IOException {
        if (Files.isRegularFile(path)) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
            if (!OWNER_AND_GROUP.containsAll(permissions)) {
                throw new IOException("transfer.tls.keyFile: " + path + " can be used by others than its owner ("
                        + PosixFilePermissions.toString(permissions) + "): chmod 600 it, and make a new key");
            }
        }
    }

    private static List<X509Certificate> certificates(String setting, String file, String text) throws IOException {
        try {
            List<X509Certificate> found = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)))
                    .stream()
                    .map(X509Certificate.class::cast)
                    .toList();
            if (!found.isEmpty()) {
                return found;
            }
        } catch (CertificateException e) {
            throw new IOException(setting + ": " + file + " cannot be read: " + e.getMessage(), e);
        }
        throw new IOException(setting + ": no certificate in " + file + " (expected: PEM, BEGIN CERTIFICATE)");
    }

    private static PrivateKey key(String file, String text, X509Certificate own) throws IOException {
        Matcher pem = PRIVATE_KEY.matcher(text);
        if (!pem.find()) {
            throw new IOException("transfer.tls.keyFile: no private key in " + file
                    + " (expected: PEM of PKCS #8 without a password, BEGIN PRIVATE KEY; to make it of another:"
                    + " openssl pkcs8 -topk8 -nocrypt -in KEY -out FILE)");
        }
        String algorithm = own.getPublicKey().getAlgorithm();
        try {
            byte[] der = Base64.getMimeDecoder().decode(pem.group(1));
            PrivateKey key = KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
            if (isOf(own, key)) {
                return key;
            }
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException(
                    "transfer.tls.keyFile: " + file + " has no " + algorithm + " key, as the certificate has", e);
        }
        throw new IOException("transfer.tls.keyFile: the key in " + file + " is not the certificate's");
    }

    private static boolean isOf(X509Certificate own, PrivateKey key) throws GeneralSecurityException {
        String algorithm = SIGNATURES.get(own.getPublicKey().getAlgorithm());
        if (algorithm == null) {
            return true; // an unknown kind of key; the first handshake shows whether it fits
        }
        byte[] text = own.getEncoded();
        Signature signing = Signature.getInstance(algorithm);
        signing.initSign(key);
        signing.update(text);
        byte[] signature = signing.sign();
        Signature verifying = Signature.getInstance(algorithm);
        verifying.initVerify(own.getPublicKey());
        verifying.update(text);
        return verifying.verify(signature);
    }

    /** Returns this server's certificate. */
    X509Certificate own() {
        return chain.get(0);
    }

    /** Returns the context for connections to other servers. */
    SslContext client(boolean verifyHostName) throws IOException {
        return SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .protocols(PROTOCOLS)
                .ciphers(CipherSuites.allowed())
                .sessionTimeout(SESSION_SECONDS)
                .keyManager(key, chain)
                .trustManager(trusted)
                .endpointIdentificationAlgorithm(verifyHostName ? "HTTPS" : null)
                .build();
    }

    /** Returns the context for connections of other servers. */
    SslContext server() throws IOException {
        return SslContextBuilder.forServer(key, chain)
                .sslProvider(SslProvider.JDK)
                .protocols(PROTOCOLS)
                .ciphers(CipherSuites.allowed())
                .sessionTimeout(SESSION_SECONDS)
                .trustManager(trusted)
                .clientAuth(ClientAuth.REQUIRE)
                .build();
    }
}

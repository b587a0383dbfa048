// SPDX-License-Identifier: Apache-2.0
package org.talos.server.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.talos.server.config.TlsConfig;

/** The key store of the front end, {@code http.tls.keyStore}: private keys with their certificates. Immutable. */
public final class KeyStoreFile {
    /** The setting with the path of the file. */
    public static final String SETTING = "http.tls.keyStore";

    private static final String PASSWORD = "http.tls.keyStorePassword";
    private static final String PASSWORD_VARIABLE = "TALOS_HTTP_TLS_KEYSTOREPASSWORD";
    private static final String HOW_TO_MAKE =
            "make one of PEM files: openssl pkcs12 -export -inkey KEY -in CERTIFICATES -out FILE";

    private final byte[] bytes;
    private final KeyStore store;
    private final X509Certificate certificate;

    private KeyStoreFile(byte[] bytes, KeyStore store, X509Certificate certificate) {
        this.bytes = bytes;
        this.store = store;
        this.certificate = certificate;
    }

    /**
     * Reads the file and decrypts its keys.
     *
     * @throws IOException the file cannot be used; the message names the setting and the remedy
     */
    public static KeyStoreFile read(TlsConfig config) throws IOException {
        Path path = Path.of(config.keyStore());
        char[] password = config.keyStorePassword().toCharArray();
        byte[] bytes = bytes(path);
        KeyStore store = load(bytes, path, password);
        try {
            return new KeyStoreFile(bytes, store, firstToEnd(store, path, password));
        } catch (UnrecoverableKeyException e) {
            throw failure(
                    PASSWORD, path + " opens, but its private key has another password: give the key that of the file");
        } catch (GeneralSecurityException e) {
            throw new IOException(SETTING + ": " + path + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static byte[] bytes(Path path) throws IOException {
        if (!Files.exists(path)) {
            throw failure(SETTING, path + " does not exist: name a PKCS12 key store, or " + HOW_TO_MAKE);
        }
        if (!Files.isRegularFile(path)) {
            throw failure(SETTING, path + " is not a file: name a PKCS12 key store");
        }
        try {
            return Files.readAllBytes(path);
        } catch (AccessDeniedException e) {
            throw new IOException(SETTING + ": the user of this server may not read " + path + ": chown it", e);
        }
    }

    private static KeyStore load(byte[] bytes, Path path, char[] password) throws IOException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(new ByteArrayInputStream(bytes), password);
            return store;
        } catch (IOException e) {
            throw e.getCause() instanceof UnrecoverableKeyException
                    ? new IOException(PASSWORD + ": not the password of " + path + ": set " + PASSWORD_VARIABLE, e)
                    : new IOException(SETTING + ": " + path + " is no PKCS12 key store: " + HOW_TO_MAKE, e);
        } catch (GeneralSecurityException e) {
            throw new IOException(SETTING + ": " + path + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static IOException failure(String setting, String sentence) {
        return new IOException(setting + ": " + sentence);
    }

    private static X509Certificate firstToEnd(KeyStore store, Path path, char[] password)
            throws IOException, GeneralSecurityException {
        List<X509Certificate> own = new ArrayList<>();
        for (String alias : Collections.list(store.aliases())) {
            if (store.getKey(alias, password) != null
                    && store.getCertificate(alias) instanceof X509Certificate certificate) {
                own.add(certificate);
            }
        }
        Optional<X509Certificate> first = own.stream().min(Comparator.comparing(X509Certificate::getNotAfter));
        return first.orElseThrow(() -> failure(
                SETTING, path + " has no private key with a certificate, only certificates perhaps: " + HOW_TO_MAKE));
    }

    /** Returns the keys and certificates, which the password of the file opens. */
    public KeyStore store() {
        return store;
    }

    /** Returns the certificate that ends first. */
    public X509Certificate certificate() {
        return certificate;
    }

    /** Returns the end of the certificate that ends first. */
    public Instant end() {
        return certificate.getNotAfter().toInstant();
    }

    /**
     * Returns whether the file still has the contents that were read.
     *
     * @throws IOException the file cannot be read; the message names the setting and the remedy
     */
    public boolean isUnchanged(TlsConfig config) throws IOException {
        return Arrays.equals(bytes, bytes(Path.of(config.keyStore())));
    }
}

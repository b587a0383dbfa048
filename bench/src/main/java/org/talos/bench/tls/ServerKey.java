// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.talos.launcher.local.Keytool;

/** The key of a server with TLS, made for one run. Immutable. */
public final class ServerKey implements AutoCloseable {
    /** The address that the certificate is for. */
    public static final String ADDRESS = "127.0.0.1";

    private static final String PASSWORD = "of-a-key-that-is-deleted-with-the-run";
    private static final String ALIAS = "server";

    private final Path store;
    private final SSLContext trusting;

    private ServerKey(Path store, SSLContext trusting) {
        this.store = store;
        this.trusting = trusting;
    }

    /**
     * Makes the server's key.
     *
     * @param folder of the key; {@link #close} deletes it
     */
    public static ServerKey make(Path folder) throws IOException, InterruptedException {
        Path store = folder.resolve("key-" + ProcessHandle.current().pid() + ".p12");
        Files.deleteIfExists(store);
        Keytool.makeKey(store, PASSWORD, ALIAS, "-dname", "CN=" + ADDRESS, "-ext", "san=ip:" + ADDRESS);
        try {
            return new ServerKey(store, trusting(store));
        } catch (GeneralSecurityException e) {
            throw new IOException("the server's certificate cannot be trusted: " + e.getMessage(), e);
        }
    }

    private static SSLContext trusting(Path store) throws GeneralSecurityException, IOException {
        KeyStore own = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry(ALIAS, own.getCertificate(ALIAS));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /** Returns the settings of the server, environment variables without {@code TALOS_}. */
    public Map<String, String> settings() {
        return Map.of("HTTP_TLS_KEYSTORE", store.toString(), "HTTP_TLS_KEYSTOREPASSWORD", PASSWORD);
    }

    /** Returns options of a client's JVM that then trusts this server alone. */
    public List<String> clientJvm() {
        return List.of(
                "-Djavax.net.ssl.trustStore=" + store,
                "-Djavax.net.ssl.trustStoreType=PKCS12",
                "-Djavax.net.ssl.trustStorePassword=" + PASSWORD);
    }

    /** Returns what a client trusts: this server alone. */
    public SSLContext trusting() {
        return trusting;
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(store);
    }
}

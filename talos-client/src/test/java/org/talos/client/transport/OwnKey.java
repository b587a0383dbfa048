// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** A server's key, its certificate, and who has signed that, made by the JDK's keytool. Thread-safe. */
public final class OwnKey {
    private static final String PASSWORD = "changeit";
    private static final String ALIAS = "talos";
    private static final String AUTHORITY = "authority";

    /** Keys by the arguments that they were made with: each takes two JVMs. */
    private static final Map<List<String>, OwnKey> MADE = new HashMap<>();

    private final KeyStore keys;

    private OwnKey(KeyStore keys) {
        this.keys = keys;
    }

    /**
     * Makes a key. With the same arguments it is the same key; with others, another authority signs it.
     *
     * @param names as keytool's {@code -ext}: {@code san=ip:127.0.0.1}, say
     * @param more arguments of keytool, such as for when it ends
     */
    public static OwnKey make(String names, String... more) {
        List<String> arguments = new ArrayList<>(List.of(names));
        arguments.addAll(List.of(more));
        synchronized (MADE) {
            return MADE.computeIfAbsent(arguments, all -> made(names, more));
        }
    }

    private static OwnKey made(String names, String... more) {
        try {
            Path folder = Files.createTempDirectory("talos-key");
            Path file = folder.resolve("keys.p12");
            try {
                return new OwnKey(keyStore(file, names, more));
            } finally {
                Files.deleteIfExists(file);
                Files.delete(folder);
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static KeyStore keyStore(Path file, String names, String... more)
            throws IOException, GeneralSecurityException {
        keytool(file, "-genkeypair", "-keyalg", "EC", "-alias", AUTHORITY, "-dname", "CN=authority", "-ext", "bc:c");
        List<String> arguments = new ArrayList<>(List.of(
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                ALIAS,
                "-dname",
                "CN=talos",
                "-ext",
                names,
                "-signer",
                AUTHORITY));
        arguments.addAll(List.of(more));
        keytool(file, arguments.toArray(String[]::new));
        KeyStore keys = KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
        keys.deleteEntry(AUTHORITY); // its certificate is in the chain
        return keys;
    }

    private static void keytool(Path file, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "-J-Dkeystore.pkcs12.keyPbeIterationCount=1", // or each reading computes 10,000
                "-J-Dkeystore.pkcs12.certPbeIterationCount=1",
                "-J-Dkeystore.pkcs12.macIterationCount=1"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-keystore", file.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        Process keytool = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(keytool.waitFor()).isZero();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** For a server that has the key. */
    public SSLContext ofServer() {
        try {
            KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            own.init(keys, PASSWORD.toCharArray());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** For clients that trust who has signed the certificate and nobody else, with sessions of their own. */
    public SSLContext trusting() {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(AUTHORITY, keys.getCertificateChain(ALIAS)[1]);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            return trusting(trust.getTrustManagers());
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** For clients that trust what somebody says. */
    static SSLContext trusting(TrustManager... trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A server's certificate for 127.0.0.1 that it has signed itself, made by the JDK's keytool. Immutable. */
public record OwnCertificate(Path keyStore) {
    /** What opens the key store. */
    public static final String PASSWORD = "changeit";

    /**
     * Makes one in a folder.
     *
     * @param more arguments of keytool, such as for when it ends
     */
    public static OwnCertificate in(Path folder, String... more) throws Exception {
        Path file = folder.resolve("keys.p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keystore",
                file.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-alias",
                "talos",
                "-keyalg",
                "EC",
                "-dname",
                "CN=127.0.0.1",
                "-ext",
                "san=ip:127.0.0.1"));
        command.addAll(List.of(more));
        Process keytool = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(keytool.waitFor()).isZero();
        return new OwnCertificate(file);
    }

    /** For clients that trust it and no other. */
    public SSLContext trusted() throws Exception {
        KeyStore own = KeyStore.getInstance(keyStore.toFile(), PASSWORD.toCharArray());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("talos", own.getCertificate("talos"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}

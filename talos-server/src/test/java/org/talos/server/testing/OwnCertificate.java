// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A server's certificate for 127.0.0.1 that it has signed itself, made by the JDK's keytool. Immutable. */
public record OwnCertificate(Path keyStore) {
    /** Password of the key store. */
    public static final String PASSWORD = "changeit";

    /** Key stores by the arguments that they were made with: each takes a JVM. */
    private static final Map<List<String>, byte[]> MADE = new HashMap<>();

    /**
     * Makes one in a folder. With the same arguments it is the same key and certificate in each folder.
     *
     * @param more arguments of keytool, such as for when it ends
     */
    public static OwnCertificate in(Path folder, String... more) throws Exception {
        Path file = folder.resolve("keys.p12");
        synchronized (MADE) {
            byte[] made = MADE.get(List.of(more));
            if (made == null) {
                keytool(file, genkeypair("talos", "san=ip:127.0.0.1", more));
                MADE.put(List.of(more), Files.readAllBytes(file));
            } else {
                Files.write(file, made);
            }
        }
        return new OwnCertificate(file);
    }

    /** Makes one that an authority has signed, and that has ended five days ago. */
    public static OwnCertificate ended(Path folder) throws Exception {
        Path file = folder.resolve("keys.p12");
        keytool(file, genkeypair("authority", "bc:c"));
        keytool(
                file,
                genkeypair(
                        "talos", "san=ip:127.0.0.1", "-signer", "authority", "-startdate", "-10d", "-validity", "5"));
        keytool(file, List.of("-delete", "-alias", "authority"));
        return new OwnCertificate(file);
    }

    private static List<String> genkeypair(String alias, String extension, String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("-genkeypair", "-alias", alias, "-keyalg", "EC", "-dname", "CN=127.0.0.1", "-ext", extension));
        arguments.addAll(List.of(more));
        return arguments;
    }

    private static void keytool(Path file, List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "-J-Dkeystore.pkcs12.keyPbeIterationCount=1", // or each reading computes 10,000
                "-J-Dkeystore.pkcs12.certPbeIterationCount=1",
                "-J-Dkeystore.pkcs12.macIterationCount=1"));
        command.addAll(arguments);
        command.addAll(List.of("-keystore", file.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        Process keytool = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(keytool.waitFor()).isZero();
    }

    /** For clients that trust it, or who has signed it, and no other. */
    public SSLContext trusted() throws Exception {
        return trusted("TLS");
    }

    /**
     * The same for clients that speak no later version.
     *
     * @param protocol by the JDK's name
     */
    public SSLContext trusted(String protocol) throws Exception {
        KeyStore own = KeyStore.getInstance(keyStore.toFile(), PASSWORD.toCharArray());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        Certificate[] chain = own.getCertificateChain("talos");
        trusted.setCertificateEntry("talos", chain[chain.length - 1]);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance(protocol);
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}

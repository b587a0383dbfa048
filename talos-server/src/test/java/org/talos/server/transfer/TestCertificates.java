// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.talos.server.config.TransferTlsConfig;
import org.talos.server.config.TransferTlsConfig.TlsMode;

/**
 * An authority, and certificates of servers that it signs, as PEM files; made by the JDK's keytool. Confined: one test
 * class.
 */
public final class TestCertificates {
    private static final String PASSWORD = "changeit";
    private static final String[] FOR_LOOPBACK = {"-ext", "san=dns:localhost,ip:127.0.0.1"};

    private final Path folder;
    private final Path store;

    private TestCertificates(Path folder, Path store) {
        this.folder = folder;
        this.store = store;
    }

    /** The same authority, with its files elsewhere. */
    public TestCertificates in(Path other) {
        return new TestCertificates(other, store);
    }

    /** Makes an authority, whose files are to be in this folder. */
    public TestCertificates(Path folder) throws Exception {
        this.folder = Files.createDirectories(folder);
        store = folder.resolve("store.p12");
        make("ca", "-dname", "CN=Authority of " + folder.getFileName(), "-ext", "bc:c=ca:true");
        write("ca.pem", chain("ca"));
    }

    private void make(String alias, String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "-J-Dkeystore.pkcs12.keyPbeIterationCount=1", // or each reading computes 10,000
                "-J-Dkeystore.pkcs12.certPbeIterationCount=1",
                "-J-Dkeystore.pkcs12.macIterationCount=1",
                "-genkeypair",
                "-alias",
                alias,
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD));
        command.addAll(List.of(more));
        if (!command.contains("-keyalg")) {
            command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
        }
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
    }

    /** Makes the certificate and key of a server for 127.0.0.1 and localhost. */
    public TestCertificates server(String name) throws Exception {
        return server(name, FOR_LOOPBACK);
    }

    /** Makes the certificate and key of a server. */
    public TestCertificates server(String name, String... more) throws Exception {
        List<String> all = new ArrayList<>(List.of("-dname", "CN=" + name, "-signer", "ca"));
        all.addAll(List.of(more));
        make(name, all.toArray(new String[0]));
        write(name + ".pem", chain(name));
        byte[] key = opened().getKey(name, PASSWORD.toCharArray()).getEncoded();
        write(name + ".key", pem("PRIVATE KEY", key));
        return this;
    }

    private KeyStore opened() throws GeneralSecurityException, IOException {
        return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    }

    private String chain(String alias) throws Exception {
        return pem("CERTIFICATE", opened().getCertificate(alias).getEncoded());
    }

    private static String pem(String type, byte[] der) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n";
    }

    private void write(String file, String text) throws IOException {
        Path path = folder.resolve(file);
        Files.writeString(path, text);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }

    /** Returns the path of a server's certificate, or of its key. */
    public Path file(String file) {
        return folder.resolve(file);
    }

    /** The settings of a server that has these files, and trusts another authority. */
    public TransferTlsConfig config(TlsMode mode, String name, TestCertificates trusted) {
        return config(mode, name, trusted, true, "");
    }

    /** The settings of a server that has these files, and trusts this authority. */
    public TransferTlsConfig config(TlsMode mode, String name) {
        return config(mode, name, this);
    }

    /** All settings of a server that has these files. */
    public TransferTlsConfig config(
            TlsMode mode, String name, TestCertificates trusted, boolean verifyHostName, String allowedNames) {
        return new TransferTlsConfig(
                mode,
                file(name + ".pem").toString(),
                file(name + ".key").toString(),
                trusted.file("ca.pem").toString(),
                verifyHostName,
                allowedNames);
    }
}

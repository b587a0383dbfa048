// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Collection;
import java.util.List;

/**
 * A certificate that servers on this machine show each other, its key and its authority's certificate, created by the
 * JDK's keytool for trials. Immutable.
 *
 * @param certificate PEM
 * @param key PEM
 * @param trusted PEM
 */
public record ServerCertificates(Path certificate, Path key, Path trusted) {
    private static final String PASSWORD = "changeit"; // of a file that is deleted at once
    private static final String CERTIFICATE = "CERTIFICATE";

    private static ServerCertificates in(Path folder) {
        return new ServerCertificates(
                folder.resolve("transfer.pem"), folder.resolve("transfer-tls.key"), folder.resolve("transfer-ca.pem"));
    }

    /** Returns whether this folder has such certificates. */
    public static boolean areIn(Path folder) {
        return Files.exists(in(folder).trusted);
    }

    /**
     * Creates the files in a folder, unless they exist.
     *
     * @param addresses at which the servers reach each other
     */
    public static ServerCertificates make(Path folder, Collection<String> addresses)
            throws IOException, InterruptedException {
        ServerCertificates made = in(folder);
        if (areIn(folder)) {
            return made;
        }
        Path store = folder.resolve("transfer.p12");
        Files.deleteIfExists(store);
        Keytool.makeKey(store, PASSWORD, "ca", "-dname", "CN=Talos servers of this folder", "-ext", "bc:c=ca:true");
        List<String> names = addresses.stream().map(each -> "ip:" + each).toList();
        Keytool.makeKey(
                store,
                PASSWORD,
                "server",
                "-dname",
                "CN=talos",
                "-signer",
                "ca",
                "-ext",
                "san=" + String.join(",", names));
        made.write(store);
        Files.delete(store);
        return made;
    }

    private void write(Path store) throws IOException {
        try {
            KeyStore made = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            Files.deleteIfExists(key);
            Files.createFile(key, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(
                    key,
                    pem(
                            "PRIVATE KEY",
                            made.getKey("server", PASSWORD.toCharArray()).getEncoded()));
            Files.writeString(
                    certificate, pem(CERTIFICATE, made.getCertificate("server").getEncoded()));
            Files.writeString(
                    trusted, pem(CERTIFICATE, made.getCertificate("ca").getEncoded())); // last: all other files exist
        } catch (GeneralSecurityException e) {
            throw new IOException("certificates cannot be made: " + e.getMessage(), e);
        }
    }

    private static String pem(String type, byte[] der) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n";
    }
}

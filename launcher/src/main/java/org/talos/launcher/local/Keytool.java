// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The JDK's keytool, which makes keys for trying out. Immutable. */
public final class Keytool {
    private Keytool() {}

    /**
     * Creates a key of an elliptic curve, and a certificate that is valid for a year.
     *
     * @param store PKCS12; made if it is missing
     * @param alias of the new entry
     * @param more arguments, such as {@code -dname}
     * @throws IOException it failed: the message has its output
     */
    public static void makeKey(Path store, String password, String alias, String... more)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "365",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                password));
        command.addAll(List.of(more));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool: " + said);
        }
    }
}

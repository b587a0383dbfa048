// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An HDFS that asks for Kerberos, and the login by keytab. Each client is a process, since a login is. */
@Tag("full") // daemons
@Tag("storage")
@Timeout(240)
class KerberosIT {
    private static final int TICKET_SECONDS = 20; // so that a test sees it end

    @TempDir
    private static Path directory;

    private static SecureHdfs hdfs;

    @BeforeAll
    static void start() throws Exception {
        hdfs = new SecureHdfs(directory, TICKET_SECONDS);
        hdfs.makeHome();
    }

    @AfterAll
    static void stop() throws Exception {
        hdfs.close();
    }

    @Test
    void initAndDoctorWorkAsThePrincipal() throws Exception {
        String config = hdfs.talosConfig().toString();

        assertThat(talos("init", "--config", config))
                .contains("as user talos/localhost@")
                .contains("made the directory drwx------   - talos ");
        assertThat(talos("doctor", "--config", config))
                .contains("kerberos=true")
                .contains("ok    files       created, written, renamed, read, deleted")
                .doesNotContain("FAIL");
    }

    @Test
    void withoutPrincipalNobodyIsLetIn() throws Exception {
        String config = hdfs.talosConfig().toString();
        Path without = Files.writeString(
                directory.resolve("without.yaml"),
                Pattern.compile("kerberos: .*")
                        .matcher(Files.readString(Path.of(config)))
                        .replaceAll(""));

        assertThat(talos("doctor", "--config", without.toString()))
                .contains("FAIL  HDFS")
                .contains("authenticat");
    }

    @Test
    void fileIsWrittenOnWithTheNextTicket() throws Exception {
        Process renewed = hdfs.java(
                "org.talos.server.hadoop.RenewedLogin", hdfs.talosConfig().toString());

        assertThat(output(renewed)).contains("as talos/localhost@").contains("length=26 failure=Optional.empty");
    }

    private static String talos(String... arguments) throws Exception {
        return output(hdfs.java("org.talos.launcher.Main", arguments));
    }

    private static String output(Process process) throws Exception {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, SECONDS)).isTrue();
        return output;
    }
}

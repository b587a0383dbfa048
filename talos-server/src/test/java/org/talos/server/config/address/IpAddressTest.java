// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.address;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Texts that clients choose, in a JVM in which each of them is a name that its name service knows. */
@Timeout(60)
class IpAddressTest {
    private static final List<String> NAMES =
            List.of(".::1", ".:", "..:..", ".:a", ":.", "a:b", "1:2", "::1.", "fe80::1:");

    @TempDir
    private Path directory;

    /** Prints those of its arguments that are addresses. */
    static final class Probe {
        private Probe() {}

        public static void main(String[] texts) {
            PrintStream out = new PrintStream(System.out, true, UTF_8);
            for (String text : texts) {
                if (IpAddress.parse(text).isPresent()) {
                    out.println(text);
                }
            }
            out.println("end");
        }
    }

    @Test
    void noNameServerIsAskedWhateverTheTextIs() throws Exception {
        Path hosts = Files.writeString(directory.resolve("hosts"), "127.0.0.9 " + String.join(" ", NAMES) + "\n");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djdk.net.hosts.file=" + hosts,
                "-cp",
                System.getProperty("java.class.path"),
                Probe.class.getName()));
        command.addAll(NAMES);
        command.add("::1");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();

        String said = new String(process.getInputStream().readAllBytes(), UTF_8);

        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said.lines()).containsExactly("::1", "end");
    }
}

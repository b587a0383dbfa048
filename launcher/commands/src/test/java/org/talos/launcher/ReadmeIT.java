// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.devcluster.FreePorts;

/** README does what it says: its lines for a server are run, and its Java too, against that server. */
@Timeout(180)
class ReadmeIT {
    private static final String PORT = "18080";

    @TempDir
    private Path directory;

    private static String block(String readme, String language, String word) {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(readme)
                .results()
                .map(found -> found.group(1))
                .filter(text -> text.contains(word))
                .findFirst()
                .orElseThrow();
    }

    private String program(String snippet) throws IOException {
        Path source = directory.resolve("Snippet.java");
        Files.writeString(source, """
                import java.net.URI;
                import java.nio.file.*;
                import java.time.*;
                import java.util.*;
                import java.util.concurrent.*;
                import org.talos.client.*;
                import org.talos.client.admin.*;
                import org.talos.client.consumer.*;
                import org.talos.client.producer.*;

                public class Snippet {
                    public static void main(String[] arguments) throws Exception {
                        Properties key = new Properties();
                        key.load(Files.newBufferedReader(Path.of("data/admin.credentials")));
                        String accessKey = key.getProperty("accessKey");
                        String secretKey = key.getProperty("secretKey");
                """ + snippet + "}}\n");
        return "java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp \"$TALOS_TEST_CLASSPATH\" Snippet.java";
    }

    @Test
    void commandsAndJavaOfTheReadmeDoWhatTheySay() throws Exception {
        String readme = Files.readString(Path.of(System.getProperty("talos.root"), "README.md"));
        String port = Integer.toString(FreePorts.next());
        Launcher.write(directory);
        String java = program(block(readme, "java", "TalosClient").replace(PORT, port));
        String shell = block(readme, "sh", "bin/talos server").replace(PORT, port);
        assertThat(shell).contains("kill $!");
        // The Java is for a server that runs, and the topic for a name that is free.
        List<String> lines = shell.replace("kill $!", java)
                .replace(
                        "server.log 2>&1 &",
                        "server.log 2>&1 & server=$!; trap 'kill $server; wait $server || true' EXIT")
                .lines()
                .toList();
        Path script = Files.write(directory.resolve("readme.sh"), lines, StandardCharsets.UTF_8);

        ProcessBuilder bash = Launcher.script(directory, script);
        bash.environment().put("TALOS_MANAGEMENT_PORT", "0");
        Process run = bash.start();
        String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(run.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(run.exitValue())
                .as("%s%n%s", output, Files.readString(directory.resolve("server.log")))
                .isZero();
        assertThat(output)
                .contains("first order\nsecond order", "991\n", "from curl", "0 first order", "1 second order")
                .contains("3\t0\torder 17\n3\t1\tits first line\n3\t2\tits second line\n")
                .doesNotContain("3\t3\t"); // the put that was repeated is stored once
    }
}

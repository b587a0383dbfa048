// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arguments, files and directories that are not ASCII, in locales without UTF-8. Needs bash, and a locale of UTF-8. */
@Timeout(180)
class EncodingsIT {
    private static final int LONGEST_SECONDS = 150;

    @TempDir
    private Path directory;

    private String run(Map<String, String> environment, String script) throws IOException, InterruptedException {
        Path file = Files.writeString(directory.resolve("script.sh"), script);
        Path output = directory.resolve("script.out");
        ProcessBuilder bash = Launcher.script(directory, file).redirectOutput(output.toFile());
        bash.environment().keySet().removeIf(name -> name.startsWith("LC_") || name.startsWith("LANG"));
        bash.environment().put("JAVA_HOME", System.getProperty("java.home"));
        bash.environment().put("TALOS_CDS", "off");
        bash.environment().putAll(environment);
        Process run = bash.start();
        try {
            assertThat(run.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            run.descendants().forEach(ProcessHandle::destroyForcibly);
            run.destroyForcibly();
        }
        String said = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(run.exitValue()).as(said).isZero();
        return said;
    }

    @ParameterizedTest
    @ValueSource(strings = {"C", "xx_XX.UTF-8"})
    @Tag("full") // processes
    @Tag("servers")
    void messageKeyAndFileKeepTheirCharacters(String locale) throws Exception {
        Launcher.writeReal(directory);
        try (CommandFixture server = new CommandFixture(directory)) {
            server.talos("topic", "create", "orders", "--partitions", "1");
            String address = server.uri().toString();

            String said = run(Map.of("LC_ALL", locale, "TALOS_ENDPOINT", address), """
                    bin/talos put orders 'naïve €' --key 'clé'
                    printf 'inhalt' > fïle
                    bin/talos put orders --file fïle
                    bin/talos get orders
                    """);

            assertThat(said).contains("naïve €\ninhalt\n");
            assertThat(server.talos("get", "orders", "--format", "ndjson"))
                    .contains("\"key\":\"clé\"", "\"value\":\"naïve €\"", "\"value\":\"inhalt\"");
        }
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void serverHasItsDataInADirectoryOfAnyName() throws Exception {
        Launcher.writeReal(directory);

        String said = run(Map.of("LC_ALL", "C"), """
                bin/talos quickstart --once --messages 100 --data dätä
                [ -d dätä ]
                bin/talos doctor --local --data dätä
                """);

        assertThat(said).contains("all 100 messages came back");
    }

    /** As a machine without any locale of UTF-8 would: here no script sets one. */
    @Test
    void argumentThatIsLostIsRefusedByName() throws Exception {
        Launcher.write(directory);

        String said = run(Map.of("LC_ALL", "C"), """
                code=0
                bin/talos put orders 'naïve' --endpoint http://127.0.0.1:1 || code=$?
                echo "ended with $code"
                code=0
                LC_ALL=C.UTF-8 bin/talos put orders $'na\\xefve' -o json --endpoint http://127.0.0.1:1 || code=$?
                echo "ended with $code"
                """);

        assertThat(said.lines().filter(line -> !line.startsWith("bash: ")))
                .containsExactly(
                        "talos: argument 3 has characters that the encoding of this locale lacks, ANSI_X3.4-1968",
                        "Next: set a locale of UTF-8 that this machine has, as LC_ALL=C.UTF-8; `locale -a` lists them.",
                        "ended with 2",
                        "{\"message\":\"argument 3 is not UTF-8\",\"exitCode\":2}",
                        "ended with 2");
    }
}

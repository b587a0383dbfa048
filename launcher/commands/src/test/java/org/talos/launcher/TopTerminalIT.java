// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code top} on a terminal, which {@code script} of util-linux plays. */
@Timeout(60)
class TopTerminalIT {
    private static final Path SCRIPT = Path.of("/usr/bin/script");
    private static final int LONGEST_SECONDS = 45;

    @TempDir
    private Path home;

    /** All that is written to the terminal; says before and after how that is set. */
    private String played(String command, String keys) throws Exception {
        assumeTrue(Files.isExecutable(SCRIPT), "script of util-linux is not installed");
        Launcher.write(home);
        ProcessBuilder builder = new ProcessBuilder(
                        SCRIPT.toString(),
                        "-q",
                        "-e",
                        "-c",
                        "trap : INT; stty rows 24 cols 80; stty -g > before; " + command + "; stty -g > after",
                        "/dev/null")
                .directory(home.toFile())
                .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("TALOS_"));
        builder.environment().put("TALOS_TEST_CLASSPATH", System.getProperty("java.class.path"));
        builder.environment().put("JAVA_TOOL_OPTIONS", "-Dtalos.terminal=true -Dtalos.interactive=true");
        Process process = builder.start();
        // A read of what it prints ends with the process alone: timeouts of tests interrupt, which does not end a
        // read.
        var unused = process.onExit()
                .orTimeout(LONGEST_SECONDS, TimeUnit.SECONDS)
                .whenComplete((ended, late) -> kill(process));
        StringBuilder shown = new StringBuilder();
        try (OutputStream typed = process.getOutputStream()) {
            byte[] bytes = new byte[8_192];
            boolean isPressed = false;
            for (int read = process.getInputStream().read(bytes);
                    read > 0;
                    read = process.getInputStream().read(bytes)) {
                shown.append(new String(bytes, 0, read, StandardCharsets.UTF_8));
                if (!isPressed && shown.indexOf("q quit") >= 0) { // the first picture is there
                    isPressed = true;
                    typed.write(keys.getBytes(StandardCharsets.UTF_8));
                    typed.flush();
                }
            }
        }
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        return shown.toString();
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Test
    void screenIsDrawnObeysKeysAndLeavesTheTerminalAsItWas() throws Exception {
        try (CommandFixture server = new CommandFixture(home)) {
            server.talos("topic", "create", "orders", "--partitions", "3");
            server.talos("put", "orders", "a", "b", "--partition", "0");

            String shown = played("bin/talos top --endpoint " + server.uri(), "gsq");

            assertThat(shown)
                    .contains(
                            "\033[?1049h", "talos top  " + server.uri(), "[PUT/S]", "orders", "GROUP", "no groups yet")
                    .contains("\033[?25h\033[?1049l");
            assertThat(home.resolve("after")).hasSameTextualContentAs(home.resolve("before"));
        }
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void signalThatEndsItGivesTheTerminalBackToo() throws Exception {
        try (CommandFixture server = new CommandFixture(home)) {
            // Who starts a build in the background has it ignore this signal, and all that it starts.
            String shown =
                    played("env --default-signal=INT bin/talos top --endpoint " + server.uri() + " || true", "\003");

            assertThat(shown).contains("\033[?25h\033[?1049l");
            assertThat(home.resolve("after")).hasSameTextualContentAs(home.resolve("before"));
        }
    }
}

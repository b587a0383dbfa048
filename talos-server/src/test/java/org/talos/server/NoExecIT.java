// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.library.NativeLibraries;

/** A server in directories from which nothing may be executed, as in hardened containers. */
@Tag("full") // processes
@Tag("servers")
@Timeout(120)
class NoExecIT {
    private static final String MOUNT = "mount -t tmpfs -o noexec tmpfs ";

    @TempDir
    private Path folder;

    private Path temporary;
    private Path data;
    private Path errors;

    @BeforeEach
    void directories() throws Exception {
        temporary = Files.createDirectory(folder.resolve("tmp"));
        data = Files.createDirectory(folder.resolve("data"));
        errors = folder.resolve("errors");
        assumeTrue(
                isDone(inNamespace(MOUNT + temporary)),
                "users may make no namespaces here (unshare of util-linux, user.max_user_namespaces): left out");
    }

    private ProcessBuilder inNamespace(String script) {
        return new ProcessBuilder("unshare", "--user", "--map-root-user", "--mount", "sh", "-ec", script)
                .redirectError(errors.toFile());
    }

    private static boolean isDone(ProcessBuilder command) throws InterruptedException {
        try {
            return command.start().waitFor() == 0;
        } catch (IOException e) {
            return false; // there is no such program
        }
    }

    /** Starts a server that finds these directories mounted without the right to execute. */
    private Process start(Path... mounted) throws IOException {
        StringBuilder script = new StringBuilder();
        for (Path each : mounted) {
            script.append(MOUNT).append(each).append('\n');
        }
        script.append("exec \"$0\" \"$@\"");
        ProcessBuilder builder = inNamespace(script.toString());
        builder.command()
                .addAll(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + temporary,
                        "-Dlogback.configurationFile=logback.xml",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.talos.server.Main"));
        builder.environment().keySet().removeIf(name -> name.startsWith("TALOS_"));
        builder.environment().put("TALOS_DATADIRECTORY", data.toString());
        builder.environment().put("TALOS_HTTP_PORT", "0");
        builder.environment().put("TALOS_MANAGEMENT_PORT", "0");
        return builder.start();
    }

    @Test
    void serverUnpacksItsLibrariesInItsDataDirectoryAndLeavesNothingOfThem() throws Exception {
        Process server = start(temporary);
        try {
            assertThat(server.inputReader(UTF_8).readLine())
                    .as("%s", Files.readString(errors))
                    .startsWith("talos: serving ");
        } finally {
            server.destroyForcibly();
        }
        try (Stream<Path> left = Files.list(data)) {
            assertThat(left.map(each -> String.valueOf(each.getFileName())))
                    .isNotEmpty()
                    .noneMatch(name -> name.startsWith(NativeLibraries.FOLDER));
        }
    }

    @Test
    void startWithoutARoomForLibrariesEndsWithALineThatSaysWhatToDo() throws Exception {
        Process server = start(temporary, data);
        try {
            assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
            List<String> said = new ArrayList<>(Files.readAllLines(errors, UTF_8));

            assertThat(server.exitValue()).as("%s", said).isEqualTo(1);
            assertThat(said.get(said.size() - 1))
                    .startsWith("talos: cannot load the library of ")
                    .contains(data.toString(), temporary.toString(), "noexec", "-Djava.io.tmpdir");
            assertThat(said).noneMatch(line -> line.startsWith("\tat "));
        } finally {
            server.destroyForcibly();
        }
    }
}

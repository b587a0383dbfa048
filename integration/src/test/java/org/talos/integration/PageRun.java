// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Blocks of a page of the documentation as one script, in a directory that looks like the project's. Confined: a test.
 */
final class PageRun {
    static final Path ROOT = Path.of(System.getProperty("talos.root"));

    private final Path directory;

    /** Puts a {@code bin/talos} into the directory that only starts, and the daemons' jars where they are expected. */
    PageRun(Path directory) throws IOException {
        this.directory = directory;
        Path command = Files.createDirectories(directory.resolve("bin")).resolve("talos");
        Files.writeString(
                command, String.format(Locale.ROOT, """
                #!/bin/sh
                exec "%s" -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dtalos.home="$PWD" -cp "$TALOS_TEST_CLASSPATH" org.talos.launcher.Main "$@"
                """, Path.of(System.getProperty("java.home"), "bin", "java")));
        assertThat(command.toFile().setExecutable(true)).isTrue();
        Files.createSymbolicLink(directory.resolve("devcluster"), ROOT.resolve("devcluster"));
    }

    /** The blocks of a language in a page. */
    static List<String> blocks(String page, String language) throws IOException {
        return Pattern.compile("(?ms)^```" + language + "\\n(.*?)^```$")
                .matcher(Files.readString(ROOT.resolve("docs").resolve(page)))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    /** Runs all blocks of a page that are for a shell; all must succeed. */
    String page(String page, Map<String, String> environment) throws IOException, InterruptedException {
        return script(blocks(page, "sh").stream().collect(Collectors.joining("\n")), environment);
    }

    /** Runs a script of bash that ends with its first failure. */
    String script(String text, Map<String, String> environment) throws IOException, InterruptedException {
        Path script = Files.writeString(directory.resolve("page.sh"), text);
        Path output = directory.resolve("page.out");
        ProcessBuilder bash = new ProcessBuilder("bash", "-euo", "pipefail", script.toString())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        bash.environment().keySet().removeIf(name -> name.startsWith("TALOS_"));
        bash.environment().put("TALOS_TEST_CLASSPATH", System.getProperty("java.class.path"));
        // A program that is started within another one finds the classes there.
        bash.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        bash.environment().putAll(environment);
        Process run = bash.start();
        try {
            assertThat(run.waitFor(500, TimeUnit.SECONDS))
                    .as(() -> text(output))
                    .isTrue();
        } finally {
            run.descendants().forEach(ProcessHandle::destroyForcibly);
            run.destroyForcibly();
        }
        assertThat(run.exitValue()).as(() -> text(output)).isZero();
        return text(output);
    }

    private static String text(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            return e.toString();
        }
    }
}

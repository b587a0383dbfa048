// SPDX-License-Identifier: Apache-2.0
package org.talos.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A program of an example that runs. Closing it kills it.
 *
 * <p>Confined: one thread.
 */
final class Program implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final int TERMINATED = 128 + 15; // by SIGTERM, as a JVM ends then

    private final Path output;
    private final Process process;

    private Program(Path output, Process process) {
        this.output = output;
        this.process = process;
    }

    /** Runs a jar. */
    static Program start(Path jar, Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-jar",
                jar.toString()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(jar.getParent(), "program", ".out");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(jar.getParent().toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        return new Program(output, builder.start());
    }

    /** Waits until the program has written a text that a pattern finds, and returns the match. */
    Matcher awaitOutput(String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher("");
        await().atMost(LONGEST).untilAsserted(() -> {
            String text = Files.readString(output);
            assertThat(process.isAlive()).as(text).isTrue();
            assertThat(matcher.reset(text).find()).as(text).isTrue();
        });
        return matcher;
    }

    /** Ends the program as a power failure would. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Sends SIGTERM. */
    void terminate() {
        process.destroy();
    }

    /** Waits until the program has ended after SIGTERM. */
    void awaitEnd() throws Exception {
        assertThat(process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS))
                .as(Files.readString(output))
                .isTrue();
        assertThat(process.exitValue()).as(Files.readString(output)).isEqualTo(TERMINATED);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

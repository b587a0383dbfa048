// SPDX-License-Identifier: Apache-2.0
package org.talos.server.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each target for a minute, or {@code -Dtalos.fuzz.seconds=…}, under Jazzer in a JVM of its own: its agent rewrites
 * classes, and what it finds may be an error that ends a JVM. What it has kept is read once more without it. Its jars
 * are in {@code target/jazzer}, on no class path.
 */
@Tag("full") // long
@Tag("servers")
@Timeout(value = 1, unit = TimeUnit.DAYS)
class FuzzingTest {
    private static final int SECONDS = Integer.getInteger("talos.fuzz.seconds", 60);
    private static final int STARTING_SECONDS = 300;
    private static final String INSTRUMENTED = "org.talos.**:com.fasterxml.jackson.core.**:org.apache.thrift.**";

    private static Path found(FuzzTarget target) throws IOException {
        return Files.createDirectories(
                Path.of("target", "fuzz", target.type().getSimpleName()).toAbsolutePath());
    }

    private static String jars() throws IOException {
        try (Stream<Path> jars = Files.list(Path.of("target", "jazzer").toAbsolutePath())) {
            return String.join(":", jars.map(Path::toString).toList());
        }
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static List<String> replay(FuzzTarget target, Path kept) {
        return List.of(
                java(),
                "-Xmx1g",
                "-cp",
                System.getProperty("java.class.path"),
                FuzzReplay.class.getName(),
                target.name(),
                kept.toString());
    }

    private static List<String> fuzzer(FuzzTarget target, Path found, Path kept) throws IOException {
        return List.of(
                java(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:+EnableDynamicAgentLoading",
                "-Dtalos.fuzz.hooks=100",
                "-cp",
                System.getProperty("java.class.path") + ":" + jars(),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + target.type().getName(),
                "--instrumentation_includes=" + INSTRUMENTED,
                "--custom_hook_includes=org.talos.**",
                "--reproducer_path=" + found,
                "-artifact_prefix=" + found + "/",
                "-max_total_time=" + SECONDS,
                "-timeout=120",
                "-rss_limit_mb=4096",
                "-max_len=8192",
                "-use_value_profile=1",
                "-print_final_stats=1",
                kept.toString(),
                target.corpus().toString());
    }

    @ParameterizedTest
    @EnumSource
    void fuzzerFindsNothing(FuzzTarget target) throws Exception {
        Path found = found(target);
        Path kept = Files.createDirectories(found.resolve("corpus"));

        runs(fuzzer(target, found, kept), found.resolve("log.txt"));
        runs(replay(target, kept), found.resolve("replay.txt"));
    }

    private static void runs(List<String> command, Path log) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(SECONDS + STARTING_SECONDS, TimeUnit.SECONDS))
                    .as("it has ended: %s", log)
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue())
                .as("%s: what was found is beside it; it belongs into src/test/resources/fuzz", log)
                .isZero();
    }
}

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
 * classes, and what it finds may be an error that ends a JVM. Its jars are in {@code target/jazzer}, on no class path.
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

    private static List<String> command(FuzzTarget target, Path found) throws IOException {
        Path corpus = Files.createDirectories(found.resolve("corpus"));
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:+EnableDynamicAgentLoading",
                "-Dtalos.fuzz.hooks=8",
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
                corpus.toString(),
                target.corpus().toString());
    }

    @ParameterizedTest
    @EnumSource
    void fuzzerFindsNothing(FuzzTarget target) throws Exception {
        Path found = found(target);
        Path log = found.resolve("log.txt");
        Process jazzer = new ProcessBuilder(command(target, found))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(jazzer.waitFor(SECONDS + STARTING_SECONDS, TimeUnit.SECONDS))
                    .as("the fuzzer has ended: %s", log)
                    .isTrue();
        } finally {
            jazzer.destroyForcibly();
        }
        assertThat(jazzer.exitValue())
                .as("%s: what was found is beside it; it belongs into src/test/resources/fuzz", log)
                .isZero();
    }
}

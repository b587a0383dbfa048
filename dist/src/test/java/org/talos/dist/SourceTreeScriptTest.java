// SPDX-License-Identifier: Apache-2.0
package org.talos.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** bin/talos of a fresh clone, with a Maven and a Java that only say what they were given. */
@Timeout(60)
class SourceTreeScriptTest {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));

    @TempDir
    private Path clone;

    /** Result of a command: its exit code, and both outputs together. */
    private record Run(int code, String output) {}

    @BeforeEach
    void makeClone() throws IOException {
        for (String script : List.of("bin/talos", "dist/src/bin/talos")) {
            Files.createDirectories(clone.resolve(script).getParent());
            Files.copy(ROOT.resolve(script), clone.resolve(script));
        }
        Files.createDirectories(clone.resolve("conf"));
        for (String file : List.of("pom.xml", "conf/talos.yaml")) {
            Files.createFile(clone.resolve(file));
        }
        for (String module : List.of(
                "site",
                "talos-common",
                "talos-client",
                "talos-cli",
                "console",
                "talos-server",
                "devcluster",
                "launcher")) {
            Files.createDirectories(clone.resolve(module).resolve("src/main"));
            Files.createFile(clone.resolve(module).resolve("pom.xml"));
        }
        Files.createDirectories(clone.resolve("jdk/bin"));
        Files.writeString(clone.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        program("jdk/bin/java", "echo \"java was started\"");
        program("tools/mvn", """
                echo "$@" > maven
                echo '[INFO] Building Talos common 0.1.0-SNAPSHOT                               [3/7]'
                echo '[INFO] Downloaded from central: https://example.org/a.jar (1.5 MB at 3.4 MB/s)'
                echo '[INFO] --- maven-compiler-plugin:3.16.0:compile (default-compile) @ talos-common ---'
                mkdir -p launcher/target/lib/client && touch launcher/target/talos-launcher-1.jar
                """);
    }

    private void program(String name, String lines) throws IOException {
        Path file = clone.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + lines);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private Run talos(Map<String, String> environment, String... arguments) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(Stream.concat(Stream.of("bin/talos"), Stream.of(arguments))
                        .toList())
                .directory(clone.toFile())
                .redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", clone.resolve("jdk").toString());
        builder.environment().put("PATH", clone.resolve("tools") + ":" + System.getenv("PATH"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output);
    }

    @Test
    void withoutArgumentsItNamesFiveCommandsAndBuildsNothing() throws Exception {
        Run run = talos(Map.of());

        assertThat(run.code()).isZero();
        assertThat(run.output().lines().filter(line -> line.startsWith("  bin/talos ")))
                .hasSize(5);
        assertThat(clone.resolve("maven")).doesNotExist();
        assertThat(run.output()).doesNotContain("java was started");
    }

    @Test
    void slipIsSaidBeforeAnythingIsBuilt() throws Exception {
        Run run = talos(Map.of(), "xyzzy", "list");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.output()).startsWith("talos: 'xyzzy' is not a command (expected: server quickstart topic ");
        assertThat(clone.resolve("maven")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({
        "topc, topic",
        "gropu, group",
        "pt, put",
        "devclster, devcluster",
        "consume, get",
        "produce, put",
        "rm, topic delete",
        "ls, topic list",
        "start, server"
    })
    void slipIsSaidWithWhatWasMeant(String slip, String command) throws Exception {
        assertThat(talos(Map.of(), slip))
                .isEqualTo(new Run(2, "talos: '" + slip + "' is not a command; did you mean " + command + "?\n"));
    }

    @Test
    void slipIsSaidBeforeChangedSourcesAreBuilt() throws Exception {
        var unused = talos(Map.of(), "quickstart");
        Files.delete(clone.resolve("maven"));
        Path built = clone.resolve("launcher/target/talos.built");
        Files.setLastModifiedTime(built, FileTime.from(Instant.EPOCH));

        assertThat(talos(Map.of(), "topc").code()).isEqualTo(2);
        assertThat(clone.resolve("maven")).doesNotExist();
    }

    @Test
    void buildSaysFromTheBeginningWhatItDoesAndGoesOnByItself() throws Exception {
        Run run = talos(Map.of(), "quickstart");

        assertThat(run.code()).isZero();
        assertThat(run.output().lines())
                .startsWith(
                        "talos: building what 'quickstart' needs (the first time libraries are fetched too, which takes"
                                + " minutes); then it continues by itself",
                        "talos: building Talos common (3/7)")
                .endsWith("java was started")
                .anyMatch(line -> line.startsWith("talos: built in 0:0"));
        assertThat(Files.readString(clone.resolve("maven"))).contains("-Prun", "-pl launcher -am package");
        assertThat(Files.readString(clone.resolve("launcher/target/build.log"))).contains("Downloaded from central");
        assertThat(talos(Map.of(), "quickstart").output()).isEqualTo("java was started\n");
    }

    /** With it, cd looks elsewhere first, and prints where it went. */
    @Test
    void sourceTreeIsFoundAlsoWhenFoldersAreSearchedForByCd() throws Exception {
        Files.createDirectories(clone.resolve("elsewhere/bin"));

        Run run = talos(Map.of("CDPATH", clone.resolve("elsewhere") + ":" + clone), "quickstart");

        assertThat(run.output()).endsWith("java was started\n");
        assertThat(run.code()).isZero();
    }

    @Test
    void buildThatFailsShowsWhatMavenSaid() throws Exception {
        program("tools/mvn", "echo '[ERROR] no such thing'; exit 1");

        Run run = talos(Map.of(), "server");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.output())
                .contains("[ERROR] no such thing", "talos: the build failed (launcher/target/build.log)");
    }

    @Test
    void pressOfTabBuildsNothing() throws Exception {
        assertThat(talos(Map.of("TALOS_COMPLETING", "1"), "completion", "--names", "topics"))
                .isEqualTo(new Run(0, ""));
        assertThat(clone.resolve("maven")).doesNotExist();
    }
}

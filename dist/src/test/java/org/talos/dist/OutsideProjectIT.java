// SPDX-License-Identifier: Apache-2.0
package org.talos.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program of somebody else is built with the client as it is installed: into a repository of the test's own, without
 * network, with the package cache of this build as the only other source.
 */
@Timeout(120)
class OutsideProjectIT {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final String VERSION = System.getProperty("talos.version");

    @TempDir
    private Path directory;

    private Path repository() {
        return directory.resolve("repository");
    }

    private void install(String artifact, Path pom, Path... jars) throws IOException {
        Path folder = Files.createDirectories(
                repository().resolve("org/talos").resolve(artifact).resolve(VERSION));
        Files.copy(pom, folder.resolve(artifact + "-" + VERSION + ".pom"));
        for (Path jar : jars) {
            Files.copy(jar, folder.resolve(jar.getFileName()));
        }
    }

    private static Path jar(String module) {
        return ROOT.resolve(module).resolve("target").resolve(module + "-" + VERSION + ".jar");
    }

    private static String run(ProcessBuilder command) throws IOException, InterruptedException {
        Process process = command.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    /** Maven with this build's package cache in the place of all repositories. */
    private Path settings() throws IOException {
        Path cache = Path.of(System.getProperty("talos.localRepository"));
        return Files.writeString(
                directory.resolve("settings.xml"), String.format(Locale.ROOT, """
                <settings>
                    <localRepository>%s</localRepository>
                    <mirrors>
                        <mirror><id>cache</id><mirrorOf>*</mirrorOf><url>%s</url></mirror>
                    </mirrors>
                </settings>
                """, repository(), cache.toUri()));
    }

    /** Compiles the project and says what its class path is, without what it compiled. */
    private String build(Path project) throws IOException, InterruptedException {
        run(new ProcessBuilder("cp", "-R", ROOT.resolve("dist/src/test/outside").toString(), project.toString()));
        Path classPath = directory.resolve("classpath");
        ProcessBuilder maven = new ProcessBuilder(
                        System.getProperty("talos.maven"),
                        "-B",
                        "-q",
                        "-s",
                        settings().toString(),
                        "-Dtalos.version=" + VERSION,
                        "-Dmdep.outputFile=" + classPath,
                        "compile",
                        "dependency:build-classpath")
                .directory(project.toFile());
        maven.environment().keySet().removeIf(name -> name.startsWith("MAVEN_"));
        run(maven);
        return Files.readString(classPath).strip();
    }

    @Test
    void aProgramOfOthersNeedsTheBomAndTheClientAndGetsNothingOfTheServer() throws Exception {
        install("talos", ROOT.resolve("pom.xml"));
        install("talos-bom", ROOT.resolve("bom/target/.flattened-pom.xml"));
        install("talos-common", ROOT.resolve("talos-common/pom.xml"), jar("talos-common"));
        install("talos-client", ROOT.resolve("talos-client/pom.xml"), jar("talos-client"));
        Path project = directory.resolve("outside");

        String classPath = build(project);
        String said = run(new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                project.resolve("target/classes") + ":" + classPath,
                "outside.Program"));

        assertThat(said).contains("not put: first order, ");
        assertThat(Arrays.stream(classPath.split(":"))
                        .map(each -> Path.of(each).getFileName().toString().replaceFirst("-\\d.*", "")))
                .contains("talos-client", "talos-common", "libthrift", "slf4j-api")
                .doesNotContain("talos-server", "talos-cli", "picocli", "jackson-databind", "logback-classic")
                .noneMatch(each -> each.startsWith("hadoop") || each.startsWith("hbase") || each.startsWith("jetty"));
    }
}

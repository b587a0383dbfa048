// SPDX-License-Identifier: Apache-2.0
package org.talos.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program of somebody else is built with the client as it is installed: into a repository of the test's own, without
 * network, with the package cache of this build as the only other source.
 */
@Timeout(120)
@Tag("full") // processes
@Tag("servers")
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

    /** Installs a module whose folder is named as it is. */
    private void install(String module) throws IOException {
        installFrom(module, module);
    }

    private void installFrom(String folder, String module) throws IOException {
        install(
                module,
                ROOT.resolve(folder).resolve("pom.xml"),
                ROOT.resolve(folder).resolve("target").resolve(module + "-" + VERSION + ".jar"));
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

    /** Compiles a project and says what its class path is, without what it compiled. */
    private String build(Path project) throws IOException, InterruptedException {
        Path sources = ROOT.resolve("dist/src/test").resolve(project.getFileName());
        run(new ProcessBuilder("cp", "-R", sources.toString(), project.toString()));
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

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    @Test
    void aProgramOfOthersNeedsTheBomAndTheClientAndGetsNothingOfTheServer() throws Exception {
        install("talos", ROOT.resolve("pom.xml"));
        install("talos-bom", ROOT.resolve("bom/target/.flattened-pom.xml"));
        install("talos-common");
        install("talos-client");
        Path project = directory.resolve("outside");

        String classPath = build(project);
        String said = run(new ProcessBuilder(
                java(), "-cp", project.resolve("target/classes") + ":" + classPath, "outside.Program"));
        String saidByModules = run(new ProcessBuilder(
                java(),
                "-p",
                classPath,
                "--add-modules",
                "org.talos.client,org.slf4j", // an automatic module asks for no other by name
                "-cp",
                project.resolve("target/classes").toString(),
                "outside.Program"));

        assertThat(said).contains("not put: first order, ");
        assertThat(saidByModules).contains("not put: first order, ");
        assertThat(Arrays.stream(classPath.split(":"))
                        .map(each -> Path.of(each).getFileName().toString().replaceFirst("-\\d.*", "")))
                .contains("talos-client", "talos-common", "libthrift", "slf4j-api")
                .doesNotContain("talos-server", "talos-cli", "picocli", "jackson-databind", "logback-classic")
                .noneMatch(each -> each.startsWith("hadoop") || each.startsWith("hbase") || each.startsWith("jetty"));
    }

    @Test
    void aProgramOfOthersNeedsTheBomForAServerAndForMetersToo() throws Exception {
        install("talos", ROOT.resolve("pom.xml"));
        install("talos-bom", ROOT.resolve("bom/target/.flattened-pom.xml"));
        for (String module : List.of("talos-common", "talos-client", "talos-client-micrometer", "talos-server")) {
            install(module);
        }
        installFrom("console", "talos-console");
        installFrom("site", "talos-docs");
        Path project = directory.resolve("embedded");

        String classPath = build(project);
        String said = run(new ProcessBuilder(
                java(),
                "-cp",
                project.resolve("target/classes") + ":" + classPath,
                "embedded.Program",
                directory.resolve("data").toString()));

        assertThat(said).contains("stored in orders/0", "8 meters");
    }
}

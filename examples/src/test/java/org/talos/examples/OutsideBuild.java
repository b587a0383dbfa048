// SPDX-License-Identifier: Apache-2.0
package org.talos.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Builds a copy of an example as its user would: by Maven, with the client as it is installed. It is installed into a
 * repository of the test's own. The package cache of this build is the only other source, so nothing is downloaded.
 *
 * <p>Confined: one thread.
 */
final class OutsideBuild {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final String VERSION = System.getProperty("talos.version");

    private final Path directory;

    OutsideBuild(Path directory) throws IOException {
        this.directory = directory;
        install("talos", ROOT.resolve("pom.xml"));
        install("talos-bom", ROOT.resolve("bom/target/.flattened-pom.xml"));
        for (String module : List.of("talos-common", "talos-client", "talos-client-micrometer")) {
            Path folder = ROOT.resolve(module);
            install(module, folder.resolve("pom.xml"), folder.resolve("target/" + module + "-" + VERSION + ".jar"));
        }
    }

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

    /** Packages an example, and returns the one jar in its {@code target} that runs. */
    Path jar(String example) throws IOException, InterruptedException {
        Path project = directory.resolve(example);
        copy(ROOT.resolve("examples").resolve(example), project);
        ProcessBuilder maven = new ProcessBuilder(
                        System.getProperty("talos.maven"),
                        "-B",
                        "-q",
                        "-s",
                        settings().toString(),
                        "package")
                .directory(project.toFile())
                .redirectErrorStream(true);
        maven.environment().keySet().removeIf(name -> name.startsWith("MAVEN_"));
        maven.environment().put("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        Process run = maven.start();
        String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(run.waitFor()).as(output).isZero();
        try (Stream<Path> files = Files.list(project.resolve("target"))) {
            List<Path> jars =
                    files.filter(each -> each.toString().endsWith(".jar")).toList();
            assertThat(jars).hasSize(1);
            return jars.get(0);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                Path relative = from.relativize(each);
                if (!relative.startsWith("target")) {
                    Path copy = to.resolve(relative);
                    Files.createDirectories(copy.getParent());
                    Files.copy(each, copy);
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;

/**
 * A {@code bin/talos} for scripts of documents. That of the source tree builds first, which a test in the middle of a
 * build cannot: these only start. Immutable.
 */
final class Launcher {
    private Launcher() {}

    /** Puts it into a directory, which then is the project's. */
    static void write(Path directory) throws IOException {
        Path launcher = Files.createDirectories(directory.resolve("bin")).resolve("talos");
        Files.writeString(launcher, """
                #!/bin/sh
                exec java -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dtalos.home="$PWD" \\
                    -cp "$TALOS_TEST_CLASSPATH" org.talos.launcher.Main "$@"
                """);
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
    }

    /** Puts that of the archive into a directory, beside a jar that names what this test has on its class path. */
    static void writeReal(Path directory) throws IOException {
        Path launcher = Files.createDirectories(directory.resolve("bin")).resolve("talos");
        Files.copy(Path.of(System.getProperty("talos.root"), "dist/src/bin/talos"), launcher);
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath());
        Path lib = Files.createDirectories(directory.resolve("lib"));
        Files.createDirectories(lib.resolve("client"));
        new JarOutputStream(Files.newOutputStream(lib.resolve("talos-cli-0.jar")), manifest).close();
    }

    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(each -> Path.of(each).toUri().toString())
                .collect(Collectors.joining(" "));
    }

    /** A script of bash that ends with the first command that fails, in that directory. */
    static ProcessBuilder script(Path directory, Path script) {
        ProcessBuilder bash = new ProcessBuilder("bash", "-euo", "pipefail", script.toString())
                .directory(directory.toFile())
                .redirectErrorStream(true);
        bash.environment().keySet().removeIf(name -> name.startsWith("TALOS_"));
        bash.environment().keySet().remove("XDG_CONFIG_HOME");
        bash.environment().put("HOME", directory.toString()); // what pages keep for their reader stays here
        bash.environment().put("TALOS_TEST_CLASSPATH", System.getProperty("java.class.path"));
        return bash;
    }
}

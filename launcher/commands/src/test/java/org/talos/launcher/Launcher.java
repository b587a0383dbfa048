// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A {@code bin/talos} for scripts of documents. The real one builds first, which a test in the middle of a build can't:
 * this one only starts. Immutable.
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

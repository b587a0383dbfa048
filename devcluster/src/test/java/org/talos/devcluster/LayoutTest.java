// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class LayoutTest {
    private static final String FILE = Program.class.getName().replace('.', '/') + ".class";

    @TempDir
    private Path directory;

    /** Stands for what the daemons are started by. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {}
    }

    private static void copyProgram(OutputStream to) throws IOException {
        try (InputStream program = Program.class.getClassLoader().getResourceAsStream(FILE)) {
            assertThat(program).isNotNull();
            program.transferTo(to);
        }
    }

    private int run(Path daemons) throws IOException, InterruptedException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        String classPath = new Layout(directory, daemons).daemonClassPath();
        Process process = new ProcessBuilder(java.toString(), "-cp", classPath, Program.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output").toFile())
                .start();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    /** As bin/talos builds it in a new clone. */
    @Test
    void classesAreFoundInTheJarOfAModuleThatHasNoFolderOfThem() throws Exception {
        Path daemons = Files.createDirectories(directory.resolve("target"));
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(daemons.resolve("daemons.jar")))) {
            jar.putNextEntry(new JarEntry(FILE));
            copyProgram(jar);
        }

        assertThat(run(daemons)).isZero();
    }

    /** As an archive brings it. */
    @Test
    void classesAreFoundInTheirFolder() throws Exception {
        Path daemons = directory.resolve("daemons");
        Path file = daemons.resolve("classes").resolve(FILE);
        Files.createDirectories(file.getParent());
        try (OutputStream to = Files.newOutputStream(file)) {
            copyProgram(to);
        }

        assertThat(run(daemons)).isZero();
    }
}

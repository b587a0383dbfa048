// SPDX-License-Identifier: Apache-2.0
package org.talos.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.talos.cli.CommandContext;
import org.talos.launcher.Main;
import picocli.CommandLine;

/** One command of {@code bin/talos}, run in this JVM. Immutable. */
public record BenchRun(int code, String output) {
    /** Runs it in a project's directory of the test's own. */
    public static BenchRun of(Path home, String... arguments) {
        ByteArrayOutputStream out = new Shown();
        StringWriter errors = new StringWriter();
        CommandLine command =
                Main.commandLine(new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false));
        command.setErr(new PrintWriter(errors));
        int code = command.execute(arguments);
        return new BenchRun(code, out.toString(StandardCharsets.UTF_8) + errors);
    }

    /** Keeps what is printed, and shows it at once: a run that is ended from outside leaves its progress. */
    private static final class Shown extends ByteArrayOutputStream {
        @Override
        public synchronized void write(int each) {
            super.write(each);
            System.out.write(each);
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int length) {
            super.write(bytes, from, length);
            System.out.write(bytes, from, length);
        }
    }

    /** Returns what a command printed that ended well. */
    public String good() {
        assertThat(code).as(output).isZero();
        return output;
    }

    /** Returns the folder of the only report. */
    public static Path report(Path home) throws IOException {
        try (Stream<Path> reports = Files.list(home.resolve("bench/target/reports"))) {
            List<Path> all = reports.toList();
            assertThat(all).hasSize(1);
            return all.get(0);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.cli.CommandContext;
import org.talos.cli.Commands;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Help that reaches its reader, or does not. */
class HelpOutputTest {
    private static final Path FULL = Path.of("/dev/full");

    private final StringWriter err = new StringWriter();

    private int run(OutputStream out, String... arguments) {
        CommandContext context =
                new CommandContext(Map.of(), InputStream.nullInputStream(), out, Path.of("none"), false);
        CommandLine line = Talos.commandLine(context, Map.of(), arguments);
        line.setErr(new PrintWriter(err, true));
        return Commands.execute(context, line, arguments);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "--version", "put --help", "topic create --help", "help put"})
    void helpThatCannotBeWrittenIsAFailureWithALine(String command) throws Exception {
        assumeTrue(Files.exists(FULL), "a file that takes no byte");
        try (OutputStream full = new FileOutputStream(FULL.toFile())) {
            assertThat(run(full, command.split(" "))).isEqualTo(1);
        }
        assertThat(err.toString().strip())
                .startsWith("talos: standard output cannot be written: ")
                .doesNotContain("\n");
    }

    @Test
    void helpThatNobodyReadsAnyMoreIsNoMatterForALine() {
        OutputStream gone = new OutputStream() {
            @Override
            public void write(int each) throws IOException {
                throw new IOException("Broken pipe");
            }
        };

        assertThat(run(gone, "--help")).isEqualTo(141);
        assertThat(err.toString()).isEmpty();
    }

    /** Writes a line as its result. */
    @Command(name = "result")
    private record Result(CommandContext context) implements Callable<Integer> {
        @Override
        public Integer call() throws IOException {
            context.line("a result");
            return 0;
        }
    }

    @Test
    void resultThatCannotBeWrittenIsSaidOnce() throws Exception {
        assumeTrue(Files.exists(FULL), "a file that takes no byte");
        OutputStream out = new BufferedOutputStream(new FileOutputStream(FULL.toFile())); // keeps what it cannot write
        CommandContext context =
                new CommandContext(Map.of(), InputStream.nullInputStream(), out, Path.of("none"), false);
        CommandLine line = Commands.prepared(new Result(context));
        line.setErr(new PrintWriter(err, true));

        assertThat(Commands.execute(context, line)).isEqualTo(1);
        assertThat(err.toString().strip()).isNotEmpty().doesNotContain("\n");
    }

    @Test
    void helpIsWrittenWhole() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        assertThat(run(out, "put", "--help")).isZero();
        assertThat(out.toString(UTF_8))
                .contains("Usage: talos put", "--compression")
                .endsWith("\n");
        assertThat(err.toString()).isEmpty();
    }
}

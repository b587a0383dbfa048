// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The environment of a command's process, which tests replace. Immutable.
 *
 * @param environment environment variables
 * @param in standard input
 * @param out standard output, for results and for the bytes of messages
 * @param home the installation's directory, where a server has its {@code data/} by default
 * @param terminal whether standard output is a terminal
 * @param interactive whether a user can answer questions: standard input and standard error are a terminal
 * @param watched whether a user sees the progress: standard error is a terminal
 */
public record CommandContext(
        Map<String, String> environment,
        InputStream in,
        OutputStream out,
        Path home,
        boolean terminal,
        boolean interactive,
        boolean watched) {
    private static final int OUT_BUFFER_BYTES = 1 << 16;
    private static final Path STANDARD_INPUT = Path.of("/dev/stdin");
    private static final String DATA_DIRECTORY = "TALOS_DATADIRECTORY";

    public CommandContext {
        out = PipedOutput.of(out);
    }

    /** Creates the environment of a process that shows no progress. */
    public CommandContext(
            Map<String, String> environment,
            InputStream in,
            OutputStream out,
            Path home,
            boolean terminal,
            boolean interactive) {
        this(environment, in, out, home, terminal, interactive, false);
    }

    /** Returns the environment of a process that cannot ask a user. */
    public CommandContext(
            Map<String, String> environment, InputStream in, OutputStream out, Path home, boolean terminal) {
        this(environment, in, out, home, terminal, false);
    }

    /**
     * Returns the environment of this process. The launcher sets {@code talos.home}, by default the current directory,
     * {@code talos.terminal}, {@code talos.interactive} and {@code talos.watched}.
     */
    public static CommandContext ofProcess() {
        return new CommandContext(
                System.getenv(),
                System.in,
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), OUT_BUFFER_BYTES),
                Path.of(System.getProperty("talos.home", "")).toAbsolutePath(),
                Boolean.getBoolean("talos.terminal"),
                Boolean.getBoolean("talos.interactive"),
                Boolean.getBoolean("talos.watched"));
    }

    /** Returns these, without progress output if programs read the command's output. */
    public CommandContext unwatchedIf(boolean programs) {
        return programs ? new CommandContext(environment, in, out, home, terminal, interactive, false) : this;
    }

    /** Writes a line of text as UTF-8 and flushes it. */
    public void line(String text) throws IOException {
        print(text + "\n");
    }

    /** Writes text as UTF-8 and flushes it. */
    public void print(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Returns the size in bytes of the file that standard input reads; 0 if it is unknown, as for a pipe. */
    public long inputBytes() {
        try {
            return isFileInput() ? Files.size(STANDARD_INPUT) : 0;
        } catch (IOException e) {
            return 0; // only the shown progress depends on it
        }
    }

    private boolean isFileInput() {
        return in == System.in && Files.isRegularFile(STANDARD_INPUT);
    }

    /**
     * Returns the user's directory for the files of {@code talos}, as freedesktop.org defines it: {@code talos} of
     * {@code XDG_CONFIG_HOME}, otherwise of {@code ~/.config}. Empty if the environment names neither.
     */
    public Optional<Path> configDirectory() {
        String configured = environment.getOrDefault("XDG_CONFIG_HOME", "");
        if (!configured.isBlank() && Path.of(configured).isAbsolute()) { // the specification says to ignore other paths
            return Optional.of(Path.of(configured, "talos"));
        }
        String user = environment.getOrDefault("HOME", "");
        return user.isBlank() ? Optional.empty() : Optional.of(Path.of(user, ".config", "talos"));
    }

    /**
     * Returns the directory of a server's data: the one that the server takes from the environment, otherwise
     * {@code data/} of home.
     */
    public Path dataDirectory() {
        String named = environment.getOrDefault(DATA_DIRECTORY, "");
        return named.isBlank() ? home.resolve("data") : Path.of(named);
    }
}

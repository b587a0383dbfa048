// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/**
 * The environment of a command's process, which tests replace. Immutable.
 *
 * @param environment environment variables
 * @param in standard input
 * @param out standard output, for results and for the bytes of messages
 * @param home the installation's directory, where a server has its {@code data/} by default
 * @param terminal whether standard output is a terminal
 * @param interactive whether somebody can be asked: standard input and standard error are a terminal
 */
public record Surroundings(
        Map<String, String> environment,
        InputStream in,
        OutputStream out,
        Path home,
        boolean terminal,
        boolean interactive) {
    private static final int OUT_BUFFER_BYTES = 1 << 16;
    private static final String DATA_DIRECTORY = "TALOS_DATADIRECTORY";

    public Surroundings {
        out = PipedOutput.of(out);
    }

    /** The environment of a process that has nobody to ask. */
    public Surroundings(
            Map<String, String> environment, InputStream in, OutputStream out, Path home, boolean terminal) {
        this(environment, in, out, home, terminal, false);
    }

    /**
     * The environment of this process. The launcher sets {@code talos.home}, by default the current directory,
     * {@code talos.terminal} and {@code talos.interactive}.
     */
    public static Surroundings ofProcess() {
        return new Surroundings(
                System.getenv(),
                System.in,
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), OUT_BUFFER_BYTES),
                Path.of(System.getProperty("talos.home", "")).toAbsolutePath(),
                Boolean.getBoolean("talos.terminal"),
                Boolean.getBoolean("talos.interactive"));
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

    /** The directory of a server's data: as the server takes it from the environment, else {@code data/} of home. */
    public Path dataDirectory() {
        String named = environment.getOrDefault(DATA_DIRECTORY, "");
        return named.isBlank() ? home.resolve("data") : Path.of(named);
    }
}

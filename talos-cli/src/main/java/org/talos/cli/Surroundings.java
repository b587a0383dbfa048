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
 * What a command finds around it, so that a test can put something else there. Immutable.
 *
 * @param environment names and values
 * @param in what is piped in
 * @param out where answers and messages go, the latter byte by byte as they are
 * @param home the project's directory, where a server that was started without a word keeps {@code data/}
 * @param terminal whether a person looks at what is printed
 */
public record Surroundings(
        Map<String, String> environment, InputStream in, OutputStream out, Path home, boolean terminal) {
    private static final int OUT_BUFFER_BYTES = 1 << 16;

    /**
     * The real ones. The launcher names the project's directory, by default the current one, and tells of a terminal.
     */
    public static Surroundings ofProcess() {
        return new Surroundings(
                System.getenv(),
                System.in,
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), OUT_BUFFER_BYTES),
                Path.of(System.getProperty("talos.home", "")).toAbsolutePath(),
                Boolean.getBoolean("talos.terminal"));
    }

    /** Writes a line of text, as UTF-8, at once. */
    public void line(String text) throws IOException {
        print(text + "\n");
    }

    /** Writes text, as UTF-8, at once. */
    public void print(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Where a server keeps its data unless it is told otherwise. */
    public Path dataDirectory() {
        return home.resolve("data");
    }
}

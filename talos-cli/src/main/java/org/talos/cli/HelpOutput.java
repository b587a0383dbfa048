// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The output for help and versions. It remembers the first failure, which the printer hides.
 *
 * <p>Confined: the main thread.
 */
final class HelpOutput extends FilterOutputStream {
    private final PrintWriter printer = new PrintWriter(new OutputStreamWriter(this, StandardCharsets.UTF_8), true);
    private @Nullable IOException failure;

    HelpOutput(OutputStream out) {
        super(out);
    }

    /** Returns a printer to this output. */
    PrintWriter printer() {
        return printer;
    }

    /** Returns the first failure; empty if everything has been written. */
    Optional<IOException> failure() {
        printer.flush();
        return Optional.ofNullable(failure);
    }

    /** A step of writing. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private void remember(Step step) throws IOException {
        try {
            step.run();
        } catch (IOException e) {
            failure = failure == null ? e : failure;
            throw e;
        }
    }

    @Override
    public void write(int each) throws IOException {
        remember(() -> out.write(each));
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        remember(() -> out.write(bytes, from, length));
    }

    @Override
    public void flush() throws IOException {
        remember(out::flush);
    }
}

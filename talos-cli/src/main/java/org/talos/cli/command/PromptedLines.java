// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import org.talos.cli.CommandException;
import org.talos.cli.message.InputLines;

/**
 * The lines of standard input, with a prompt on standard error if a user types them.
 *
 * <p>Confined: the main thread.
 */
final class PromptedLines {
    private final InputLines in;
    private final boolean isTyped;
    private final PrintWriter err;

    /** Lines that are not read yet. */
    PromptedLines(InputStream in, boolean isTyped, PrintWriter err) {
        this.in = new InputLines(in);
        this.isTyped = isTyped;
        this.err = err;
        if (isTyped) {
            err.println("One message a line; Ctrl-D ends.");
            err.flush();
        }
    }

    /** Returns the next line, and prompts before it waits for one; null after the last. */
    byte @Nullable [] next() throws IOException, CommandException {
        if (isTyped && !in.ready()) { // of lines that are pasted together only the last has a prompt behind it
            err.print("> ");
            err.flush();
        }
        byte[] line = in.next();
        if (line == null && isTyped) {
            err.println(); // Ctrl-D leaves the terminal in the line of the prompt
            err.flush();
        }
        return line;
    }

    /** Returns the number of the last line, from 1. */
    long number() {
        return in.number();
    }

    /** Returns the bytes of the lines so far, ends of lines among them. */
    long bytes() {
        return in.bytes();
    }

    /** Returns whether more input can be read without waiting. */
    boolean ready() throws IOException {
        return in.ready();
    }
}

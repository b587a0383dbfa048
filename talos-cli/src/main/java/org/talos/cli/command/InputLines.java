// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.talos.cli.CommandException;

/**
 * Reads lines of bytes that end with {@code \n} or {@code \r\n}; bytes that are not UTF-8 are kept as they are.
 *
 * <p>Confined: the main thread.
 */
final class InputLines {
    private static final int MAX_BYTES = 32 << 20;

    private final BufferedInputStream in;
    private long number;

    InputLines(InputStream in) {
        this.in = new BufferedInputStream(in, 1 << 16);
    }

    /** The next line without its line end; null after the last. */
    byte @Nullable [] next() throws IOException, CommandException {
        number++;
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int read = in.read();
        if (read < 0) {
            return null;
        }
        for (; read >= 0 && read != '\n'; read = in.read()) {
            if (line.size() == MAX_BYTES) {
                throw new CommandException("line " + number + " is longer than " + MAX_BYTES
                        + " bytes (--file puts a whole file as one message)");
            }
            line.write(read);
        }
        byte[] bytes = line.toByteArray();
        int length = bytes.length > 0 && bytes[bytes.length - 1] == '\r' ? bytes.length - 1 : bytes.length;
        return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }

    /** The number of the last line, from 1. */
    long number() {
        return number;
    }

    /** Whether more input can be read without waiting. */
    boolean ready() throws IOException {
        return in.available() > 0;
    }
}

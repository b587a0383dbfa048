// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

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
public final class InputLines {
    private static final int MAX_BYTES = 32 << 20;

    private final BufferedInputStream in;
    private long number;
    private long bytes;

    /** Creates the lines of an input. */
    public InputLines(InputStream in) {
        this.in = new BufferedInputStream(in, 1 << 16);
    }

    /** Returns the next line without its line end; null after the last. */
    public byte @Nullable [] next() throws IOException, CommandException {
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
        bytes += line.size() + (read < 0 ? 0 : 1);
        byte[] all = line.toByteArray();
        int length = all.length > 0 && all[all.length - 1] == '\r' ? all.length - 1 : all.length;
        return length == all.length ? all : Arrays.copyOf(all, length);
    }

    /** Returns the number of the last line, from 1. */
    public long number() {
        return number;
    }

    /** Returns the bytes of the lines so far, ends of lines among them. */
    public long bytes() {
        return bytes;
    }

    /** Returns whether more input can be read without waiting. */
    public boolean ready() throws IOException {
        return in.available() > 0;
    }
}

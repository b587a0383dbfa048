// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import static org.talos.bench.report.Text.format;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the files of a partition from the first byte to the last, a piece at a time, and then again. What it reads is
 * counted and not looked at.
 *
 * <p>Confined: to one thread at a time.
 */
final class PartitionFiles implements Closeable {
    private final List<BareFile> files;
    private final long leastBytes;
    private int next; // file to be opened
    private @Nullable ReadableByteChannel current;
    private long passed; // bytes, since the first one

    /**
     * At the first byte.
     *
     * @param leastBytes of all files together: those of the messages that they hold
     */
    PartitionFiles(List<BareFile> files, long leastBytes) {
        this.files = List.copyOf(files);
        this.leastBytes = leastBytes;
    }

    /**
     * Reads until the piece is full or the last file ends.
     *
     * @return bytes
     * @throws IOException the files do not have what was put
     */
    int read(ByteBuffer piece) throws IOException {
        piece.clear();
        while (piece.hasRemaining() && next < files.size()) {
            if (current == null) {
                current = files.get(next).open();
            }
            if (current.read(piece) < 0) {
                close();
                next++;
            }
        }
        passed += piece.position();
        if (next == files.size()) {
            beginAgain();
        }
        return piece.position();
    }

    private void beginAgain() throws IOException {
        if (passed < leastBytes) {
            throw new IOException(format(
                    "files of a partition have %d bytes (expected: more than the %d of its messages)",
                    passed, leastBytes));
        }
        next = 0;
        passed = 0;
    }

    @Override
    public void close() throws IOException {
        if (current != null) {
            current.close();
            current = null;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.MemoryBudget;

/**
 * Collects the bytes of a body until they are whole lines. Its memory is reserved before it is allocated.
 *
 * <p>Confined: one request.
 */
final class LineBuffer {
    private static final int FIRST_STEP_BYTES = 4 << 10;

    private final MemoryBudget.Share memory;
    private final long longestLine;
    private byte[] bytes = new byte[0];
    private int length;
    private int wholeLines; // up to here, line ends included

    LineBuffer(MemoryBudget.Share memory, long longestLine) {
        this.memory = memory;
        this.longestLine = longestLine;
    }

    /**
     * Adds bytes.
     *
     * @throws ProblemException 413: a line is too long; 503: no memory
     */
    void add(ByteBuffer more) {
        int begin = length;
        require(length + more.remaining());
        int added = more.remaining();
        more.get(bytes, length, added);
        length += added;
        for (int i = length - 1; i >= begin; i--) {
            if (bytes[i] == '\n') {
                wholeLines = i + 1;
                break;
            }
        }
        if (length - wholeLines > longestLine) {
            throw ProblemException.refused(413, "request-too-large", "a line is longer than " + longestLine + " bytes");
        }
    }

    private void require(int needed) {
        if (needed <= bytes.length) {
            return;
        }
        int size = Math.max(needed, Math.max(FIRST_STEP_BYTES, 2 * length));
        if (!memory.tryReserve(size)) {
            throw ProblemException.refused(503, "no-memory", "the server has no memory for the lines now");
        }
        int before = bytes.length;
        bytes = Arrays.copyOf(bytes, size);
        memory.release(before);
    }

    /** Ends the body: the bytes after the last line end are a line too. */
    void end() {
        wholeLines = length;
    }

    /** Bytes of whole lines. */
    int wholeBytes() {
        return wholeLines;
    }

    /** Returns whether there are more whole lines than so many. */
    boolean hasMoreThan(int lines) {
        int found = 0;
        for (int i = 0; i < wholeLines && found <= lines; i++) {
            if (bytes[i] == '\n') {
                found++;
            }
        }
        return found > lines;
    }

    /** The whole lines, without their ends; valid until {@link #dropLines}. */
    List<ByteBuffer> lines() {
        List<ByteBuffer> lines = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < wholeLines; i++) {
            if (bytes[i] == '\n') {
                lines.add(line(start, i));
                start = i + 1;
            }
        }
        if (start < wholeLines) {
            lines.add(line(start, wholeLines));
        }
        return lines;
    }

    private ByteBuffer line(int start, int end) {
        int last = end > start && bytes[end - 1] == '\r' ? end - 1 : end;
        return ByteBuffer.wrap(bytes, start, last - start).slice();
    }

    /** Drops the whole lines. */
    void dropLines() {
        System.arraycopy(bytes, wholeLines, bytes, 0, length - wholeLines);
        length -= wholeLines;
        wholeLines = 0;
    }

    /** Gives the memory back. */
    void release() {
        memory.release(bytes.length);
        bytes = new byte[0];
        length = 0;
        wholeLines = 0;
    }
}

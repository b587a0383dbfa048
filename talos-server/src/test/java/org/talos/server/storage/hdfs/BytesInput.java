// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.EOFException;
import java.io.IOException;
import org.apache.hadoop.fs.FSInputStream;

/** Reads what a file of a simulated file system had when it was opened. Confined: to its reader. */
final class BytesInput extends FSInputStream {
    private final byte[] bytes;
    private final Check check;
    private int position;

    BytesInput(byte[] bytes) {
        this(bytes, (from, to) -> {});
    }

    BytesInput(byte[] bytes, Check check) {
        this.bytes = bytes;
        this.check = check;
    }

    /** Refuses bytes that were lost. */
    @FunctionalInterface
    interface Check {
        void requireReadable(long from, long to) throws IOException;
    }

    @Override
    public void seek(long to) throws IOException {
        if (to > bytes.length) {
            throw new EOFException("seek to " + to + " of " + bytes.length);
        }
        position = (int) to;
    }

    @Override
    public long getPos() {
        return position;
    }

    @Override
    public boolean seekToNewSource(long to) {
        return false;
    }

    @Override
    public int read() throws IOException {
        check.requireReadable(position, position + 1L);
        return position < bytes.length ? bytes[position++] & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int some = Math.min(length, bytes.length - position);
        check.requireReadable(position, position + (long) some);
        if (some <= 0) {
            return length == 0 ? 0 : -1;
        }
        System.arraycopy(bytes, position, target, offset, some);
        position += some;
        return some;
    }
}

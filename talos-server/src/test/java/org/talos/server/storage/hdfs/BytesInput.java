// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.EOFException;
import java.io.IOException;
import org.apache.hadoop.fs.FSInputStream;

/** Reads what a file of a simulated file system had when it was opened. Confined: to its reader. */
final class BytesInput extends FSInputStream {
    private final byte[] bytes;
    private int position;

    BytesInput(byte[] bytes) {
        this.bytes = bytes;
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
    public int read() {
        return position < bytes.length ? bytes[position++] & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        int some = Math.min(length, bytes.length - position);
        if (some <= 0) {
            return length == 0 ? 0 : -1;
        }
        System.arraycopy(bytes, position, target, offset, some);
        position += some;
        return some;
    }
}

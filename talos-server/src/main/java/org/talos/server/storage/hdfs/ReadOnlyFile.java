// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.talos.server.storage.journal.StoredFile;

/** A file without a writer, for reading front to back. Confined: to its reader. */
final class ReadOnlyFile implements StoredFile {
    private final FSDataInputStream in;
    private final long length;

    ReadOnlyFile(FSDataInputStream in, long length) {
        this.in = in;
        this.length = length;
    }

    @Override
    public int read(long position, ByteBuffer target) throws IOException {
        int bytes = (int) Math.max(0, Math.min(target.remaining(), length - position));
        if (bytes > 0) {
            byte[] read = new byte[bytes];
            if (in.getPos() != position) {
                in.seek(position);
            }
            in.readFully(read); // not by position: a sequential reader keeps its DataNode
            target.put(read);
        }
        return bytes;
    }

    @Override
    public long size() {
        return length;
    }

    @Override
    public void write(long position, List<ByteBuffer> bytes) throws IOException {
        throw readOnly();
    }

    @Override
    public void sync() {}

    @Override
    public void truncate(long to) throws IOException {
        throw readOnly();
    }

    private static IOException readOnly() {
        return new IOException("a closed file is only read");
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}

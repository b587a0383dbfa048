// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** An open file, as much of one as the store uses; tests put one that fails in its place. Thread-safe for reads. */
public interface StoredFile extends AutoCloseable {
    /** Writes all the bytes at the position; the buffers' own positions do not move. */
    void write(long position, List<ByteBuffer> bytes) throws IOException;

    /** As {@link #write}, for bytes that nobody is likely to read soon: the system's memory is spared if it can be. */
    default void writeThrough(long position, List<ByteBuffer> bytes) throws IOException {
        write(position, bytes);
    }

    /** Reads until the target is full or the file ends; returns the number of bytes. */
    int read(long position, ByteBuffer target) throws IOException;

    /** Returns once what was written is on the disk. */
    void sync() throws IOException;

    long size() throws IOException;

    void truncate(long length) throws IOException;

    /** Whether it had better be followed by a new file, although it is not full. */
    default boolean isWorn() {
        return false;
    }

    /** Lets go of it after a failure, without waiting for what can't be written. */
    default void abandon() throws IOException {
        close();
    }

    @Override
    void close() throws IOException;
}

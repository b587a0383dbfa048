// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** An open file of a store. Thread-safe for reads; one write, sync or truncation at a time. */
public interface StoredFile extends AutoCloseable {
    /** Writes all the bytes at the position; the buffers' own positions do not move. */
    void write(long position, List<ByteBuffer> bytes) throws IOException;

    /**
     * Like {@link #write}, but past the page cache where that is possible: for bytes that are unlikely to be read soon.
     */
    default void writeThrough(long position, List<ByteBuffer> bytes) throws IOException {
        write(position, bytes);
    }

    /** Reads until the target is full or the file ends; returns the number of bytes. */
    int read(long position, ByteBuffer target) throws IOException;

    /** Returns once the written bytes are on the disk. */
    void sync() throws IOException;

    /** Like {@link #sync}, for files whose sync leaves bytes in memory, though in that of several machines. */
    default void syncToDisk() throws IOException {}

    long size() throws IOException;

    void truncate(long length) throws IOException;

    /** Returns whether the file has lost replicas, and should be followed by a new one although it is not full. */
    default boolean isDegraded() {
        return false;
    }

    /** Closes the file after a failure, without waiting for bytes that cannot be written. */
    default void abandon() throws IOException {
        close();
    }

    @Override
    void close() throws IOException;
}

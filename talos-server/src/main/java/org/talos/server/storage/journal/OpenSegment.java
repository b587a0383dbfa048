// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;

/** A segment that this server writes. Thread-safe, except for its writer. */
public interface OpenSegment {
    /** Returns the segment's one writer. */
    SegmentWriter writer();

    /** Returns the journal from which its appends are acknowledged; empty if there is none. */
    Optional<Journal> journal();

    /** Returns the bytes for a {@link SegmentCopier} to copy; empty if the segment is written without a journal. */
    Optional<JournaledSegment> journaled();

    /** Reads acknowledged bytes; returns their number. */
    int read(long position, ByteBuffer target) throws IOException;

    /** Refuses further appends; those in flight continue to their end. */
    void fence();

    /** Waits for appends in flight. */
    void awaitSettled() throws InterruptedException;

    /** Returns whether another server has fenced the journal behind the segment: then only its files count. */
    boolean isLost();

    /**
     * Writes all acknowledged bytes of a fenced and settled segment to its files, from which they are read from now on;
     * returns their number. May be repeated.
     */
    long finish() throws IOException, StorageException;

    /** Forgets the bytes of a fenced and settled segment that are only in memory. */
    void drop() throws IOException;

    /** Releases the resources of a finished segment, once it has no readers through this any more. */
    void close() throws IOException;

    /** Seals a segment when its writer requests it. */
    @FunctionalInterface
    interface Sealing {
        /** Writes a fenced segment to its files; returns its final length in bytes. Blocks. */
        long seal(OpenSegment segment) throws StorageException;
    }
}

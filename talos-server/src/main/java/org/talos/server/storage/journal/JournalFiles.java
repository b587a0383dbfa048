// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Creates and deletes the files of one journal, on a disk or in HDFS. Thread-safe. */
public interface JournalFiles {
    /** Returns whether each batch must be synced before it is acknowledged. */
    boolean synced();

    /** Returns whether synced bytes survive a power failure: otherwise they may be in the memory of machines only. */
    boolean survivesPowerFailures();

    /**
     * Returns whether a write usually takes microseconds, since it ends in the memory of this machine: then the thread
     * with bytes to write does it.
     */
    default boolean isImmediate() {
        return false;
    }

    /**
     * Creates a file that has only a header.
     *
     * @throws JournalFencedException another server has fenced the journal: it gets no further file
     */
    StoredFile begin(long number, ByteBuffer header) throws IOException;

    /** Returns whether another server has fenced the journal; called after a failure. May block. */
    default boolean isTaken() {
        return false;
    }

    /**
     * Deletes a file, or keeps it for another number. Durable once this returns: no crash may leave a gap in the
     * journal.
     *
     * @param sound nothing failed while it was written
     */
    void end(long number, boolean sound) throws IOException;
}

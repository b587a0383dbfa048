// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The files of one journal, wherever they are. Thread-safe. */
public interface JournalFiles {
    /** Whether each batch is to be synced before it is acknowledged. */
    boolean synced();

    /**
     * A file with nothing but a header.
     *
     * @throws JournalFencedException somebody has taken the journal over: it gets no further file
     */
    StoredFile begin(long number, ByteBuffer header) throws IOException;

    /** Whether somebody else has taken the journal over, asked after a failure. May block. */
    default boolean isTaken() {
        return false;
    }

    /**
     * Lets go of a file, for good once this returns: no crash may leave a gap in the journal.
     *
     * @param sound nothing failed while it was written
     */
    void end(long number, boolean sound) throws IOException;
}

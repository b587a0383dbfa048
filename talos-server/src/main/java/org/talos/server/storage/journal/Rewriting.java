// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;

/** Creates another file for a segment whose own cannot be written or synced. Thread-safe. */
@FunctionalInterface
public interface Rewriting {
    /** A failed sync is final. */
    Rewriting NONE = (failed, synced, length) -> {
        throw new IOException("an earlier sync failed");
    };

    /**
     * Creates a file with the segment's bytes up to a length, on the disk, to replace the one that failed.
     *
     * @param failed the file; stays open
     * @param synced position up to which the failed file's bytes are on the disk; the journal has all bytes behind it
     */
    StoredFile rewrite(StoredFile failed, long synced, long length) throws IOException;
}

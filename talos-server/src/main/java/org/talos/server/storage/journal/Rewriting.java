// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.io.IOException;

/** Makes another file for a segment whose own cannot be written or synced. Thread-safe. */
@FunctionalInterface
public interface Rewriting {
    /** A failed sync is final. */
    Rewriting NONE = (failed, synced, length) -> {
        throw new IOException("an earlier sync failed");
    };

    /**
     * Makes a file that has the segment's bytes up to a length, on the disk, in place of the one that failed.
     *
     * @param failed the file; stays open
     * @param synced up to here the failed file's bytes are on the disk; from here on the journal has them all
     */
    StoredFile rewrite(StoredFile failed, long synced, long length) throws IOException;
}

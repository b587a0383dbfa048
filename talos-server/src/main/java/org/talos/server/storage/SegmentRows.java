// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

/** The metadata's view of segments, asked while a journal is replayed. Confined: the opening thread. */
@FunctionalInterface
public interface SegmentRows {
    /** The rows of a store without known rows: a segment that is missing was deleted. */
    SegmentRows NONE = name -> false;

    /**
     * Returns whether a segment's file was made and not deleted since, so that it has to be there. Blocks.
     *
     * @throws StorageException UNAVAILABLE: the rows cannot be read
     */
    boolean haveMade(SegmentName name) throws StorageException;
}

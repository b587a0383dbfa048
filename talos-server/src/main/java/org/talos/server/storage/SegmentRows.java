// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

/** The metadata's view of segments, queried while a journal is replayed. Confined: the opening thread. */
@FunctionalInterface
public interface SegmentRows {
    /** The rows of a store without known rows: a missing segment was deleted. */
    SegmentRows NONE = name -> false;

    /**
     * Returns whether a segment's file was created and not deleted since, so that it must exist. Blocks.
     *
     * @throws StorageException UNAVAILABLE: the rows cannot be read
     */
    boolean haveMade(SegmentName name) throws StorageException;
}

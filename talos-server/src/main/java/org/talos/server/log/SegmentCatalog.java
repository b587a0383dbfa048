// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.List;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;

/**
 * Which segments make up the log: the partition's row in the metadata, under the owner's epoch. Each change is one
 * atomic step that fails once another owner has taken over.
 *
 * <p>Thread-safe. Every change may block.
 */
public interface SegmentCatalog {
    /**
     * A segment as the catalog has it.
     *
     * @param sealed whether the rest is known
     * @param endOffset offset after its last message
     * @param bytes its length
     * @param lastAppendTimestamp ms since 1970
     */
    record Known(SegmentName name, boolean sealed, long endOffset, long bytes, long lastAppendTimestamp) {}

    /** The owner's epoch. */
    long epoch();

    /** Oldest offset that can be read. */
    long startOffset();

    /** In the order of their offsets. */
    List<Known> segments();

    /** Adds a segment that is about to be made. */
    void add(SegmentName name) throws StorageException;

    /** Notes that a segment is sealed, and its length. */
    void seal(Known sealed) throws StorageException;

    /** Removes a segment that is about to be deleted; the log begins at an offset from now on. */
    void remove(SegmentName name, long startOffset) throws StorageException;

    /** Notes that the owner writes no more, and that everything is sealed: the next owner need not fence it. */
    void release() throws StorageException;
}

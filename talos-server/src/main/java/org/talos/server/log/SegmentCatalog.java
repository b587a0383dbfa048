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

    /** A segment is about to be made. */
    void add(SegmentName name) throws StorageException;

    /** A segment is finished. */
    void seal(Known sealed) throws StorageException;

    /** A segment is about to be deleted, and the log begins here from now on. */
    void remove(SegmentName name, long startOffset) throws StorageException;

    /** The owner writes nothing any more, and everything is sealed: the next one need not fence it. */
    void release() throws StorageException;
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.List;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;

/**
 * The segments that make up the log: the partition's row in the metadata, under the owner's epoch. Each change is one
 * atomic step that fails once another owner has taken over.
 *
 * <p>Thread-safe. Every change may block.
 */
public interface SegmentCatalog {
    /** The progress of a segment's owner. */
    enum State {
        /** The segment is about to be created: its file may exist, and nothing in it was acknowledged. */
        PLANNED,
        /** Its file was created, and exists as long as the catalog has the segment. */
        MADE,
        /** Its file is whole: the rest is known. */
        SEALED,
        /** Not sealed; an older version did not note whether its file was created. */
        OPEN
    }

    /**
     * A segment as the catalog has it.
     *
     * @param endOffset offset after its last message, once it is sealed
     * @param bytes its length, once it is sealed
     * @param lastAppendTimestamp ms since 1970, once it is sealed
     */
    record Known(SegmentName name, State state, long endOffset, long bytes, long lastAppendTimestamp) {
        /** Returns a segment that is not sealed. */
        public static Known unsealed(SegmentName name, State state) {
            return new Known(name, state, name.baseOffset(), 0, 0);
        }

        /** Returns a segment that is sealed. */
        public static Known sealed(SegmentName name, long endOffset, long bytes, long lastAppendTimestamp) {
            return new Known(name, State.SEALED, endOffset, bytes, lastAppendTimestamp);
        }

        /**
         * Offsets that may have been assigned to lost messages, and are assigned to no others: a segment without a
         * byte, and without a file.
         *
         * @param name its base offset is the first of them
         * @param endOffset one past the last of them
         * @param lastAppendTimestamp of the message before them, ms since 1970
         */
        public static Known gap(SegmentName name, long endOffset, long lastAppendTimestamp) {
            return sealed(name, endOffset, 0, lastAppendTimestamp);
        }

        /** Returns whether it is a {@link #gap}. */
        public boolean isGap() {
            return sealed() && bytes == 0 && endOffset > name.baseOffset();
        }

        /** Returns whether the rest is known. */
        public boolean sealed() {
            return state == State.SEALED;
        }
    }

    /** Returns the owner's epoch. */
    long epoch();

    /** Returns the begin of the first segment, or of the next one if there is none. */
    long startOffset();

    /** Returns the oldest readable offset: the messages before it in the first segments are deleted. */
    long readableFrom();

    /** Returns the segments in the order of their offsets. */
    List<Known> segments();

    /** Adds a segment that is about to be created. */
    void add(SegmentName name) throws StorageException;

    /**
     * Notes that the file of an added segment was created. The segment may be appended to only after that: until then,
     * a new owner may treat it as one that never existed.
     *
     * @throws StorageException FENCED: another owner has followed, and the segment is not added
     */
    void made(SegmentName name) throws StorageException;

    /** Notes that a segment is sealed, and its length. */
    void seal(Known sealed) throws StorageException;

    /** Adds a {@link Known#gap} at the log's end; the log continues behind it. */
    void addGap(Known gap) throws StorageException;

    /**
     * Returns whether there is nothing left to do for a segment of this owner, since another owner has sealed or
     * dropped it, or its log was deleted. Reads the row again, and may block.
     */
    boolean isOver(SegmentName name) throws StorageException;

    /** Removes a segment that is about to be deleted, and sets the begin of the log. */
    void remove(SegmentName name, long startOffset) throws StorageException;

    /** Notes that the messages before an offset are deleted; they may be so already. */
    void readFrom(long offset) throws StorageException;
}

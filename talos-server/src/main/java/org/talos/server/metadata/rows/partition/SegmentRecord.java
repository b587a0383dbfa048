// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.partition;

/**
 * A segment in its partition's row; a segment file without such a record is garbage.
 *
 * <p>Immutable.
 *
 * @param state how far its owner has come with it
 * @param endOffset one past its last message; 0 until sealed
 * @param bytes length; 0 until sealed
 * @param lastAppendTimestamp ms since 1970; 0 until sealed
 */
public record SegmentRecord(
        long baseOffset, long epoch, State state, long endOffset, long bytes, long lastAppendTimestamp) {
    /** How far the owner of a segment has come with it. */
    public enum State {
        /** It is about to be made: its file may be there, and nothing of it was acknowledged. */
        PLANNED,
        /** Its file was made, and is there as long as this record is. */
        MADE,
        /** Its file is whole and takes nothing more. */
        SEALED,
        /** Written by an older version, which did not say whether the file was made: it is not sealed. */
        OPEN
    }

    public SegmentRecord {
        if (baseOffset < 0 || epoch < 0 || bytes < 0 || (state == State.SEALED && endOffset < baseOffset)) {
            throw new IllegalArgumentException("segment: " + baseOffset + " to " + endOffset + ", epoch " + epoch + ", "
                    + bytes + " bytes (expected: none below 0, the end not below the base)");
        }
    }

    /** Returns whether nothing more comes into it. */
    public boolean sealed() {
        return state == State.SEALED;
    }

    /** Returns whether it stands for offsets that no message has: a segment without a byte, and without a file. */
    public boolean marksGap() {
        return sealed() && bytes == 0 && endOffset > baseOffset;
    }

    /** Returns whether its file is there, and whole. */
    public boolean hasWholeFile() {
        return sealed() && !marksGap();
    }

    /** A segment that is about to be made. */
    public static SegmentRecord planned(long baseOffset, long epoch) {
        return new SegmentRecord(baseOffset, epoch, State.PLANNED, 0, 0, 0);
    }

    /** This segment, whose file is there from now on. */
    public SegmentRecord made() {
        return new SegmentRecord(baseOffset, epoch, State.MADE, 0, 0, 0);
    }

    /** This segment, sealed. */
    public SegmentRecord seal(long end, long length, long lastAppend) {
        return new SegmentRecord(baseOffset, epoch, State.SEALED, end, length, lastAppend);
    }
}

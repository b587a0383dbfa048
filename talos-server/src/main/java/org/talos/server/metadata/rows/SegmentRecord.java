// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

/**
 * A segment in its partition's row; a segment file without such a record is garbage.
 *
 * <p>Immutable.
 *
 * @param endOffset one past its last message; 0 until sealed
 * @param bytes length; 0 until sealed
 * @param lastAppendTimestamp ms since 1970; 0 until sealed
 */
public record SegmentRecord(
        long baseOffset, long epoch, boolean sealed, long endOffset, long bytes, long lastAppendTimestamp) {
    public SegmentRecord {
        if (baseOffset < 0 || epoch < 0 || bytes < 0 || (sealed && endOffset < baseOffset)) {
            throw new IllegalArgumentException("segment: " + baseOffset + " to " + endOffset + ", epoch " + epoch + ", "
                    + bytes + " bytes (expected: none below 0, the end not below the base)");
        }
    }

    /** An active segment. */
    public static SegmentRecord active(long baseOffset, long epoch) {
        return new SegmentRecord(baseOffset, epoch, false, 0, 0, 0);
    }

    /** This segment, sealed. */
    public SegmentRecord seal(long end, long length, long lastAppend) {
        return new SegmentRecord(baseOffset, epoch, true, end, length, lastAppend);
    }
}

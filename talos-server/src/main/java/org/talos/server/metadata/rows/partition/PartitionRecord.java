// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.partition;

import java.util.List;

/**
 * A partition's row: its owner's epoch, its segments, and the readable part of them. One row, so that all change
 * together.
 *
 * <p>Immutable.
 *
 * @param epoch of the latest ownership, 0 before the first
 * @param owner id of the owning process, as hex digits; empty if not known
 * @param startOffset where the first segment begins
 * @param readableFrom first offset that can still be read; the messages before it in the first segments are deleted
 * @param segments in order of their offsets
 */
public record PartitionRecord(
        long epoch, String owner, long startOffset, long readableFrom, List<SegmentRecord> segments) {
    public PartitionRecord {
        segments = List.copyOf(segments);
        if (epoch < 0 || startOffset < 0 || readableFrom < startOffset) {
            throw new IllegalArgumentException("epoch: " + epoch + ", startOffset: " + startOffset + ", readableFrom: "
                    + readableFrom + " (expected: 0 or more, readableFrom not below startOffset)");
        }
    }

    /** A partition of which every segment can be read from its beginning. */
    public PartitionRecord(long epoch, String owner, long startOffset, List<SegmentRecord> segments) {
        this(epoch, owner, startOffset, startOffset, segments);
    }

    /** This partition under another epoch and owner. */
    public PartitionRecord ownedBy(long nextEpoch, String nextOwner) {
        return new PartitionRecord(nextEpoch, nextOwner, startOffset, readableFrom, segments);
    }

    /** This partition with other segments, which begin at an offset. */
    public PartitionRecord with(long start, List<SegmentRecord> others) {
        return new PartitionRecord(epoch, owner, start, Math.max(start, readableFrom), others);
    }

    /** This partition without the messages before an offset. */
    public PartitionRecord from(long offset) {
        return new PartitionRecord(epoch, owner, startOffset, Math.max(offset, readableFrom), segments);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.partition;

import java.util.List;

/**
 * A partition's row: its owner's epoch and its segments. One row, so that both change together.
 *
 * <p>Immutable.
 *
 * @param epoch of the latest ownership, 0 before the first
 * @param owner id of the owning process, as hex digits; empty if not known
 * @param startOffset first offset that can still be read
 * @param segments in order of their offsets
 */
public record PartitionRecord(long epoch, String owner, long startOffset, List<SegmentRecord> segments) {
    public PartitionRecord {
        segments = List.copyOf(segments);
        if (epoch < 0 || startOffset < 0) {
            throw new IllegalArgumentException(
                    "epoch: " + epoch + ", startOffset: " + startOffset + " (expected: 0 or more)");
        }
    }
}

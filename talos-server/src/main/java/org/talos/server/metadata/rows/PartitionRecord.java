// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.List;

/**
 * A partition as it is stored: who may write it, and of which segments it is made. One row, so that both change
 * together.
 *
 * <p>Immutable.
 *
 * @param epoch number of the last ownership, 0 before the first
 * @param owner number of the process that took it, as hex digits; empty if that is not known
 * @param startOffset first offset that can still be read
 * @param segments in the order of their offsets
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

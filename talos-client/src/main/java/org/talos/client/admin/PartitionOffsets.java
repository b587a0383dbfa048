// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * The range of offsets of a partition. Immutable.
 *
 * @param start offset of the oldest message
 * @param endExclusive one past the offset of the newest message: the {@code end} of {@link PartitionSize} and of
 *     {@link GroupDescription.Partition}. The same as {@code start} if there are no messages
 */
public record PartitionOffsets(int partition, long start, long endExclusive) {
    /** Returns the number of messages in the partition. */
    public long messages() {
        return endExclusive - start;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * The range of offsets of a partition. Immutable.
 *
 * @param start offset of the oldest message
 * @param end offset of the last message; start − 1 if there is none
 */
public record PartitionOffsets(int partition, long start, long end) {
    /** Number of messages in the partition. */
    public long messages() {
        return end - start + 1;
    }
}

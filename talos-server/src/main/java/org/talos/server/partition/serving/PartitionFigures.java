// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

/**
 * The size of a partition, and the number of messages and bytes ever put to it. Immutable.
 *
 * @param durableEnd one past the last acknowledged message
 */
public record PartitionFigures(
        long startOffset, long durableEnd, long messages, long bytes, long totalMessages, long totalBytes) {
    /** An empty partition. */
    public static final PartitionFigures NOTHING = new PartitionFigures(0, 0, 0, 0, 0, 0);
}

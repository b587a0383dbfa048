// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

/**
 * How much is in a partition, and how much ever was. Immutable.
 *
 * @param durableEnd one past the last acknowledged message
 */
public record PartitionFigures(
        long startOffset, long durableEnd, long messages, long bytes, long totalMessages, long totalBytes) {
    public static final PartitionFigures NOTHING = new PartitionFigures(0, 0, 0, 0, 0, 0);
}

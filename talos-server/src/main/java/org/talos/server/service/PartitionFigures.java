// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

/**
 * How much is in a partition, and how much ever was. Immutable.
 *
 * @param durableEnd one past the last acknowledged message
 */
record PartitionFigures(
        long startOffset, long durableEnd, long messages, long bytes, long totalMessages, long totalBytes) {
    static final PartitionFigures NOTHING = new PartitionFigures(0, 0, 0, 0, 0, 0);
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * The size of a partition. Immutable.
 *
 * @param start offset of the oldest message
 * @param end one past the offset of the newest message
 * @param messages how many there are
 * @param bytes what they take as they are stored
 */
public record PartitionSize(int partition, long start, long end, long messages, long bytes) {}

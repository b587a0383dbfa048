// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * The size of a partition. Immutable.
 *
 * @param start offset of the oldest message
 * @param end one past the offset of the newest message
 * @param messages number of stored messages
 * @param bytes stored size of the messages
 */
public record PartitionSize(int partition, long start, long end, long messages, long bytes) {}

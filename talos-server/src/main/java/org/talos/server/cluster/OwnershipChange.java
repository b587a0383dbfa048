// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

/**
 * A partition that this server has just gained or lost.
 *
 * <p>Immutable.
 *
 * @param owned true: open it; false: stop serving it
 * @param handedOver only with {@code owned}: the previous owner is alive and about to close the partition; opening it
 *     at once would fence that server needlessly
 */
public record OwnershipChange(String topicId, int partition, boolean owned, boolean handedOver) {}

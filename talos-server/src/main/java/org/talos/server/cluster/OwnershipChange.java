// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

/**
 * A partition that this server has just gained or lost. Whether another process still has a gained one is in its row.
 *
 * <p>Immutable.
 *
 * @param owned true: open it; false: stop serving it
 */
public record OwnershipChange(String topicId, int partition, boolean owned) {}

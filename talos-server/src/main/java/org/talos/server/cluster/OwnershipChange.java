// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

/**
 * A partition that this server has just got, or has just lost.
 *
 * <p>Immutable.
 *
 * @param owned true: open it; false: stop serving it
 * @param handedOver only with {@code owned}: its owner before lives and is about to give it up; who takes it at once
 *     fences that server for nothing
 */
public record OwnershipChange(String topicId, int partition, boolean owned, boolean handedOver) {}

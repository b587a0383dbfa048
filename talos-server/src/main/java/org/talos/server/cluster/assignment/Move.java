// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import org.talos.server.cluster.PartitionId;

/**
 * A partition that goes from one server to another. Immutable.
 *
 * @param from its owner; empty if it has none
 */
public record Move(PartitionId partition, String from, String to) {}

// SPDX-License-Identifier: Apache-2.0
/**
 * Requests about a partition, wherever it is served: {@link org.talos.server.partition.serving.PartitionRequests} is
 * the seam, {@link org.talos.server.partition.serving.LocalPartitions} answers for this server by the pools of the
 * executor, {@link org.talos.server.partition.serving.PartitionRoutes} finds the server to ask.
 */
@NullMarked
package org.talos.server.partition.serving;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Requests between servers: a server that does not serve a request's partition forwards it. {@code client} implements
 * {@link org.talos.server.partition.serving.PartitionRequests} for other servers, {@code server} answers with this
 * server's partitions, and {@code wire} has the format.
 */
@NullMarked
package org.talos.server.transfer;

import org.jspecify.annotations.NullMarked;

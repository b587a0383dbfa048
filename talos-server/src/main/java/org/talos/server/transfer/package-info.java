// SPDX-License-Identifier: Apache-2.0
/**
 * Requests between servers, for those that reach a server which does not serve their partition. {@code client}
 * implements {@link org.talos.server.partition.serving.PartitionRequests} for other servers, {@code server} answers
 * them from this server's, {@code wire} is what both send.
 */
@NullMarked
package org.talos.server.transfer;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import org.talos.server.log.BlockLimits;

/**
 * A read of one partition. Immutable.
 *
 * @param offset or one of the protocol's two special ones
 * @param minBytes less than that is worth waiting for more
 * @param waitNanos longest that it waits; part of the time until the deadline
 */
public record ReadRequest(long offset, BlockLimits limits, long minBytes, long waitNanos) {}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

/**
 * Where a partition begins and ends. Immutable.
 *
 * @param first offset of the oldest message that there is
 * @param next one past the newest one
 */
public record PartitionEnds(long first, long next) {
    /** The ends of a partition without a server, or whose server is silent. */
    public static final PartitionEnds NOT_SERVED = new PartitionEnds(-1, -1);

    /** Returns whether it has a server that has answered. */
    public boolean isServed() {
        return first >= 0;
    }
}

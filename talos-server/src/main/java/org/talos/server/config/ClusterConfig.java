// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;
import static org.talos.server.config.Checks.matches;

import java.time.Duration;

/**
 * Membership in a cluster: {@code cluster}. Immutable.
 *
 * @param coordination decides which server serves which partition
 * @param serverId this server's id, the same after a restart; empty: its advertised address
 * @param delayRemoved time for which the partitions of an absent server wait for it
 * @param maxClockDifference how far a server's clock may be from ZooKeeper's at its start
 */
public record ClusterConfig(
        CoordinationBy coordination, String serverId, Duration delayRemoved, Duration maxClockDifference) {
    private static final String NAME = "([A-Za-z0-9][A-Za-z0-9._:\\[\\]-]{0,127})?";

    /** Checks every bound. */
    public ClusterConfig {
        matches("cluster.serverId", serverId, NAME, "letters, digits and ._:-, at most 128");
        inRange("cluster.delayRemoved", delayRemoved, Duration.ZERO, Duration.ofHours(1));
        inRange("cluster.maxClockDifference", maxClockDifference, Duration.ofSeconds(1), Duration.ofDays(1));
    }

    /** The authority that decides which server serves which partition: {@code cluster.coordination}. */
    public enum CoordinationBy {
        /** This server serves all partitions. */
        SINGLE,
        /** A ZooKeeper that all servers share. */
        ZOOKEEPER
    }
}

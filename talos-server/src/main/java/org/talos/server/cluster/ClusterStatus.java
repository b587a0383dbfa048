// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.util.List;
import java.util.Optional;

/**
 * The cluster as an operator sees it. Immutable.
 *
 * @param leader id of the leading server, empty while there is none
 * @param servers that are registered, own a partition, or are drained; ordered by id
 * @param withoutServer number of partitions without an owner, or whose owner is away; partitions that are being opened
 *     do not count
 * @param events the latest, oldest first
 */
public record ClusterStatus(String leader, List<Server> servers, long withoutServer, List<ClusterEvent> events) {
    /** Copies the lists. */
    public ClusterStatus {
        servers = List.copyOf(servers);
        events = List.copyOf(events);
    }

    /** A server's state. */
    public enum State {
        /** Serves its partitions. */
        SERVING,
        /** Is about to stop, or has stopped: its partitions wait for it. */
        DELAY_REMOVED,
        /** Gives its partitions to others, or has none left, and gets no new ones. */
        DRAINED
    }

    /**
     * A server. Immutable.
     *
     * @param clientAddress empty while it is away
     * @param partitions number of partitions that it owns
     * @param health as it said last; empty while it is away, and until it says so
     */
    public record Server(
            String id, State state, String clientAddress, long partitions, Optional<ServerHealth> health) {}
}

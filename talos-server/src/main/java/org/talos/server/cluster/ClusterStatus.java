// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.util.List;
import java.util.Optional;

/**
 * The cluster as an operator sees it. Immutable.
 *
 * @param leader id of the leading server, empty while there is none
 * @param servers that are registered, own a partition, or are drained; ordered by id
 * @param withoutServer how many partitions have no owner, or one that is away; not those that one opens
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
        /** Serves what it owns. */
        SERVING,
        /** Is about to stop, or has stopped: its partitions wait for it. */
        DELAY_REMOVED,
        /** Gives up what it owns, or owns nothing any more, and gets nothing. */
        DRAINED
    }

    /**
     * A server. Immutable.
     *
     * @param clientAddress empty while it is away
     * @param partitions how many it owns
     * @param health as it said last; empty while it is away, and until it says so
     */
    public record Server(
            String id, State state, String clientAddress, long partitions, Optional<ServerHealth> health) {}
}

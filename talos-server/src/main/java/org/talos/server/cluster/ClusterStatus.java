// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.util.List;

/**
 * The cluster as an operator sees it. Immutable.
 *
 * @param leader its server's id, empty while there is none
 * @param servers that live, own something, or are drained; by id
 * @param events the last ones, oldest first
 */
public record ClusterStatus(String leader, List<Server> servers, List<ClusterEvent> events) {
    /** Takes copies. */
    public ClusterStatus {
        servers = List.copyOf(servers);
        events = List.copyOf(events);
    }

    /** What a server is at. */
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
     * @param partitions that it owns
     */
    public record Server(String id, State state, String clientAddress, long partitions) {}
}

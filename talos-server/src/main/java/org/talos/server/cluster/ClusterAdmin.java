// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.io.IOException;

/**
 * Operators' requests to a cluster. Each call blocks until the request is stored, not until the leader has carried it
 * out. Throws {@link IllegalArgumentException} with the reason if a request is not valid.
 *
 * <p>Thread-safe.
 */
public interface ClusterAdmin {
    /** Servers, leader and latest events. */
    ClusterStatus status() throws IOException;

    /** Moves one partition to one server. A later rebalancing may move it again. */
    void move(String topicId, int partition, String serverId) throws IOException;

    /** Levels the load of all servers, by measured traffic. */
    void rebalance() throws IOException;

    /** Moves all partitions off a server, a few at a time. It gets none until {@link #resume}, even after a restart. */
    void drain(String serverId) throws IOException;

    /** Lets a drained server have partitions again. */
    void resume(String serverId) throws IOException;
}

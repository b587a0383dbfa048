// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.io.IOException;

/**
 * What operators ask of a cluster. Each call blocks until the wish is kept safely, not until it is fulfilled: the
 * leader does that, whoever it is by then. {@link IllegalArgumentException} says what is wrong with a wish.
 *
 * <p>Thread-safe.
 */
public interface ClusterAdmin {
    /** Servers, leader, and what happened last. */
    ClusterStatus status() throws IOException;

    /** Gives one partition to one server. A later levelling may move it again. */
    void move(String topicId, int partition, String serverId) throws IOException;

    /** Levels the load of all servers, by measured traffic. */
    void rebalance() throws IOException;

    /**
     * Takes everything from a server, a few partitions at a time. It gets nothing until {@link #resume}, restarted or
     * not.
     */
    void drain(String serverId) throws IOException;

    /** Lets a drained server have partitions again. */
    void resume(String serverId) throws IOException;
}

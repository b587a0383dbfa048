// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

/** The folders of nodes that every server watches. */
enum NodeKind {
    /** Registered servers, ephemeral. */
    SERVER("servers"),
    /** Owners of each topic's partitions. */
    TOPIC("topics"),
    /** Servers that are drained. */
    DRAIN("drains"),
    /** Tasks for the leader, which deletes completed ones. */
    TASK("tasks"),
    /** A node for each server, which writes it after it has changed rows. */
    ROWS("rows"),
    /** A node for each server: the partitions that it has released lately. */
    RELEASED("released"),
    /** A node for each server: how it is. */
    HEALTH("health");

    private final String folder;

    NodeKind(String folder) {
        this.folder = folder;
    }

    String folder() {
        return folder;
    }
}

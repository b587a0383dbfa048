// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

/** Folders of nodes that every server watches. */
enum NodeKind {
    /** Servers that live: ephemeral. */
    SERVER("servers"),
    /** Owners of each topic's partitions. */
    TOPIC("topics"),
    /** Servers that are to own nothing. */
    DRAIN("drains"),
    /** What the leader is asked to do; it deletes what is done. */
    TASK("tasks"),
    /** A node for each server, changed when it has changed rows. */
    ROWS("rows");

    private final String folder;

    NodeKind(String folder) {
        this.folder = folder;
    }

    String folder() {
        return folder;
    }
}

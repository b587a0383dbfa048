// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import org.apache.zookeeper.data.Stat;

/** A node's content and its status in ZooKeeper. Immutable, provided that its bytes are not written to. */
final class NodeData {
    private final byte[] data;
    private final Stat stat;

    NodeData(byte[] data, Stat stat) {
        this.data = data;
        this.stat = stat;
    }

    byte[] data() {
        return data;
    }

    Stat stat() {
        return stat;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;

/**
 * What the leader is asked to do. Immutable.
 *
 * @param topicId empty if it is about none
 * @param number of partitions of a topic, 0 if it is gone; for a move the partition
 * @param server for a move where to
 * @param version of the node
 */
record Task(Kind kind, String topicId, int number, String server, int version) {
    enum Kind {
        /** A topic has so many partitions. */
        TOPIC,
        /** One partition is to go to one server. */
        MOVE,
        /** Load is to be levelled. */
        REBALANCE
    }

    /** As it stands in its node. Immutable. */
    private record Form(Kind kind, String topicId, int number, String server) {}

    static Task topic(String topicId, int partitions) {
        return new Task(Kind.TOPIC, topicId, partitions, "", 0);
    }

    static Task move(String topicId, int partition, String server) {
        return new Task(Kind.MOVE, topicId, partition, server, 0);
    }

    static Task rebalance() {
        return new Task(Kind.REBALANCE, "", 0, "", 0);
    }

    byte[] encode() {
        return NodeFormat.encode(new Form(kind, topicId, number, server));
    }

    static Task decode(String path, NodeData node) throws IOException {
        Form form = NodeFormat.decode(path, node.data(), Form.class);
        return new Task(
                form.kind, form.topicId, form.number, form.server, node.stat().getVersion());
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import org.talos.server.cluster.PartitionId;
import org.talos.server.cluster.assignment.Move;

/**
 * A task for the leader. Immutable.
 *
 * @param topicId empty for {@link Kind#REBALANCE}
 * @param number the topic's partitions, 0 if it is deleted; for a move the partition
 * @param server for a move the new owner, else empty
 * @param name of the node; empty before there is one
 * @param version of the node
 */
record LeaderTask(Kind kind, String topicId, int number, String server, String name, int version) {
    enum Kind {
        /** A topic was created, grown or deleted. */
        TOPIC,
        /** Move one partition to one server. */
        MOVE,
        /** Level the load of all servers. */
        REBALANCE
    }

    /** The node's JSON form. Immutable. */
    private record Form(Kind kind, String topicId, int number, String server) {}

    static LeaderTask topic(String topicId, int partitions) {
        return new LeaderTask(Kind.TOPIC, topicId, partitions, "", "", 0);
    }

    static LeaderTask move(String topicId, int partition, String server) {
        return new LeaderTask(Kind.MOVE, topicId, partition, server, "", 0);
    }

    /** Returns the move that a {@link Kind#MOVE} asks for, from the present owner. */
    static Move move(LeaderTask task, String from) {
        return new Move(new PartitionId(task.topicId, task.number), from, task.server);
    }

    static LeaderTask rebalance() {
        return new LeaderTask(Kind.REBALANCE, "", 0, "", "", 0);
    }

    byte[] encode() {
        return NodeFormat.encode(new Form(kind, topicId, number, server));
    }

    static LeaderTask decode(String path, NodeData node) throws IOException {
        Form form = NodeFormat.decode(path, node.data(), Form.class);
        return new LeaderTask(
                form.kind,
                form.topicId,
                form.number,
                form.server,
                ClusterView.name(path),
                node.stat().getVersion());
    }
}

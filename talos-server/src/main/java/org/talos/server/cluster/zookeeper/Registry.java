// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.util.Arrays;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.ClusterMember;

/**
 * Registers this server's node. The process that starts last under an id takes the node over: the other is most likely
 * its predecessor, killed a moment ago, whose session has not expired yet. A process that finds its node taken stops
 * for good, so that two servers configured with one id do not take it from each other forever.
 *
 * <p>The node is gone once the later process has ended. So each process writes its name to a node that stays before it
 * registers: one that finds another name there stops, too. What it knows of its partitions is old, as the later process
 * may have written to them, although their owner's id is the same.
 *
 * <p>Confined: the cluster-work thread.
 */
final class Registry {
    private static final Logger LOG = LoggerFactory.getLogger(Registry.class);
    private static final int ATTEMPTS = 5;

    private final Nodes nodes;
    private final ClusterMember self;
    private final String path;
    private final String latestPath;
    private final String process;
    private boolean announced; // as the latest process of its id

    /** Content of the node that names the process which began last to register. Immutable. */
    record Latest(String process) {}

    /** @param process names this process, and no other: as the rows of partitions that it owns do */
    Registry(Nodes nodes, ClusterMember self, String process) {
        this.nodes = nodes;
        this.self = self;
        this.process = process;
        path = nodes.path(NodeKind.SERVER, self.id());
        latestPath = nodes.processes() + "/" + self.id();
    }

    /** Creates the node; false if a process that started later has the id, or had it. */
    boolean register(long session) throws KeeperException, InterruptedException {
        if (!announced || nodes.read(latestPath) == null) { // or somebody has deleted all nodes
            nodes.put(latestPath, latest());
            announced = true;
        }
        return take(session) && isLatest();
    }

    /** Makes the node that of this session; false if a process that started later has it. */
    private boolean take(long session) throws KeeperException, InterruptedException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (nodes.create(path, form(false), CreateMode.EPHEMERAL) != null) {
                return true;
            }
            NodeData found = nodes.read(path);
            if (found == null) {
                continue; // its session has just expired
            }
            Stat stat = found.stat();
            boolean own = isOwn(found.data());
            if (own && stat.getEphemeralOwner() == session) {
                return true;
            }
            if (!own && !isLatest()) {
                return false;
            }
            LOG.info(
                    "taking over this server's node from an earlier session path={} session=0x{}",
                    path,
                    Long.toHexString(stat.getEphemeralOwner()));
            nodes.delete(path, stat.getVersion());
        }
        throw new KeeperException.NodeExistsException(path);
    }

    /** Marks the node as leaving: others send this server no further requests. */
    void announceStop() throws KeeperException, InterruptedException {
        NodeData found = nodes.read(path);
        if (found != null && isOwn(found.data())) {
            nodes.write(path, form(true), found.stat().getVersion());
        }
    }

    /**
     * Returns whether no later process has announced itself under this id. A process writes its name before its node,
     * and within a session ZooKeeper never answers with an older state than before.
     */
    private boolean isLatest() throws KeeperException, InterruptedException {
        NodeData found = nodes.read(latestPath);
        return found != null && Arrays.equals(found.data(), latest());
    }

    private byte[] latest() {
        return NodeFormat.encode(new Latest(process));
    }

    /** Returns whether the content was written by this process. */
    private boolean isOwn(byte[] data) {
        if (Arrays.equals(data, form(false))) {
            return true;
        }
        try {
            return NodeFormat.decode(path, data, Registration.class).process().equals(process);
        } catch (IOException e) {
            LOG.warn("this server's node cannot be read error={}", e.getMessage());
            return false;
        }
    }

    private byte[] form(boolean leaving) {
        return NodeFormat.encode(new Registration(process, leaving, self.clientAddress(), self.transferAddress()));
    }
}

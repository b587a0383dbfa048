// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.util.Arrays;
import java.util.UUID;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.ClusterMember;

/**
 * This server's own node. Whoever starts last under a name has it: one process was most likely the one before, killed a
 * moment ago, whose session ZooKeeper still waits for. The other one finds out and gives up for good, so that two
 * servers with one name by mistake don't take it from each other for ever.
 *
 * <p>Confined: the thread for calls that block.
 */
final class Registry {
    private static final Logger LOG = LoggerFactory.getLogger(Registry.class);
    private static final int ATTEMPTS = 5;

    private final Nodes nodes;
    private final ClusterMember self;
    private final String path;
    private final String process = UUID.randomUUID().toString();
    private boolean registeredBefore;

    Registry(Nodes nodes, ClusterMember self) {
        this.nodes = nodes;
        this.self = self;
        path = nodes.path(NodeKind.SERVER, self.id());
    }

    /** False if another process has the name, which started later than this one. */
    boolean register(long session) throws KeeperException, InterruptedException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (nodes.create(path, form(false), CreateMode.EPHEMERAL) != null) {
                registeredBefore = true;
                return true;
            }
            NodeData found = nodes.read(path);
            if (found == null) {
                continue; // its session has ended just now
            }
            Stat stat = found.stat();
            boolean own = isOwn(found.data());
            if (own && stat.getEphemeralOwner() == session) {
                registeredBefore = true;
                return true;
            }
            if (!own && registeredBefore) {
                return false;
            }
            LOG.info(
                    "takes its name from a session before path={} session=0x{}",
                    path,
                    Long.toHexString(stat.getEphemeralOwner()));
            nodes.delete(path, stat.getVersion());
        }
        throw new KeeperException.NodeExistsException(path);
    }

    /** From now on nobody asks this server for anything. */
    void announceStop() throws KeeperException, InterruptedException {
        NodeData found = nodes.read(path);
        if (found != null && isOwn(found.data())) {
            nodes.write(path, form(true), found.stat().getVersion());
        }
    }

    /** Whether a node of this server's name is of this process. */
    private boolean isOwn(byte[] data) {
        if (Arrays.equals(data, form(false))) {
            return true;
        }
        try {
            return NodeFormat.decode(path, data, Registration.class).process().equals(process);
        } catch (IOException e) {
            LOG.warn("node of this server's name not understood error={}", e.getMessage());
            return false;
        }
    }

    private byte[] form(boolean leaving) {
        return NodeFormat.encode(new Registration(process, leaving, self.clientAddress(), self.transferAddress()));
    }
}

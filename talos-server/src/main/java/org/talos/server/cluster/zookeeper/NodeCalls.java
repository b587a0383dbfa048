// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * The calls to ZooKeeper that {@link Nodes} is made of. The seam to it: a simulation has nodes in memory.
 *
 * <p>Thread-safe. Every call blocks; one that fails for the connection may have been done.
 */
interface NodeCalls {
    /** Creates the node, and the folders above it, if it does not exist. */
    void ensure(String path) throws KeeperException, InterruptedException;

    /** @throws KeeperException.NodeExistsException it exists */
    Stat create(String path, byte[] data, CreateMode mode) throws KeeperException, InterruptedException;

    /** @throws KeeperException.NoNodeException there is none */
    NodeData read(String path) throws KeeperException, InterruptedException;

    /** Names of the nodes below this one. */
    List<String> names(String folder) throws KeeperException, InterruptedException;

    /**
     * @param version the version that the node must have
     * @throws KeeperException.BadVersionException it has another
     * @throws KeeperException.NoNodeException there is none
     */
    Stat write(String path, byte[] data, int version) throws KeeperException, InterruptedException;

    /** Writes all of them or none, with one call; throws what the first that can't be written throws alone. */
    List<Stat> writeAll(List<Nodes.Write> writes) throws KeeperException, InterruptedException;

    /** Creates or overwrites the node. */
    Stat put(String path, byte[] data) throws KeeperException, InterruptedException;

    /**
     * @param version the version that the node must have; -1: any
     * @throws KeeperException.BadVersionException it has another
     * @throws KeeperException.NoNodeException there is none
     */
    void delete(String path, int version) throws KeeperException, InterruptedException;
}

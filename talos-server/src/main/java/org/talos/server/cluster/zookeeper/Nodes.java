// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The paths of all nodes under the root, and blocking calls on them: docs/formats/cluster.md.
 *
 * <p>Thread-safe.
 */
final class Nodes {
    /** Parent of all nodes that every server watches. */
    private static final String CLUSTER = "/cluster";

    private final ZooKeeperLink link;
    private final String root;

    Nodes(ZooKeeperLink link, String root) {
        this.link = link;
        this.root = root;
    }

    String cluster() {
        return root + CLUSTER;
    }

    String folder(NodeKind kind) {
        return cluster() + "/" + kind.folder();
    }

    String path(NodeKind kind, String name) {
        return folder(kind) + "/" + name;
    }

    String leader() {
        return cluster() + "/leader";
    }

    String events() {
        return root + "/events";
    }

    String clocks() {
        return root + "/clocks";
    }

    String traffic() {
        return root + "/traffic";
    }

    /** Creates the missing folders. */
    void prepare() throws KeeperException, InterruptedException {
        ensure(events());
        ensure(traffic());
        ensure(clocks());
        for (NodeKind kind : NodeKind.values()) {
            ensure(folder(kind));
        }
    }

    private void ensure(String path) throws KeeperException, InterruptedException {
        if (link.exists(path)) {
            return;
        }
        try {
            link.createWithParents(path);
        } catch (KeeperException.NodeExistsException e) {
            // Another server was faster.
            return;
        }
    }

    /** Creates the node; null if it exists. */
    @Nullable
    Stat create(String path, byte[] data, CreateMode mode) throws KeeperException, InterruptedException {
        try {
            return link.create(path, data, mode);
        } catch (KeeperException.NodeExistsException e) {
            return null;
        }
    }

    /** Reads the node; null if there is none. */
    @Nullable
    NodeData read(String path) throws KeeperException, InterruptedException {
        try {
            return link.read(path);
        } catch (KeeperException.NoNodeException e) {
            return null;
        }
    }

    List<String> names(String folder) throws KeeperException, InterruptedException {
        return link.names(folder);
    }

    /** Writes the node if it has that version; null if it has another, or is gone. */
    @Nullable
    Stat write(String path, byte[] data, int version) throws KeeperException, InterruptedException {
        try {
            return link.write(path, data, version);
        } catch (KeeperException.BadVersionException | KeeperException.NoNodeException e) {
            return null;
        }
    }

    /** Creates or overwrites the node. */
    void put(String path, byte[] data) throws KeeperException, InterruptedException {
        var unused = link.put(path, data);
    }

    /** Creates the node or writes it again, empty, and returns its new status. */
    Stat touch(String path) throws KeeperException, InterruptedException {
        return link.put(path, new byte[0]);
    }

    /** Deletes the node if it has that version (-1: any) or is gone; false if it has another. */
    boolean delete(String path, int version) throws KeeperException, InterruptedException {
        try {
            link.delete(path, version);
            return true;
        } catch (KeeperException.NoNodeException e) {
            return true;
        } catch (KeeperException.BadVersionException e) {
            return false;
        }
    }
}

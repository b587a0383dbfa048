// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.List;
import java.util.concurrent.Callable;
import org.apache.curator.framework.CuratorFramework;
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

    private final CuratorFramework client;
    private final String root;

    Nodes(CuratorFramework client, String root) {
        this.client = client;
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
        if (call(() -> client.checkExists().forPath(path)) != null) {
            return;
        }
        try {
            // Not containers, which ZooKeeper removes when they are empty.
            call(() -> client.create().creatingParentsIfNeeded().forPath(path, new byte[0]));
        } catch (KeeperException.NodeExistsException e) {
            // Another server was faster.
            return;
        }
    }

    /** Creates the node; null if it exists. */
    @Nullable
    Stat create(String path, byte[] data, CreateMode mode) throws KeeperException, InterruptedException {
        Stat stat = new Stat();
        try {
            call(() -> client.create().storingStatIn(stat).withMode(mode).forPath(path, data));
            return stat;
        } catch (KeeperException.NodeExistsException e) {
            return null;
        }
    }

    /** Reads the node; null if there is none. */
    @Nullable
    NodeData read(String path) throws KeeperException, InterruptedException {
        Stat stat = new Stat();
        try {
            return new NodeData(call(() -> client.getData().storingStatIn(stat).forPath(path)), stat);
        } catch (KeeperException.NoNodeException e) {
            return null;
        }
    }

    List<String> names(String folder) throws KeeperException, InterruptedException {
        return call(() -> client.getChildren().forPath(folder));
    }

    /** Writes the node if it has that version; null if it has another, or is gone. */
    @Nullable
    Stat write(String path, byte[] data, int version) throws KeeperException, InterruptedException {
        try {
            return call(() -> client.setData().withVersion(version).forPath(path, data));
        } catch (KeeperException.BadVersionException | KeeperException.NoNodeException e) {
            return null;
        }
    }

    /** Creates or overwrites the node. */
    void put(String path, byte[] data) throws KeeperException, InterruptedException {
        call(() -> client.create().orSetData().forPath(path, data));
    }

    /** Creates the node or writes it again, empty, and returns its new status. */
    Stat touch(String path) throws KeeperException, InterruptedException {
        Stat stat = new Stat();
        call(() -> client.create().orSetData().storingStatIn(stat).forPath(path, new byte[0]));
        return stat;
    }

    /** Deletes the node if it has that version (-1: any) or is gone; false if it has another. */
    boolean delete(String path, int version) throws KeeperException, InterruptedException {
        try {
            call(() -> client.delete().withVersion(version).forPath(path));
            return true;
        } catch (KeeperException.NoNodeException e) {
            return true;
        } catch (KeeperException.BadVersionException e) {
            return false;
        }
    }

    /** Curator declares Exception; it throws only these. */
    private static <T> T call(Callable<T> call) throws KeeperException, InterruptedException {
        try {
            return call.call();
        } catch (KeeperException | InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("ZooKeeper's client failed in an unknown way: " + e.getMessage(), e);
        }
    }
}

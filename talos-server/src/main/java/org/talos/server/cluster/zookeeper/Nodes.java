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
    /** Most writes of one transaction, and most of their bytes: ZooKeeper refuses a request of 1 MiB. */
    private static final int BATCH_WRITES = 64;

    private static final int BATCH_BYTES = 256 * 1024;

    private final Calls calls;
    private final String root;

    Nodes(Calls calls, String root) {
        this.calls = calls;
        this.root = root;
    }

    /**
     * The calls to ZooKeeper that nodes are read and written with. The seam to it: a simulation has nodes in memory.
     *
     * <p>Thread-safe. Every call blocks; one that fails for the connection may have been done.
     */
    interface Calls {
        /** Returns whether there is such a node. */
        boolean exists(String path) throws KeeperException, InterruptedException;

        /**
         * Creates an empty node that stays, and the folders above it.
         *
         * @throws KeeperException.NodeExistsException it exists
         */
        void createWithParents(String path) throws KeeperException, InterruptedException;

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

        /**
         * Writes all of the nodes or none, with one call. Throws the same exception as the first node that cannot be
         * written would alone.
         */
        List<Stat> writeAll(List<Write> writes) throws KeeperException, InterruptedException;

        /** Creates or overwrites the node. */
        Stat put(String path, byte[] data) throws KeeperException, InterruptedException;

        /**
         * @param version the version that the node must have; -1: any
         * @throws KeeperException.BadVersionException it has another
         * @throws KeeperException.NoNodeException there is none
         */
        void delete(String path, int version) throws KeeperException, InterruptedException;
    }

    String root() {
        return root;
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

    String processes() {
        return root + "/processes";
    }

    String traffic() {
        return root + "/traffic";
    }

    /** Creates the missing folders. */
    void prepare() throws KeeperException, InterruptedException {
        ensure(events());
        ensure(traffic());
        ensure(clocks());
        ensure(processes());
        for (NodeKind kind : NodeKind.values()) {
            ensure(folder(kind));
        }
    }

    private void ensure(String path) throws KeeperException, InterruptedException {
        if (calls.exists(path)) {
            return;
        }
        try {
            calls.createWithParents(path);
        } catch (KeeperException.NodeExistsException e) {
            // Another server was faster.
            return;
        }
    }

    /** Creates the node; null if it exists. */
    @Nullable
    Stat create(String path, byte[] data, CreateMode mode) throws KeeperException, InterruptedException {
        try {
            return calls.create(path, data, mode);
        } catch (KeeperException.NodeExistsException e) {
            return null;
        }
    }

    /** Reads the node; null if there is none. */
    @Nullable
    NodeData read(String path) throws KeeperException, InterruptedException {
        try {
            return calls.read(path);
        } catch (KeeperException.NoNodeException e) {
            return null;
        }
    }

    List<String> names(String folder) throws KeeperException, InterruptedException {
        return calls.names(folder);
    }

    /** Writes the node if it has that version; null if it has another, or is gone. */
    @Nullable
    Stat write(String path, byte[] data, int version) throws KeeperException, InterruptedException {
        try {
            return calls.write(path, data, version);
        } catch (KeeperException.BadVersionException | KeeperException.NoNodeException e) {
            return null;
        }
    }

    /** A node to write if it has the given version. Immutable, provided that its bytes are not written to. */
    static final class Write {
        private final String path;
        private final byte[] data;
        private final int version;

        Write(String path, byte[] data, int version) {
            this.path = path;
            this.data = data;
            this.version = version;
        }

        String path() {
            return path;
        }

        byte[] data() {
            return data;
        }

        int version() {
            return version;
        }
    }

    /** Receives the outcome of a write. */
    @FunctionalInterface
    interface Written {
        /** @param stat the node's new status; null if it was not written, since it has another version or is gone */
        void accept(Write write, @Nullable Stat stat);
    }

    /**
     * Like {@link #write(String, byte[], int)}, for many nodes with few calls: several are written together, and each
     * alone where one of them has changed.
     */
    void write(List<Write> writes, Written written) throws KeeperException, InterruptedException {
        int begin = 0;
        while (begin < writes.size()) {
            int end = begin;
            int bytes = 0;
            while (end < writes.size()
                    && (end == begin
                            || (end - begin < BATCH_WRITES && bytes + writes.get(end).data.length <= BATCH_BYTES))) {
                bytes += writes.get(end).data.length;
                end++;
            }
            writeTogether(writes.subList(begin, end), written);
            begin = end;
        }
    }

    private void writeTogether(List<Write> batch, Written written) throws KeeperException, InterruptedException {
        List<Stat> done = batch.size() == 1 ? List.of() : writeAll(batch);
        for (int at = 0; at < batch.size(); at++) {
            Write each = batch.get(at);
            written.accept(each, done.isEmpty() ? write(each.path, each.data, each.version) : done.get(at));
        }
    }

    /** Writes all or none: an empty list. */
    private List<Stat> writeAll(List<Write> batch) throws KeeperException, InterruptedException {
        try {
            return calls.writeAll(batch);
        } catch (KeeperException.BadVersionException | KeeperException.NoNodeException e) {
            return List.of();
        }
    }

    /** Creates or overwrites the node. */
    void put(String path, byte[] data) throws KeeperException, InterruptedException {
        calls.put(path, data);
    }

    /** Creates the node or writes it again, empty, and returns its new status. */
    Stat touch(String path) throws KeeperException, InterruptedException {
        return calls.put(path, new byte[0]);
    }

    /** Deletes the node if it has that version (-1: any) or is gone; false if it has another. */
    boolean delete(String path, int version) throws KeeperException, InterruptedException {
        try {
            calls.delete(path, version);
            return true;
        } catch (KeeperException.NoNodeException e) {
            return true;
        } catch (KeeperException.BadVersionException e) {
            return false;
        }
    }
}

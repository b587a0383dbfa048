// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A client of ZooKeeper, as much of it as the coordinator uses. It keeps a session, and begins another when one has
 * expired. The seam to a simulated ZooKeeper.
 *
 * <p>Calls block until ZooKeeper has answered, those named {@code …Later} never; a call that fails for another reason
 * than its node's state may have taken effect all the same, and may still do so while its session lives.
 *
 * <p>Thread-safe.
 */
interface ZooKeeperLink extends Nodes.Calls, AutoCloseable {
    /**
     * Connects. The listener is called for each change of the connection, and must not block.
     *
     * @param refused called when ZooKeeper does not accept this client's credentials: {@link #beginAnew} tries again
     */
    void start(Consumer<ConnectionState> listener, Runnable refused);

    /** Gives up the present session and its connection, and begins another: after credentials were refused. */
    void beginAnew();

    /** Gives a node that was made otherwise, and all below it, the access list that new nodes get: once. */
    void protect(String path) throws KeeperException, InterruptedException;

    /** Returns whether there is a connection now. */
    boolean isConnected();

    /** A session: its id, and the time without a heartbeat after which it expires. Immutable. */
    record Session(long id, int timeoutMillis) {}

    /** The present session. */
    Session session() throws KeeperException;

    /**
     * Asks for a node's status; the answer is a code of {@link KeeperException.Code} and the status, if there is one.
     */
    void existsLater(String path, ObjIntConsumer<@Nullable Stat> answer);

    /** Creates or overwrites a node; the answer is a code of {@link KeeperException.Code}. */
    void putLater(String path, byte[] data, IntConsumer answer);

    /** Watches all nodes below a path, once it is started. */
    Watch watch(String path, Watcher watcher);

    /** Ends the session, which deletes its ephemeral nodes. */
    @Override
    void close();

    /** Is notified of nodes. Its methods must not block. */
    interface Watcher {
        /** A node was found, changed, or is gone: then {@code now} is null. */
        void changed(@Nullable ChildData before, @Nullable ChildData now);

        /** All nodes that there were when the watch was started have been found. */
        void initialized();

        /** Nodes could not be read: some changes may stay unknown. */
        void failed(Exception error);
    }

    /** A watch. Thread-safe. */
    interface Watch extends AutoCloseable {
        void start();

        /** Paths of the nodes that are known now. */
        Set<String> paths();

        @Override
        void close();
    }
}

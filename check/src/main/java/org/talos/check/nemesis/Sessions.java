// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * Ends a server's session with ZooKeeper without the server, as ZooKeeper does when heartbeats are missing for too
 * long: a second client takes the session over and closes it.
 *
 * <p>Confined: the main thread.
 */
final class Sessions {
    private static final String SERVERS = "/talos/cluster/servers/";
    private static final int TIMEOUT_MILLIS = 6_000;
    private static final long CONNECTED_SECONDS = 10;
    /** ZooKeeper's seed for session passwords, which are derived from it and the session's id. */
    private static final long PASSWORD_OF = 0xB3415C00L;

    private static final int PASSWORD_BYTES = 16;
    private static final long NONE = 0;

    private final String zooKeeper;

    /** @param zooKeeper where its clients connect to */
    Sessions(String zooKeeper) {
        this.zooKeeper = zooKeeper;
    }

    /** Ends the server's session and returns once it has ended; at once if the server has none. */
    void end(String server) throws IOException, InterruptedException {
        ZooKeeper own = connected(NONE, new byte[PASSWORD_BYTES]);
        try {
            long session = session(own, server);
            if (session != NONE) {
                connected(session, password(session)).close();
            }
            if (session != NONE && session(own, server) == session) {
                throw new IOException("the session of " + server + " continues though it was closed");
            }
        } catch (KeeperException e) {
            throw new IOException("ZooKeeper does not tell the session of " + server + ": " + e.getMessage(), e);
        } finally {
            own.close();
        }
    }

    /** Returns the session now: one of several servers may be behind the one that led when the session was closed. */
    private static long session(ZooKeeper client, String server)
            throws IOException, KeeperException, InterruptedException {
        CountDownLatch synced = new CountDownLatch(1);
        client.sync(SERVERS + server, (code, path, context) -> synced.countDown(), null);
        if (!synced.await(CONNECTED_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("ZooKeeper does not answer");
        }
        Stat node = client.exists(SERVERS + server, false);
        return node == null ? NONE : node.getEphemeralOwner();
    }

    private static byte[] password(long session) {
        byte[] password = new byte[PASSWORD_BYTES];
        new Random(session ^ PASSWORD_OF).nextBytes(password);
        return password;
    }

    /** Opens a new session, or takes over the given one. */
    private ZooKeeper connected(long session, byte[] password) throws IOException, InterruptedException {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(
                zooKeeper,
                TIMEOUT_MILLIS,
                event -> {
                    if (event.getState() == KeeperState.SyncConnected || event.getState() == KeeperState.Expired) {
                        connected.countDown(); // of a session that has just ended there is nothing to end
                    }
                },
                session,
                password);
        if (!connected.await(CONNECTED_SECONDS, TimeUnit.SECONDS)) {
            client.close();
            throw new IOException("ZooKeeper does not answer at " + zooKeeper);
        }
        return client;
    }
}

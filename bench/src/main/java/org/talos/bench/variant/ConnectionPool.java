// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.variant;

import java.io.IOException;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.talos.server.transfer.client.ClientConnection;
import org.talos.server.transfer.client.ServerConnections;

/** Connections to one server, each used by one request at a time, and checked before it is used again. Thread-safe. */
final class ConnectionPool {
    private final ServerConnections connections;
    private final Semaphore free;
    private final Deque<ClientConnection> idle =
            new ConcurrentLinkedDeque<>(); // last used first, so that few are kept busy

    ConnectionPool(ServerConnections connections, int most) {
        this.connections = connections;
        free = new Semaphore(most);
    }

    /**
     * Takes an idle connection, or opens one; waits at most so long for one of the pool's to be free. The caller ends
     * its use with {@link #giveBack} or {@link #drop}.
     *
     * @throws IOException none was free in time, or none could be opened
     */
    ClientConnection take(long mostNanos) throws IOException, InterruptedException {
        if (!free.tryAcquire(Math.max(0, mostNanos), TimeUnit.NANOSECONDS)) {
            throw new IOException("no connection was free in time");
        }
        boolean taken = false;
        try {
            ClientConnection connection = idleOne();
            if (connection == null) {
                connection = connections.connect();
            }
            taken = true;
            return connection;
        } finally {
            if (!taken) {
                free.release();
            }
        }
    }

    private @Nullable ClientConnection idleOne() {
        for (ClientConnection each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
            if (!each.isStale()) {
                return each;
            }
            connections.end(each);
        }
        return null;
    }

    /** Returns whether the pool has an idle connection. */
    boolean hasIdle() {
        return !idle.isEmpty();
    }

    /** Returns a connection for the next request. */
    void giveBack(ClientConnection connection) {
        idle.addFirst(connection);
        free.release();
    }

    /** Closes a connection that cannot be used again. */
    void drop(ClientConnection connection) {
        connections.end(connection);
        free.release();
    }
}

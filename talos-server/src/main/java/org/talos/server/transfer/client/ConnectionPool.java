// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.io.IOException;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections to one server, each used by one request at a time.
 *
 * <p>An idle connection is checked before it is used again. So a restart of the other server is noticed before a put is
 * written to it, and not after, when the put's effect would be unknown.
 *
 * <p>Thread-safe.
 */
final class ConnectionPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionPool.class);

    private final String server;
    private final Breaker breaker;
    private final Connector connector;
    private final Semaphore free;
    private final Deque<ClientConnection> idle =
            new ConcurrentLinkedDeque<>(); // last used first, so that few are kept busy
    private final Set<ClientConnection> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    ConnectionPool(String server, int most, Breaker breaker, Connector connector) {
        this.server = server;
        this.breaker = breaker;
        this.connector = connector;
        free = new Semaphore(most);
    }

    /** Opens a connection. */
    interface Connector {
        ClientConnection connect() throws IOException;
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
                connection = connect();
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
            end(each);
        }
        return null;
    }

    /** Opens a connection that does not count among the pool's; the caller {@link #end}s it. */
    ClientConnection connect() throws IOException {
        if (closed || !breaker.tryConnect()) {
            throw new IOException("the server cannot be reached");
        }
        try {
            ClientConnection connection = connector.connect();
            if (breaker.succeeded()) {
                LOG.info("server reached again server={}", server);
            }
            open.add(connection);
            if (closed) {
                end(connection);
                throw new IOException("closed");
            }
            return connection;
        } catch (IOException e) {
            if (breaker.failed()) {
                LOG.warn("server unreachable, requests to it fail fast server={} reason={}", server, e.toString());
            }
            throw e;
        }
    }

    /** Returns whether the pool has an idle connection. */
    boolean hasIdle() {
        return !idle.isEmpty();
    }

    /** Returns a connection for the next request. */
    void giveBack(ClientConnection connection) {
        idle.addFirst(connection);
        if (closed) {
            end(connection);
        }
        free.release();
    }

    /** Closes a connection that cannot be used again. */
    void drop(ClientConnection connection) {
        end(connection);
        free.release();
    }

    /** Closes a connection that was opened by {@link #connect}. */
    void end(ClientConnection connection) {
        connection.close();
        open.remove(connection);
    }

    /** Closes idle connections that the other side has ended. Does not block. */
    void sweep() {
        for (int left = idle.size(); left > 0; left--) {
            ClientConnection each = idle.pollLast(); // no other thread has it now
            if (each == null) {
                return;
            }
            if (each.isStale()) {
                end(each);
            } else {
                idle.addFirst(each);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        open.forEach(this::end);
        idle.clear();
    }
}

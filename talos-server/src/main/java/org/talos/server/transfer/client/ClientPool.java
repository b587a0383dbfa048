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
 * Connections to one server, each used by one request at a time. Thread-safe.
 *
 * <p>One that has been idle is looked at before it is used: that the other server was restarted is noticed before a put
 * is written to it, not after, when nobody could say what became of the put.
 */
final class ClientPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClientPool.class);

    private final String server;
    private final Breaker breaker;
    private final Connector connector;
    private final Semaphore free;
    private final Deque<Client> idle = new ConcurrentLinkedDeque<>(); // the last used first: few stay warm
    private final Set<Client> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    ClientPool(String server, int most, Breaker breaker, Connector connector) {
        this.server = server;
        this.breaker = breaker;
        this.connector = connector;
        free = new Semaphore(most);
    }

    /** Makes connections. */
    interface Connector {
        Client connect() throws IOException;
    }

    /**
     * A connection, waited for at most so long; to be given {@link #back} or {@link #drop}ped.
     *
     * @throws IOException there is none to be had
     */
    Client take(long mostNanos) throws IOException, InterruptedException {
        if (!free.tryAcquire(Math.max(0, mostNanos), TimeUnit.NANOSECONDS)) {
            throw new IOException("no connection was free in time");
        }
        boolean taken = false;
        try {
            Client client = idleOne();
            if (client == null) {
                client = connect();
            }
            taken = true;
            return client;
        } finally {
            if (!taken) {
                free.release();
            }
        }
    }

    private @Nullable Client idleOne() {
        for (Client each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
            if (!each.isSpent()) {
                return each;
            }
            end(each);
        }
        return null;
    }

    /** A connection beyond those of the pool: it is the caller's, who {@link #end}s it. */
    Client connect() throws IOException {
        if (closed || !breaker.tryConnect()) {
            throw new IOException("the server can't be reached");
        }
        try {
            Client client = connector.connect();
            if (breaker.succeeded()) {
                LOG.info("server reached again server={}", server);
            }
            open.add(client);
            if (closed) {
                end(client);
                throw new IOException("closed");
            }
            return client;
        } catch (IOException e) {
            if (breaker.failed()) {
                LOG.warn(
                        "server can't be reached, requests to it fail at once server={} reason={}",
                        server,
                        e.toString());
            }
            throw e;
        }
    }

    /** Whether a connection is there that nobody uses. */
    boolean hasIdle() {
        return !idle.isEmpty();
    }

    /** It may serve another request. */
    void back(Client client) {
        idle.addFirst(client);
        if (closed) {
            end(client);
        }
        free.release();
    }

    /** Nobody may use it again. */
    void drop(Client client) {
        end(client);
        free.release();
    }

    void end(Client client) {
        client.close();
        open.remove(client);
    }

    /** Lets go of idle connections that the other side has ended. Does not block. */
    void sweep() {
        for (int left = idle.size(); left > 0; left--) {
            Client each = idle.pollLast(); // nobody else has it now
            if (each == null) {
                return;
            }
            if (each.isSpent()) {
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

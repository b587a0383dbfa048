// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections to one server, within the pauses of its circuit breaker, and closes them.
 *
 * <p>Thread-safe.
 */
public final class ServerConnections implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerConnections.class);

    private final String server;
    private final Breaker breaker;
    private final Connector connector;
    private final Set<ClientConnection> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    ServerConnections(String server, Breaker breaker, Connector connector) {
        this.server = server;
        this.breaker = breaker;
        this.connector = connector;
    }

    /** Opens a connection. */
    interface Connector {
        ClientConnection connect() throws IOException;
    }

    /**
     * Opens a connection; the caller {@link #end}s it. Blocks.
     *
     * @throws IOException the server cannot be reached, or the breaker pauses
     */
    public ClientConnection connect() throws IOException {
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

    /** Closes a connection that was opened here. May be called twice. */
    public void end(ClientConnection connection) {
        connection.close();
        open.remove(connection);
    }

    /** Closes all connections, and opens no further one. */
    @Override
    public void close() {
        closed = true;
        open.forEach(this::end);
    }
}

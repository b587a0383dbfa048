// SPDX-License-Identifier: Apache-2.0
package org.talos.server.frontend;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * A unit of a server that serves clients by one protocol. It gets everything that it needs from a
 * {@link FrontEndContext}. The server starts it once, and closes it once, whether or not the start succeeded.
 *
 * <p>A stop has three steps. {@link #endStreams} comes first. Then the server answers all requests that wait for
 * messages. {@link #close} comes last.
 *
 * <p>Thread-safe.
 */
public interface FrontEnd extends AutoCloseable {
    /** Returns the name of its section of the configuration and in the log. */
    String name();

    /**
     * Begins to listen. Clients are served before this returns.
     *
     * @throws IOException an address is in use, or a file cannot be read
     */
    void start() throws IOException;

    /**
     * Returns the addresses that it listens on, of a started front end; at least one. The first is its main address.
     */
    List<Address> addresses();

    /** Returns why it will never serve all connections again; empty while it does. Does not block. */
    Optional<String> failure();

    /**
     * Asks clients that hold a request without an end to continue at other servers: an operator drains this server, so
     * its partitions move. Everything is served as before. Does not block. May be called again, and before the start.
     */
    default void drain() {
        // A front end without such requests has nothing to move.
    }

    /**
     * Ends the requests without an end, which would keep it from stopping: the first step of a stop. Other requests are
     * answered as before. Does not block.
     */
    default void endStreams() {
        // A front end without such requests has nothing to end.
    }

    /** Stops to listen, answers the requests in flight within the grace period, and releases everything. */
    @Override
    void close();

    /**
     * An address that a front end listens on. Immutable.
     *
     * @param scheme of a URI, such as {@code https}
     * @param host as it is configured
     */
    record Address(String scheme, String host, int port) {}
}

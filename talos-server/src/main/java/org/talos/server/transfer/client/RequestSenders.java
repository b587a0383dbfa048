// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import org.talos.server.config.TransferConfig;

/**
 * Sends requests to other servers: gives each server threads, and a channel for the requests that do not wait for
 * messages. A server runs with {@link OneConnection}; measurements compare others with it.
 *
 * <p>Thread-safe.
 */
public interface RequestSenders extends AutoCloseable {
    /** Returns the senders of a server, with one connection to each other server. */
    static RequestSenders oneConnection(TransferConfig config) {
        return new OneConnection(config.queuePerHost());
    }

    /** Returns the threads for one server's requests. After {@link #close}, they refuse all requests. */
    SenderThreads threadsFor(String server);

    /**
     * Returns the channel for one server's requests that do not wait for messages.
     *
     * @param connections to this server, closed by the caller
     */
    RequestChannel channelTo(String server, ServerConnections connections, TransferParts parts);

    /** Refuses further requests; queued ones still run. May be called twice. */
    @Override
    void close();
}

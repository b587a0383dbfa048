// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import org.talos.server.config.TransferConfig;

/** Threads that send requests to other servers: the only place that knows {@code transfer.pools}. Thread-safe. */
interface SenderPools extends AutoCloseable {
    /** The threads for one server's requests; after {@link #close} they refuse all. */
    SenderThreads threadsFor(String server);

    /** Most connections to one server, without the one of reads that wait. */
    int connectionsPerServer();

    /** Takes no request any more; those that are queued still run. May be called twice. */
    @Override
    void close();

    /** The pools that the configuration asks for. */
    static SenderPools of(TransferConfig config) {
        return switch (config.pools()) {
            case PER_HOST -> new PoolPerServer(config.threadsPerHost(), config);
            case MULTIPLEXED -> new PoolPerServer(1, config);
            case SHARED -> new SharedPool(config);
        };
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.talos.server.config.TransferConfig;
import org.talos.server.runtime.NamedThreads;

/** Threads that send requests to other servers: the only place that knows {@code transfer.pools}. Thread-safe. */
interface SenderPools extends AutoCloseable {
    int KEEP_IDLE_SECONDS = 60;

    /** The threads for one server's requests; after {@link #close} they refuse all. */
    ThreadPoolExecutor threadsFor(String server);

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

    /** A pool of so many threads with a bounded queue; idle threads end. */
    static ThreadPoolExecutor pool(String role, int threads, int queue) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                KEEP_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(queue),
                new NamedThreads(role));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}

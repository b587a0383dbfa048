// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import org.talos.server.config.TransferConfig;
import org.talos.server.runtime.NamedThreads;

/** Threads and a queue for each server, so that a slow one delays no requests to others. Thread-safe. */
final class PoolPerServer implements SenderPools {
    private final int threads;
    private final TransferConfig config;

    @GuardedBy("this")
    private final List<SenderThreads> pools = new ArrayList<>();

    @GuardedBy("this")
    private boolean closed;

    /** @param threads that send requests to one server */
    PoolPerServer(int threads, TransferConfig config) {
        this.threads = threads;
        this.config = config;
    }

    @Override
    public synchronized SenderThreads threadsFor(String server) {
        SenderThreads pool = new SenderThreads(new NamedThreads("transfer-" + server), threads, config.queuePerHost());
        pools.add(pool);
        if (closed) {
            pool.close();
        }
        return pool;
    }

    @Override
    public int connectionsPerServer() {
        return config.clientsPerHost();
    }

    @Override
    public synchronized void close() {
        closed = true;
        pools.forEach(SenderThreads::close);
    }
}

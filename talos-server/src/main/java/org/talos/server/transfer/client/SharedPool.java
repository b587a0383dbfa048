// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import org.talos.server.config.TransferConfig;
import org.talos.server.runtime.NamedThreads;

/**
 * One pool of threads and one queue for the requests to all servers, of the sizes of Talos 2.1.5. Kept for experiments
 * that compare it with {@link PoolPerServer}. Thread-safe.
 */
final class SharedPool implements SenderPools {
    private static final int THREADS = 200;
    private static final int CONNECTIONS_PER_SERVER = 100;

    private final SenderThreads pool;

    SharedPool(TransferConfig config) {
        pool = new SenderThreads(new NamedThreads("transfer"), THREADS, config.queuePerHost());
    }

    @Override
    public SenderThreads threadsFor(String server) {
        return pool;
    }

    @Override
    public int connectionsPerServer() {
        return CONNECTIONS_PER_SERVER;
    }

    @Override
    public void close() {
        pool.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.variant;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.transfer.client.RequestChannel;
import org.talos.server.transfer.client.RequestSenders;
import org.talos.server.transfer.client.SenderThreads;
import org.talos.server.transfer.client.ServerConnections;
import org.talos.server.transfer.client.TransferParts;

/** Gives each server a queue, threads, and connections, one of each for a request. Thread-safe. */
final class PoolPerServer implements RequestSenders {
    private static final int THREADS = 50;
    private static final int CONNECTIONS = 50;

    private final int queuePerServer;

    @GuardedBy("this")
    private final List<SenderThreads> pools = new ArrayList<>();

    @GuardedBy("this")
    private boolean closed;

    /** @param queuePerServer most requests to one server that wait for a thread */
    PoolPerServer(int queuePerServer) {
        this.queuePerServer = queuePerServer;
    }

    @Override
    public synchronized SenderThreads threadsFor(String server) {
        SenderThreads pool = new SenderThreads(new NamedThreads("transfer-" + server), THREADS, queuePerServer);
        pools.add(pool);
        if (closed) {
            pool.close();
        }
        return pool;
    }

    @Override
    public RequestChannel channelTo(String server, ServerConnections connections, TransferParts parts) {
        return new ConnectionEach(new ConnectionPool(connections, CONNECTIONS), parts);
    }

    @Override
    public synchronized void close() {
        closed = true;
        pools.forEach(SenderThreads::close);
    }
}

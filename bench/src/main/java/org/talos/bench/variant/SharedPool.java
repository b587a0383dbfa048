// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.variant;

import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.transfer.client.RequestChannel;
import org.talos.server.transfer.client.RequestSenders;
import org.talos.server.transfer.client.SenderThreads;
import org.talos.server.transfer.client.ServerConnections;
import org.talos.server.transfer.client.TransferParts;

/** One pool of threads and one queue for the requests to all servers, of the sizes of Talos 2.1.5. Thread-safe. */
final class SharedPool implements RequestSenders {
    private static final int THREADS = 200;
    private static final int CONNECTIONS_PER_SERVER = 100;

    private final SenderThreads pool;

    /** @param queue most requests that wait for a thread */
    SharedPool(int queue) {
        pool = new SenderThreads(new NamedThreads("transfer"), THREADS, queue);
    }

    @Override
    public SenderThreads threadsFor(String server) {
        return pool;
    }

    @Override
    public RequestChannel channelTo(String server, ServerConnections connections, TransferParts parts) {
        return new ConnectionEach(new ConnectionPool(connections, CONNECTIONS_PER_SERVER), parts);
    }

    @Override
    public void close() {
        pool.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import org.talos.server.runtime.thread.NamedThreads;

/**
 * Gives each server a queue, a thread that writes, and one connection on which requests are answered in any order. So a
 * slow server delays no requests to others.
 *
 * <p>Thread-safe.
 */
final class OneConnection implements RequestSenders {
    private final int queuePerServer;

    @GuardedBy("this")
    private final List<SenderThreads> threads = new ArrayList<>();

    @GuardedBy("this")
    private boolean closed;

    /** @param queuePerServer most requests to one server that wait to be sent */
    OneConnection(int queuePerServer) {
        this.queuePerServer = queuePerServer;
    }

    @Override
    public synchronized SenderThreads threadsFor(String server) {
        SenderThreads made = new SenderThreads(new NamedThreads("transfer-" + server), 1, queuePerServer);
        threads.add(made);
        if (closed) {
            made.close();
        }
        return made;
    }

    @Override
    public RequestChannel channelTo(String server, ServerConnections connections, TransferParts parts) {
        return new SharedRequests(connections, parts, new NamedThreads("transfer-answers-" + server));
    }

    @Override
    public synchronized void close() {
        closed = true;
        threads.forEach(SenderThreads::close);
    }
}

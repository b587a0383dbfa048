// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.runtime.MemoryBudget;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.Ticker;
import org.talos.server.transfer.wire.Frame;
import org.talos.thrift.ErrorCode;

/**
 * Requests that share one connection to a server, and are answered in any order, so that together they hold one thread,
 * however many there are: reads that wait for messages, or all where the configuration says so.
 *
 * <p>Thread-safe.
 */
final class SharedRequests implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SharedRequests.class);
    private static final String LOST = "the connection to the partition's server ended";

    private final ConnectionPool connections;
    private final int most;
    private final int maxFrameBytes;
    private final MemoryBudget memory;
    private final Ticker ticker;
    private final NamedThreads threads;

    @GuardedBy("this")
    private @Nullable SharedConnection current;

    SharedRequests(
            ConnectionPool connections,
            int most,
            int maxFrameBytes,
            MemoryBudget memory,
            Ticker ticker,
            NamedThreads threads) {
        this.connections = connections;
        this.most = most;
        this.maxFrameBytes = maxFrameBytes;
        this.memory = memory;
        this.ticker = ticker;
        this.threads = threads;
    }

    /** Sends a request; blocks while it connects and writes. */
    void send(PendingRequest<?> pending, RemoteHost.@Nullable Sent sent) throws IOException, TException {
        shared().send(pending, sent);
    }

    private synchronized SharedConnection shared() throws IOException {
        SharedConnection shared = current;
        if (shared == null || shared.ended) {
            shared = new SharedConnection(connections.connect());
            current = shared;
            threads.newThread(shared::receive).start();
        }
        return shared;
    }

    @Override
    public synchronized void close() {
        SharedConnection shared = current;
        if (shared != null) {
            connections.end(shared.connection);
        }
    }

    /** A connection with the requests that wait on it; one thread receives their answers. Thread-safe. */
    private final class SharedConnection {
        private final ClientConnection connection;
        private final Map<Long, PendingRequest<?>> waiting = new ConcurrentHashMap<>();
        private volatile boolean ended;

        SharedConnection(ClientConnection connection) {
            this.connection = connection;
        }

        void send(PendingRequest<?> pending, RemoteHost.@Nullable Sent sent) throws IOException, TException {
            if (waiting.size() >= most) {
                pending.failed(
                        ErrorCode.EXCESSIVE_PENDING_MESSAGE, "too many requests wait for the partition's server");
                return;
            }
            try {
                write(pending, sent);
            } catch (IOException e) {
                connections.end(connection); // a part of the request may be written
                throw e;
            }
            if (ended) { // its reader may have failed all before this one was added
                pending.failed(ErrorCode.PARTITION_NOT_SERVING, LOST);
            }
        }

        private synchronized void write(PendingRequest<?> pending, RemoteHost.@Nullable Sent sent)
                throws IOException, TException {
            long id = connection.nextId();
            ForwardContext context = pending.context();
            List<ByteBuffer> message =
                    pending.request().message(id, context.caller(), context.deadlineNanos() - ticker.nanos());
            if (pending.isTooLarge(message, maxFrameBytes)) {
                return;
            }
            if (!pending.beginWriting()) {
                return; // its deadline has passed, and nothing of it is in the connection
            }
            if (sent != null) {
                sent.by(connection.connectionId(), id);
            }
            waiting.put(id, pending);
            Writing writing = new Writing();
            pending.onAbandoned(() -> {
                waiting.remove(id);
                writing.endIfHanging();
            });
            if (pending.isOver()) { // its deadline passed before it could be told what to do then
                waiting.remove(id);
            }
            connection.send(id, message);
            writing.over();
        }

        /** A request that is being written, which hangs if the server reads nothing. Thread-safe. */
        private final class Writing {
            private boolean over;

            synchronized void over() {
                over = true;
            }

            /** Frees the thread that writes. What is written ends nothing: the connection belongs to all. */
            synchronized void endIfHanging() {
                if (!over) {
                    connection.close();
                }
            }
        }

        private void receive() {
            try {
                while (true) {
                    Frame frame = connection.receive();
                    try {
                        deliver(frame);
                    } finally {
                        memory.release(ClientConnection.reserved(frame.bytes()));
                    }
                }
            } catch (IOException e) {
                LOG.debug("shared connection ended", e); // each request fails, and its client gets that error
            } finally {
                ended = true;
                connections.end(connection);
                waiting.values().forEach(each -> each.failed(ErrorCode.PARTITION_NOT_SERVING, LOST));
                waiting.clear();
            }
        }

        private void deliver(Frame frame) throws IOException {
            PendingRequest<?> pending = waiting.remove(frame.id());
            if (pending != null) { // null: its deadline has passed
                var unused = RemoteHost.end(pending, frame);
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.transfer.wire.Frame;
import org.talos.thrift.ErrorCode;

/**
 * Requests that share one connection to a server, and are answered in any order, so that together they hold only one
 * thread.
 *
 * <p>After a network fault has ended, a connection may stay silent for a minute, because TCP retries less and less
 * often. So a connection that owes an answer past its deadline, and has been silent for a while, gets no more requests.
 * New requests use a new connection, and old ones are still answered if theirs recovers.
 *
 * <p>Thread-safe.
 */
final class SharedRequests implements RequestChannel {
    private static final Logger LOG = LoggerFactory.getLogger(SharedRequests.class);
    static final String TOO_MANY = "too many requests of this user, or of all, wait for the partition's server";
    private static final String LOST = "the connection to the partition's server ended";
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ServerConnections connections;
    private final TransferParts ofAll;
    private final Ticker ticker;
    private final ThreadFactory threads;
    private final RequestRoom room;

    private volatile @Nullable SharedConnection current; // replaced under the lock

    SharedRequests(ServerConnections connections, TransferParts ofAll, ThreadFactory threads) {
        this.connections = connections;
        this.ofAll = ofAll;
        ticker = ofAll.ticker();
        this.threads = threads;
        room = new RequestRoom(ofAll.mostInFlight());
    }

    /** Sends a request; blocks while it connects and writes. */
    @Override
    public void send(PendingRequest<?> pending, @Nullable Sent sent) throws IOException, TException {
        String user = pending.context().caller();
        if (!room.tryEnter(user)) {
            pending.failed(ErrorCode.EXCESSIVE_PENDING_MESSAGE, TOO_MANY);
            return;
        }
        var unused = pending.answer().whenComplete((result, error) -> room.leave(user));
        while (!shared().takes(pending, sent)) {
            LOG.debug("connection silent, request moved to another one");
        }
    }

    @Override
    public boolean isConnected() {
        SharedConnection shared = current;
        return shared != null && shared.isUsable();
    }

    private synchronized SharedConnection shared() throws IOException {
        SharedConnection shared = current;
        if (shared == null || !shared.isUsable()) {
            shared = new SharedConnection(connections.connect());
            begin(shared);
            current = shared; // last: on a connection without a receiver, requests would only end by their deadline
        }
        return shared;
    }

    private void begin(SharedConnection made) throws IOException {
        try {
            threads.newThread(made::receive).start();
        } catch (OutOfMemoryError e) {
            connections.end(made.connection);
            throw new IOException("no thread can be started that receives answers", e);
        }
    }

    /** A connection with the requests that wait on it; one thread receives their answers. Thread-safe. */
    private final class SharedConnection {
        private final ClientConnection connection;
        private final Map<Long, PendingRequest<?>> waiting = new ConcurrentHashMap<>();
        private volatile boolean ended;
        private volatile boolean retired; // gets no further requests
        private volatile long heardNanos; // when an answer last arrived, or none was owed

        SharedConnection(ClientConnection connection) {
            this.connection = connection;
        }

        boolean isUsable() {
            return !ended && !retired;
        }

        /** Sends a request; returns false if this connection was retired, and nothing of the request was sent. */
        boolean takes(PendingRequest<?> pending, @Nullable Sent sent) throws IOException, TException {
            try {
                if (!write(pending, sent)) {
                    return false;
                }
            } catch (IOException e) {
                connections.end(connection); // a part of the request may have been written
                throw e;
            }
            if (ended) { // its reader may have failed all before this one was added
                pending.failed(ErrorCode.PARTITION_NOT_SERVING, LOST);
            }
            return true;
        }

        private synchronized boolean write(PendingRequest<?> pending, @Nullable Sent sent)
                throws IOException, TException {
            if (pending.isLate(ticker.nanos())) { // while it waited for its turn or for a connection
                return true;
            }
            long id = connection.nextId();
            ForwardContext context = pending.context();
            List<ByteBuffer> message =
                    pending.request().message(id, context.caller(), context.deadlineNanos() - ticker.nanos());
            if (pending.isTooLarge(message, ofAll.maxFrameBytes())) {
                return true;
            }
            if (waiting.isEmpty()) {
                heardNanos = ticker.nanos();
            }
            waiting.put(id, pending);
            if (retired) { // checked after it was added: retiring checks in reverse order
                forget(id);
                return false;
            }
            Writing writing = new Writing();
            pending.onAbandoned(() -> {
                retireIfSilent();
                forget(id);
                writing.endIfHanging();
            });
            writing.begins();
            if (!pending.beginWriting()) {
                writing.over();
                forget(id); // its deadline has passed, and no byte of it was sent
                return true;
            }
            if (sent != null) {
                sent.by(connection.connectionId(), id);
            }
            connection.send(id, message);
            writing.over();
            return true;
        }

        private @Nullable PendingRequest<?> forget(long id) {
            PendingRequest<?> pending = waiting.remove(id);
            endIfUnused();
            return pending;
        }

        private void endIfUnused() {
            if (retired && waiting.isEmpty()) {
                connections.end(connection);
            }
        }

        private void retireIfSilent() {
            if (ticker.nanos() - heardNanos >= SILENT_NANOS) {
                retired = true;
            }
        }

        /** A request that is being written, which hangs if the server reads nothing. Thread-safe. */
        private final class Writing {
            private boolean underWay;
            private long begunNanos;

            synchronized void begins() {
                underWay = true;
                begunNanos = ticker.nanos();
            }

            synchronized void over() {
                underWay = false;
            }

            /**
             * Frees the writing thread once the server has read nothing for a while, or owes no answer. A large request
             * in progress ends no other request, even if it is late, because the connection is shared.
             */
            synchronized void endIfHanging() {
                long now = ticker.nanos();
                long silentNanos = Math.min(now - begunNanos, now - connection.writtenNanos());
                if (underWay && silentNanos >= SILENT_NANOS) {
                    connection.close();
                } else if (underWay) {
                    retireIfSilent();
                    endIfUnused();
                    var unused = ofAll.timers().schedule(now + SILENT_NANOS - silentNanos, this::endIfHanging);
                }
            }
        }

        private void receive() {
            try {
                while (true) {
                    receiveOne();
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

        private void receiveOne() throws IOException {
            try {
                Frame frame = connection.receive();
                try {
                    PendingRequest<?> pending = heard(frame.id());
                    if (pending != null) {
                        var unused = pending.answeredBy(frame);
                    }
                } finally {
                    ofAll.memory().release(ClientConnection.reserved(frame.bytes()));
                }
            } catch (ClientConnection.NoMemoryException e) { // for this answer; other answers are still read
                PendingRequest<?> pending = heard(e.id());
                if (pending != null) {
                    pending.failed(ErrorCode.EXCESSIVE_PENDING_MESSAGE, String.valueOf(e.getMessage()));
                }
            }
        }

        /** Returns the request to which an answer belongs; null if its deadline has passed. */
        private @Nullable PendingRequest<?> heard(long id) throws IOException {
            if (!connection.hasNumbered(id)) {
                throw new IOException("answer of a request that was not sent");
            }
            heardNanos = ticker.nanos();
            return forget(id);
        }
    }
}

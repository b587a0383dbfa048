// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.variant;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.talos.server.transfer.client.ClientConnection;
import org.talos.server.transfer.client.PendingRequest;
import org.talos.server.transfer.client.RequestChannel;
import org.talos.server.transfer.client.TransferParts;
import org.talos.server.transfer.wire.Frame;

/** Sends each request over a connection of its own, and holds the thread until the answer has come. Thread-safe. */
final class ConnectionEach implements RequestChannel {
    private final ConnectionPool connections;
    private final TransferParts parts;

    ConnectionEach(ConnectionPool connections, TransferParts parts) {
        this.connections = connections;
        this.parts = parts;
    }

    @Override
    public boolean isConnected() {
        return connections.hasIdle();
    }

    @Override
    public void send(PendingRequest<?> pending, @Nullable Sent sent)
            throws IOException, TException, InterruptedException {
        ClientConnection connection = connections.take(remaining(pending));
        boolean reusable = false; // no part of a request or an answer is left in the connection
        try {
            reusable = exchange(pending, sent, connection);
        } finally {
            if (reusable) {
                connections.giveBack(connection);
            } else {
                connections.drop(connection);
            }
        }
    }

    /** Writes the request and receives its answer; returns whether the connection may be used again. */
    private boolean exchange(PendingRequest<?> pending, @Nullable Sent sent, ClientConnection connection)
            throws IOException, TException {
        if (pending.isLate(parts.ticker().nanos())) { // while it waited for a connection
            return true;
        }
        long id = connection.nextId();
        List<ByteBuffer> message =
                pending.request().message(id, pending.context().caller(), remaining(pending));
        if (pending.isTooLarge(message, parts.maxFrameBytes())) {
            return true;
        }
        pending.onAbandoned(connection::close);
        if (!pending.beginWriting()) {
            return false;
        }
        if (sent != null) {
            sent.by(connection.connectionId(), id);
        }
        connection.send(id, message);
        Frame frame = connection.receive();
        try {
            if (frame.id() != id) {
                throw new IOException("answer of another request");
            }
            return pending.answeredBy(frame); // false: it was abandoned, and its connection is about to be closed
        } finally {
            parts.memory().release(ClientConnection.reserved(frame.bytes()));
        }
    }

    private long remaining(PendingRequest<?> pending) {
        return pending.context().deadlineNanos() - parts.ticker().nanos();
    }
}

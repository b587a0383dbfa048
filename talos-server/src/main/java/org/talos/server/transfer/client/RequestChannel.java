// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;

/** Writes requests to one other server, and completes them with its answers. Thread-safe. */
public interface RequestChannel {
    /**
     * Sends a request; blocks at least until it is written. The caller ends the request if this throws.
     *
     * @param sent notified of the connection and the number by which a put is sent; null for other requests
     * @throws IOException the connection cannot be opened, or failed
     * @throws TException the request cannot be encoded
     */
    void send(PendingRequest<?> pending, @Nullable Sent sent) throws IOException, TException, InterruptedException;

    /** Returns whether a request would be sent without connecting first. Never blocks. */
    boolean isConnected();

    /** Keeps the connection and the number by which a put is sent. Thread-safe. */
    interface Sent {
        /** Stores the connection and the number, just before the first byte is written. */
        void by(ByteBuffer connectionId, long requestId);
    }
}

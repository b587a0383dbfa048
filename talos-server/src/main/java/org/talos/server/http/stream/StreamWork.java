// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import org.talos.server.http.stream.incoming.ClientMessage;

/** What a stream asks of the server. Immutable, but for the put. */
sealed interface StreamWork {
    /** Store a put; {@link StreamSession#stored} or {@link StreamSession#refused} says how it has ended. */
    record BeginPut(PutUnderWay put, ClientMessage.Put message) implements StreamWork {}

    /** Find the end of a partition; {@link StreamSession#endFound} or {@link StreamSession#readFailed} follows. */
    record FindEnd(Subscription subscription) implements StreamWork {}

    /**
     * Read messages; {@link StreamSession#read} or {@link StreamSession#readFailed} follows.
     *
     * @param waits whether to wait for messages if there are none
     */
    record Read(Subscription subscription, long offset, long maxBytes, boolean waits) implements StreamWork {}
}

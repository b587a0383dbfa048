// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.nio.ByteBuffer;

/** Where the messages of a stream go. Thread-safe. */
interface Way {
    /** Sends a message, behind those before. */
    void send(ByteBuffer... parts);

    /** Asks the server whether it is there. */
    void ping();

    /** Sends a close frame behind the queued frames. */
    void close();

    /** Ends it at once. */
    void abort(String why);
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.List;
import org.talos.server.service.call.ServiceAnswer.Delivery;

/**
 * A message on its way to the client. Immutable; its buffers belong to who writes it.
 *
 * @param parts the bytes, in order
 * @param cost of the credit; 0 for all but blocks
 * @param deliveries learn whether it was written
 */
record Outgoing(List<ByteBuffer> parts, int cost, List<Delivery> deliveries) {
    /**
     * What a block holds besides its bytes while it waits: many small ones would else hold a multiple of the window.
     */
    private static final int OBJECT_BYTES = 256;

    /** What is reserved for a message of that cost. */
    static long memory(long cost) {
        return cost == 0 ? 0 : cost + OBJECT_BYTES;
    }

    /** What is reserved for it. */
    long memory() {
        return memory(cost);
    }

    static Outgoing of(ByteBuffer whole) {
        return new Outgoing(List.of(whole), 0, List.of());
    }

    /** Bytes that are not written yet. */
    long remaining() {
        long bytes = 0;
        for (ByteBuffer part : parts) {
            bytes += part.remaining();
        }
        return bytes;
    }

    void ended(boolean written) {
        deliveries.forEach(each -> each.ended(written));
    }
}

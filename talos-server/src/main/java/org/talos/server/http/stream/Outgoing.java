// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.List;
import org.talos.server.service.call.ServiceAnswer.Delivery;

/**
 * A message on its way to the client. Immutable; its buffers belong to the writer.
 *
 * @param parts the bytes, in order
 * @param cost of the credit; 0 for all but blocks
 * @param memory bytes that are reserved for it until it is written
 * @param deliveries learn whether it was written
 */
record Outgoing(List<ByteBuffer> parts, int cost, long memory, List<Delivery> deliveries) {
    /**
     * The heap of a message besides its bytes while it waits. Otherwise, many small messages would take a multiple of
     * it.
     */
    private static final int OBJECT_BYTES = 256;

    /** Returns the memory to reserve for this number of bytes that wait. */
    static long memory(long bytes) {
        return bytes + OBJECT_BYTES;
    }

    /** One that is made when its turn has come, and waits for nothing. */
    static Outgoing of(ByteBuffer whole) {
        return new Outgoing(List.of(whole), 0, 0, List.of());
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

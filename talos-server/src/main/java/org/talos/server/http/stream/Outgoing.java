// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.List;
import org.talos.server.service.call.ServiceAnswer.Delivery;

/**
 * A message on its way to the client. Immutable; its buffers belong to who writes it.
 *
 * @param parts the bytes, in order
 * @param cost of the credit, and of the memory that is reserved for it; 0 for all but blocks
 * @param deliveries learn whether it was written
 */
record Outgoing(List<ByteBuffer> parts, int cost, List<Delivery> deliveries) {
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

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.nio.ByteBuffer;
import java.util.List;
import org.talos.server.metrics.Operation;

/**
 * The answer of a call, to be written as it is. Immutable.
 *
 * @param body the Thrift message; its buffers belong to the receiver
 * @param delivery is told once whether the answer reached the client's connection
 * @param operation what the request was
 */
public record ServiceAnswer(List<ByteBuffer> body, Delivery delivery, Operation operation) {
    /** Hears once what became of an answer. Thread-safe; must not block. */
    public interface Delivery {
        /** Nobody needs to know. */
        Delivery IGNORED = written -> {};

        /** The answer was written whole ({@code true}), or the connection was gone before that. */
        void ended(boolean written);
    }
}

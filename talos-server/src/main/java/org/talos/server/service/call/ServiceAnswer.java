// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.nio.ByteBuffer;
import java.util.List;
import org.talos.server.metrics.Operation;

/**
 * The answer of a call, to be written as it is. Immutable.
 *
 * @param body the Thrift message; its buffers belong to the receiver
 * @param delivery is notified once whether the answer was written to the client's connection
 * @param operation kind of the request
 */
public record ServiceAnswer(List<ByteBuffer> body, Delivery delivery, Operation operation) {
    /** Is notified once when the writing of an answer has ended. Thread-safe; must not block. */
    public interface Delivery {
        /** Does nothing. */
        Delivery IGNORED = written -> {};

        /** The answer was completely written ({@code true}), or the connection was gone before that. */
        void ended(boolean written);
    }
}

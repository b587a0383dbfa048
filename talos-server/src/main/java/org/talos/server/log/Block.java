// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.ByteBuffer;

/**
 * Messages that a client has packed together, opaque to the log. Immutable; the buffers' bytes must not change.
 *
 * @param messages how many it says it holds, 1 or more
 * @param compression the protocol's number
 * @param createTimestamp as the client gave it, ms since 1970, or 0
 * @param attributes whatever else of the block must come back, opaque; usually empty
 * @param bytes the block as it came
 */
public record Block(int messages, int compression, long createTimestamp, ByteBuffer attributes, ByteBuffer bytes) {
    /** Refuses a block that would have no offset. */
    public Block {
        if (messages < 1) {
            throw new IllegalArgumentException("messages: " + messages + " (expected: 1 or more)");
        }
    }
}

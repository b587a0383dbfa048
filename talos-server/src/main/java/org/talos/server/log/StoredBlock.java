// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.ByteBuffer;

/**
 * A block as it stands in the log. Immutable.
 *
 * @param baseOffset of its first message
 * @param appendTimestamp ms since 1970
 * @param block what the client put
 */
public record StoredBlock(long baseOffset, long appendTimestamp, Block block) {
    /** Offset after its last message. */
    public long endOffset() {
        return baseOffset + block.messages();
    }

    /** Bytes of memory that it takes, roughly. */
    int weight() {
        return block.bytes().remaining() + block.attributes().remaining() + 200;
    }

    /** The bytes, with a position of the caller's own. */
    public ByteBuffer bytes() {
        return block.bytes().duplicate();
    }
}

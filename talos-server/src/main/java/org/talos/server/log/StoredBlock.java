// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.ByteBuffer;

/**
 * A block as it stands in the log. Immutable.
 *
 * @param baseOffset of its first message
 * @param appendTimestamp ms since 1970
 * @param block the client's bytes
 */
public record StoredBlock(long baseOffset, long appendTimestamp, Block block) {
    private static final int OBJECT_BYTES = 256;

    /** Offset after its last message. */
    public long endOffset() {
        return baseOffset + block.messages();
    }

    /** Returns the bytes of memory that it keeps alive: the whole arrays, and approximately its objects. */
    int weight() {
        return block.memory() + OBJECT_BYTES;
    }

    /** Returns an equal block that keeps hardly more memory alive than its bytes. */
    StoredBlock trimmed() {
        return new StoredBlock(baseOffset, appendTimestamp, block.trimmed());
    }

    /** Returns the bytes, with a position of the caller's own. */
    public ByteBuffer bytes() {
        return block.bytes().duplicate();
    }
}

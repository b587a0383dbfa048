// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.ByteBuffer;

/**
 * Messages that a client has packed together, opaque to the log. Immutable; the buffers' bytes must not change.
 *
 * @param messages number of messages in its head, 1 or more
 * @param compression the protocol's number
 * @param createTimestamp as the client gave it, ms since 1970, or 0
 * @param attributes the block's other properties, which the log returns unchanged; opaque, usually empty
 * @param bytes the block as it came
 */
public record Block(int messages, int compression, long createTimestamp, ByteBuffer attributes, ByteBuffer bytes) {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final int WASTED_AT_MOST = 8; // one part in so many

    /** Refuses a block that would have no offset. */
    public Block {
        if (messages < 1) {
            throw new IllegalArgumentException("messages: " + messages + " (expected: 1 or more)");
        }
    }

    /**
     * Returns this block if it keeps hardly more memory alive than its bytes. Otherwise returns an equal block with
     * arrays of its own size: a view of a request's body keeps the whole body alive, whatever else the client has put
     * into it.
     */
    Block trimmed() {
        return isTight(attributes) && isTight(bytes)
                ? this
                : new Block(messages, compression, createTimestamp, trimmed(attributes), trimmed(bytes));
    }

    /** The copy is cheap exactly when the waste is large. */
    private static ByteBuffer trimmed(ByteBuffer view) {
        if (isTight(view)) {
            return view;
        }
        return view.hasRemaining()
                ? ByteBuffer.allocate(view.remaining()).put(view.duplicate()).flip()
                : NOTHING;
    }

    private static boolean isTight(ByteBuffer view) {
        return view.hasArray() && !isWasted(view.remaining(), array(view).length);
    }

    /** Returns the array of a buffer that has one: its identity and its length, whatever part of it is the buffer's. */
    @SuppressWarnings("ByteBufferBackingArray") // nothing is read from it
    static byte[] array(ByteBuffer view) {
        return view.array();
    }

    /** Returns whether such a small part of an array is used that a copy is better. */
    static boolean isWasted(long used, int arrayBytes) {
        return arrayBytes - used > arrayBytes / WASTED_AT_MOST;
    }

    /** Returns the bytes of the arrays that its buffers keep alive. */
    int memory() {
        return memory(attributes) + memory(bytes);
    }

    private static int memory(ByteBuffer view) {
        return view.hasArray() ? array(view).length : view.capacity();
    }
}

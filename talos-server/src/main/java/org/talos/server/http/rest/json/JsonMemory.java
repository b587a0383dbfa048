// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import java.nio.ByteBuffer;

/**
 * Bytes of memory that reading JSON takes at most, by the values in it: an empty object has two bytes as text, and
 * eighty in a tree. Confined.
 */
public final class JsonMemory {
    private static final int COPIES = 8; // of each byte of mostly text: as text, in a tree and as messages
    private static final int COPIES_BESIDE_TREE = 4;
    private static final int VALUE_BYTES = 100; // of an object, a list, or an element of one, in a tree

    private long bytes;
    private long values = 1;
    private boolean inText;
    private boolean escaped;

    /** Returns the memory of a whole body. */
    public static long of(ByteBuffer body) {
        JsonMemory memory = new JsonMemory();
        memory.add(body);
        return memory.bytes();
    }

    /** Counts the next bytes; the position stays. */
    public void add(ByteBuffer piece) {
        bytes += piece.remaining();
        for (int at = piece.position(); at < piece.limit(); at++) {
            byte next = piece.get(at);
            if (escaped) {
                escaped = false;
            } else if (inText) {
                escaped = next == '\\';
                inText = next != '"';
            } else if (next == '"') {
                inText = true;
            } else if (next == '{' || next == '[' || next == ',') {
                values++;
            }
        }
    }

    /** Returns the bytes counted so far. */
    public long bytes() {
        return Math.max(bytes * COPIES, bytes * COPIES_BESIDE_TREE + values * VALUE_BYTES);
    }
}

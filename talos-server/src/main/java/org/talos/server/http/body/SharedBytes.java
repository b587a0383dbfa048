// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.body;

import java.nio.ByteBuffer;

/**
 * Bytes that are in memory anyway, and equal in all answers. They are written from where they are, so a waiting answer
 * takes no memory, and counts for no user.
 *
 * <p>Confined: the writer of one answer.
 */
public final class SharedBytes implements Body {
    private static final int PIECE_BYTES = 64 << 10;

    private final ByteBuffer bytes;

    /** @param bytes that do not change any more; the buffer's position stays */
    public SharedBytes(ByteBuffer bytes) {
        this.bytes = bytes.asReadOnlyBuffer();
    }

    /**
     * Returns the next bytes, without a copy. The JDK copies heap bytes into memory that each thread keeps before it
     * writes them, so the pieces are small.
     */
    public ByteBuffer next() {
        ByteBuffer piece = bytes.slice(bytes.position(), Math.min(bytes.remaining(), PIECE_BYTES));
        bytes.position(bytes.position() + piece.remaining());
        return piece;
    }

    @Override
    public void fill(ByteBuffer target) {
        int length = Math.min(bytes.remaining(), target.remaining());
        target.put(bytes.slice(bytes.position(), length));
        bytes.position(bytes.position() + length);
    }

    @Override
    public boolean isDone() {
        return !bytes.hasRemaining();
    }

    @Override
    public long mostBytes() {
        return bytes.remaining();
    }

    @Override
    public boolean isMeasured() {
        return true;
    }
}

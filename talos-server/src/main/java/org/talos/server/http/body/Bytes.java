// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.body;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Bytes that already exist, in one buffer or several. Buffers become garbage as they are written.
 *
 * <p>Confined: the writer of one answer.
 */
public final class Bytes implements Body {
    private final Iterator<ByteBuffer> buffers;
    private final boolean isSingle;
    private final boolean isNothing;
    private ByteBuffer current = ByteBuffer.allocate(0);
    private long left;

    /** Creates a body of buffers, whose positions move as they are written. */
    public Bytes(List<ByteBuffer> buffers) {
        this.buffers = buffers.iterator();
        isSingle = buffers.size() == 1;
        isNothing = buffers.isEmpty();
        for (ByteBuffer each : buffers) {
            left += each.remaining();
        }
    }

    /** Returns a body of a text in ASCII. */
    public static Bytes ascii(String text) {
        return new Bytes(List.of(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII))));
    }

    /** Returns whether there is no buffer at all, and so no body. */
    public boolean isNothing() {
        return isNothing;
    }

    /** Returns all bytes, if they are in one buffer and not too many, to be written without a copy. */
    public Optional<ByteBuffer> single(int mostBytes) {
        if (!isSingle || left == 0 || left > mostBytes) {
            return Optional.empty();
        }
        left = 0;
        return Optional.of(buffers.next());
    }

    @Override
    public void fill(ByteBuffer target) {
        while (target.hasRemaining() && left > 0) {
            while (!current.hasRemaining()) {
                current = buffers.next();
            }
            int bytes = Math.min(current.remaining(), target.remaining());
            target.put(target.position(), current, current.position(), bytes);
            target.position(target.position() + bytes);
            current.position(current.position() + bytes);
            left -= bytes;
        }
    }

    @Override
    public boolean isDone() {
        return left == 0;
    }

    @Override
    public long mostBytes() {
        return left;
    }

    @Override
    public boolean isMeasured() {
        return true;
    }
}

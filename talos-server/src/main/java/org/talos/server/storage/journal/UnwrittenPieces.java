// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.talos.server.memory.Buffers;

/**
 * The bytes of a segment that are not in its file yet, in the order of their positions, and their end.
 *
 * <p>Confined: to the segment, under its lock.
 */
final class UnwrittenPieces {
    /** Copying so few bytes costs less than tracking them separately. */
    private static final int SMALL_BYTES = 512;

    private final Deque<Piece> pieces = new ArrayDeque<>();
    private long end; // one past the last byte that was added

    private record Piece(long position, ByteBuffer bytes) {
        long end() {
            return position + bytes.remaining();
        }
    }

    /** Consecutive bytes, and their end. Immutable. */
    record Run(List<ByteBuffer> bytes, long end) {}

    /** Returns one past the last byte that was added, whether it is still here or not. */
    long end() {
        return end;
    }

    /** Adds bytes behind all others. Consecutive small buffers become one. */
    void add(List<ByteBuffer> bytes) {
        List<ByteBuffer> small = new ArrayList<>(2);
        for (ByteBuffer each : bytes) {
            if (each.remaining() <= SMALL_BYTES) {
                small.add(each);
            } else {
                addJoined(small);
                add(each.duplicate());
            }
        }
        addJoined(small);
    }

    /** Adds consecutive small buffers as one: each alone would take more memory than its bytes. */
    private void addJoined(List<ByteBuffer> small) {
        if (small.size() == 1) {
            add(small.get(0).duplicate());
        } else if (!small.isEmpty()) {
            add(Buffers.joined(small));
        }
        small.clear();
    }

    private void add(ByteBuffer bytes) {
        pieces.addLast(new Piece(end, bytes));
        end += bytes.remaining();
    }

    /**
     * Returns the first pieces, as far as they are durable.
     *
     * @param begin where the first piece begins
     */
    Run run(long begin, long durable) {
        List<ByteBuffer> bytes = new ArrayList<>();
        long runEnd = begin;
        for (Piece piece : pieces) {
            if (piece.end() > durable) {
                break;
            }
            bytes.add(piece.bytes);
            runEnd = piece.end();
        }
        return new Run(bytes, runEnd);
    }

    /** Removes pieces from the first on, up to this number. */
    void removeFirst(int count) {
        for (int i = 0; i < count && !pieces.isEmpty(); i++) {
            pieces.removeFirst();
        }
    }

    /** Removes the pieces that end at a position or before it. */
    void removeTo(long position) {
        pieces.removeIf(piece -> piece.end() <= position);
    }

    /** Removes the pieces that begin at a position or behind it, which is the end now. Returns their bytes. */
    long cut(long position) {
        long dropped = 0;
        while (!pieces.isEmpty() && pieces.getLast().position >= position) {
            dropped += pieces.removeLast().bytes.remaining();
        }
        end = Math.min(end, position);
        return dropped;
    }

    /** Removes all pieces. Returns their bytes. */
    long clear() {
        long dropped = 0;
        for (Piece piece : pieces) {
            dropped += piece.bytes.remaining();
        }
        pieces.clear();
        return dropped;
    }

    /** Copies bytes from a position on into a buffer, as far as they are here, durable, and fit. */
    void copy(long from, ByteBuffer target, long durable) {
        long at = from;
        for (Piece piece : pieces) {
            if (piece.end() > durable || !target.hasRemaining()) {
                break;
            }
            if (piece.end() > at) {
                ByteBuffer bytes = piece.bytes.duplicate();
                bytes.position(bytes.position() + (int) (at - piece.position));
                bytes.limit(Math.min(bytes.limit(), bytes.position() + target.remaining()));
                at += bytes.remaining();
                target.put(bytes);
            }
        }
    }
}

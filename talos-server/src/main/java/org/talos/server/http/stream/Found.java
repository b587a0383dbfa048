// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.talos.server.http.body.Body;
import org.talos.server.http.body.Chunks;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.message.Fetched;
import org.talos.thrift.MessageBlock;

/**
 * The messages that a read has found, for the client. Immutable, but for the memory.
 *
 * @param startOffset of the oldest message that there is
 * @param endOffset one past the newest message that there is
 * @param pieces each to be sent as it is or not at all
 * @param held the memory of the pieces, until they are sent or dropped
 */
record Found(long startOffset, long endOffset, List<Piece> pieces, RequestMemory held) implements AutoCloseable {
    Found {
        pieces = List.copyOf(pieces);
    }

    /** Releases the memory of all pieces that were not handed over. May be called again. */
    @Override
    public void close() {
        held.close();
    }

    /** A message or a part of it that is sent as one. Immutable. */
    interface Piece {
        /** Offset of its first message. */
        long first();

        /** One past its last one. */
        long behind();

        /** Bytes of the message that carries it. */
        long cost();

        /** Bytes that are held for it. */
        long memory();

        /**
         * The message, without a copy.
         *
         * @param from first offset of it that was asked for
         * @param end one past the newest message
         */
        List<ByteBuffer> parts(long from, long end);
    }

    /**
     * Returns blocks as they are stored, of one partition.
     *
     * @param held in which they are reserved from then on
     * @throws RequestMemory.ExhaustedException there is no memory for the first one
     */
    static Found blocks(int partition, Fetched found, RequestMemory held) {
        List<Piece> pieces = new ArrayList<>();
        for (MessageBlock each : found.blocks()) {
            Piece piece = new Block(partition, each, Fetched.attributes(each));
            if (pieces.isEmpty()) {
                held.reserve(piece.memory());
            } else if (!held.tryReserve(piece.memory())) {
                break; // the rest is read again later
            }
            pieces.add(piece);
        }
        return new Found(found.startOffset(), found.endOffset(), pieces, held);
    }

    private record Block(int partition, MessageBlock block, ByteBuffer attributes) implements Piece {
        @Override
        public long first() {
            return block.getStartMessageOffset();
        }

        @Override
        public long behind() {
            return block.getStartMessageOffset() + block.getMessageNumber();
        }

        @Override
        public long cost() {
            return ServerMessages.cost(block, attributes);
        }

        @Override
        public long memory() {
            return Outgoing.memory(cost());
        }

        @Override
        public List<ByteBuffer> parts(long from, long end) {
            return ServerMessages.block(partition, block, attributes, from, end);
        }
    }

    /**
     * A message as JSON.
     *
     * @param cost its length
     * @param chunks none if it is longer than the window
     */
    record Text(long first, long cost, long memory, List<ByteBuffer> chunks) implements Piece {
        /**
         * Renders a message, unless it is longer than the window.
         *
         * @param body gives the message each time that it is called
         * @param held in which the text is reserved before it is made
         * @throws RequestMemory.ExhaustedException there is no memory for it
         */
        static Text of(long first, Supplier<Body> body, int window, RequestMemory held) {
            if (body.get().mostBytes() > window) {
                long length = Chunks.measure(body.get());
                if (length > window) {
                    return new Text(first, length, 0, List.of());
                }
            }
            long objects = Outgoing.memory(0);
            held.reserve(objects);
            Chunks chunks = new Chunks(held);
            chunks.add(body.get());
            List<ByteBuffer> written = chunks.written();
            return new Text(first, chunks.bytes(), objects + chunks.reservedBytes(), written);
        }

        @Override
        public long behind() {
            return first + 1;
        }

        @Override
        public List<ByteBuffer> parts(long from, long end) {
            return chunks;
        }
    }
}

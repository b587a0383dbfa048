// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.List;
import org.talos.server.service.message.Fetched;
import org.talos.thrift.MessageBlock;

/**
 * What a read has found, as messages for the client. Immutable.
 *
 * @param startOffset of the oldest message that there is
 * @param endOffset one past the newest message that there is
 * @param pieces each to be sent as it is or not at all
 */
record Found(long startOffset, long endOffset, List<Piece> pieces) {
    Found {
        pieces = List.copyOf(pieces);
    }

    /** What goes as one message. Immutable. */
    interface Piece {
        /** Offset of its first message. */
        long first();

        /** One past its last one. */
        long behind();

        /** Bytes of the message that carries it. */
        long cost();

        /**
         * The message, without a copy.
         *
         * @param from first offset of it that was asked for
         * @param end one past the newest message
         */
        List<ByteBuffer> parts(long from, long end);
    }

    /** Blocks as they are stored, of one partition. */
    static Found blocks(int partition, Fetched found) {
        return new Found(
                found.startOffset(),
                found.endOffset(),
                found.blocks().stream()
                        .<Piece>map(block -> new Block(partition, block, Fetched.attributes(block)))
                        .toList());
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
        public List<ByteBuffer> parts(long from, long end) {
            return ServerMessages.block(partition, block, attributes, from, end);
        }
    }

    /** A message as JSON. */
    record Text(long first, ByteBuffer text) implements Piece {
        @Override
        public long behind() {
            return first + 1;
        }

        @Override
        public long cost() {
            return text.remaining();
        }

        @Override
        public List<ByteBuffer> parts(long from, long end) {
            return List.of(text);
        }
    }
}

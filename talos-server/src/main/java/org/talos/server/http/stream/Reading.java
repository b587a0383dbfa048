// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.talos.server.http.body.Body;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.http.rest.message.MessageJson.Prepared;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.message.Fetched;
import org.talos.thrift.MessageAndOffset;

/**
 * Turns blocks that were read into messages for the client, and reserves memory for these messages. The reader releases
 * the memory of the blocks. Thread-safe.
 */
sealed interface Reading {
    /** Returns the most bytes of stored blocks to read for a client that has so much credit. */
    long mostBytes(long credit);

    /** Completes with the result of a read, or with the reason why its first message cannot be delivered. */
    CompletionStage<Found> of(StreamWork.Read read, Fetched found);

    /**
     * Whole blocks, which are not opened on the way. Immutable.
     *
     * @param memory of the stream's user
     */
    record Blocks(RequestMemory memory) implements Reading {
        @Override
        public long mostBytes(long credit) {
            return credit;
        }

        @Override
        public CompletionStage<Found> of(StreamWork.Read read, Fetched found) {
            RequestMemory held = memory.part();
            try {
                return CompletableFuture.completedFuture(
                        Found.blocks(read.subscription().partition(), found, held));
            } catch (RuntimeException | Error e) {
                held.close();
                throw e;
            }
        }
    }

    /**
     * Single messages as JSON: as many of the messages read as there is credit for, and one beyond it. Immutable.
     *
     * @param heavy decompresses, off the threads that have connections
     * @param memory of the stream's user
     * @param window in bytes; a longer text is not rendered, only its length is counted
     */
    record Texts(BlockMessages blocks, Form form, Executor heavy, RequestMemory memory, int window) implements Reading {
        /** More is not opened at once, of which the client may have credit for a small part. */
        private static final long MOST_OPENED_BYTES = 256 << 10;

        @Override
        public long mostBytes(long credit) {
            return Math.min(MOST_OPENED_BYTES, credit);
        }

        @Override
        public CompletionStage<Found> of(StreamWork.Read read, Fetched found) {
            return BlockMessages.decode(heavy, memory, List.of(found), waiting -> opened(read, found, waiting));
        }

        private Found opened(StreamWork.Read read, Fetched found, RequestMemory waiting) {
            RequestMemory held = memory.part();
            try (RequestMemory opened = memory.part()) {
                List<MessageAndOffset> messages = blocks.of(found, read.offset(), Integer.MAX_VALUE, waiting, opened);
                return new Found(found.startOffset(), found.endOffset(), texts(read, found, messages, held), held);
            } catch (RuntimeException | Error e) {
                held.close();
                throw e;
            }
        }

        private List<Found.Piece> texts(
                StreamWork.Read read, Fetched found, List<MessageAndOffset> messages, RequestMemory held) {
            List<Found.Piece> texts = new ArrayList<>();
            long bytes = 0;
            for (MessageAndOffset each : messages) {
                if (bytes > read.maxBytes()) {
                    break;
                }
                Prepared prepared = MessageJson.prepare(each, form);
                Supplier<Body> body =
                        () -> JsonMessages.message(read.subscription().partition(), found.endOffset(), prepared);
                try {
                    Found.Text text = Found.Text.of(prepared.offset(), body, window, held);
                    bytes += text.cost();
                    texts.add(text);
                } catch (RequestMemory.ExhaustedException e) {
                    if (texts.isEmpty()) {
                        throw e;
                    }
                    break; // the rest is read again later
                }
            }
            return texts;
        }
    }
}

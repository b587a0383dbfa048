// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.message.Fetched;
import org.talos.thrift.MessageAndOffset;

/** Makes what a client gets of what was read. Thread-safe. */
interface Reading {
    /** Whole blocks, which nobody opens on the way. */
    Reading BLOCKS = (read, found) ->
            CompletableFuture.completedFuture(Found.blocks(read.subscription().partition(), found));

    /** What a read has found; completes with what keeps its first message from the client. */
    CompletionStage<Found> of(StreamWork.Read read, Fetched found);

    /**
     * Single messages as JSON: of those that were read, as many as the read has credit for, and one beyond it.
     *
     * @param heavy decompresses, off the threads that have connections
     * @param memory of the stream's user; what is reserved is given back with each reading
     */
    static Reading texts(BlockMessages blocks, Form form, Executor heavy, RequestMemory memory) {
        return (read, found) -> BlockMessages.decode(heavy, Stream.of(found), () -> {
            try (RequestMemory part = memory.part()) {
                return texts(read, found, blocks.of(found, read.offset(), Integer.MAX_VALUE, part), form, part);
            }
        });
    }

    private static Found texts(
            StreamWork.Read read, Fetched found, List<MessageAndOffset> messages, Form form, RequestMemory part) {
        List<Found.Piece> pieces = new ArrayList<>();
        long bytes = 0;
        for (MessageAndOffset each : messages) {
            if (bytes > read.maxBytes()) {
                break;
            }
            ByteBuffer text = JsonMessages.message(read.subscription().partition(), found.endOffset(), each, form);
            part.reserve(text.remaining());
            bytes += text.remaining();
            pieces.add(new Found.Text(each.getMessageOffset(), text));
        }
        return new Found(found.startOffset(), found.endOffset(), pieces);
    }
}

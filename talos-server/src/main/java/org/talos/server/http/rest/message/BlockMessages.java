// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.message;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.BlockOpening;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.message.Fetched;
import org.talos.server.service.message.UnreadableBlock;
import org.talos.server.service.message.UnreadableBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Reads the messages of blocks, up to the first unreadable one: a client that asks for that one learns its offsets.
 *
 * <p>Thread-safe.
 */
public final class BlockMessages {
    /** The most bytes of a decompressed block. */
    private static final long MAX_PLAIN_BYTES = 64L << 20;

    /** Objects of a message beside its bytes: a block may hold many that are empty. */
    private static final int OBJECT_BYTES = 200;

    /** Objects of a header beside its bytes. */
    private static final int HEADER_BYTES = 200;

    private static final int COPIES = 2; // of a compressed block's bytes while it is read: in pieces, and whole

    /** Messages of a plain block are views of it, and may outlive their reader's reservation. */
    private static final int PLAIN_COPIES = 1;

    private static final BlockOpening OPENING = new BlockOpening(MAX_PLAIN_BYTES, COPIES, PLAIN_COPIES, OBJECT_BYTES);

    /** The bytes of plain blocks that are written as JSON in a fraction of a millisecond. */
    private static final long HEAVY_BYTES = 64 << 10;

    /** Objects of few messages are covered by the memory that each request counts with. */
    private static final long SMALL_BYTES = 1 << 10;

    private final UnreadableBlocks unreadable = new UnreadableBlocks();

    /**
     * The contents of blocks. Immutable.
     *
     * @param unreadable the block at the offset that was asked for; there are no messages then
     */
    public record Reading(List<MessageAndOffset> messages, Optional<UnreadableBlock> unreadable) {
        static Reading of(List<MessageAndOffset> messages) {
            return new Reading(messages, Optional.empty());
        }
    }

    /**
     * Answers with the messages of blocks. Few plain messages are handled here. Others go to the threads for heavy
     * work, as the size of compressed messages is known only after they have been read. The reader of the blocks
     * releases their reservation as soon as this returns, so they are counted here while they wait.
     *
     * @param heavy as {@link org.talos.server.http.rest.RestRequest#heavy}: it keeps no request while messages are
     *     awaited
     * @param memory of the caller
     * @param answer gets the memory that holds the blocks until the answer has been made, for {@link #of}
     */
    public static <A> CompletionStage<A> decode(
            Executor heavy, RequestMemory memory, List<Fetched> found, Function<RequestMemory, A> answer) {
        long bytes = found.stream().mapToLong(Fetched::bytes).sum();
        if (bytes <= HEAVY_BYTES && found.stream().noneMatch(BlockMessages::isCompressed)) {
            return CompletableFuture.completedFuture(answer.apply(memory.part())); // which holds nothing
        }
        RequestMemory waiting = memory.part();
        waiting.take(bytes); // their reader has reserved them, and is about to release them
        try {
            return CompletableFuture.supplyAsync(
                    () -> {
                        try (waiting) {
                            return answer.apply(waiting);
                        }
                    },
                    heavy);
        } catch (RuntimeException | Error e) {
            waiting.close();
            throw e;
        }
    }

    private static boolean isCompressed(Fetched found) {
        return found.blocks().stream().anyMatch(BlockMessages::isCompressed);
    }

    private static boolean isCompressed(MessageBlock block) {
        return block.getCompressionType() != MessageCompressionType.NONE;
    }

    /**
     * The messages from the offset on; the first block may begin before it.
     *
     * @param waiting holds the blocks; the messages of a plain block are views of it, so its bytes move to the memory
     * @param memory in which the messages are reserved from then on
     * @throws ProblemException the block at the offset cannot be read
     */
    public List<MessageAndOffset> of(Fetched found, long from, int most, RequestMemory waiting, RequestMemory memory) {
        Reading reading = read(found, from, most, waiting, memory);
        if (reading.unreadable().isPresent()) {
            throw new ProblemException(problem(reading.unreadable().get()));
        }
        return reading.messages();
    }

    private static Problem problem(UnreadableBlock block) {
        return Problem.of(new Problem.Unreadable(block.partition(), block.first(), block.last()), block.sentence());
    }

    /** The same, with the block that cannot be read as a value. */
    public Reading read(Fetched found, long from, int most, RequestMemory waiting, RequestMemory memory) {
        List<MessageAndOffset> messages = new ArrayList<>();
        for (MessageBlock block : found.blocks()) {
            Reading next;
            try {
                next = messages.size() < most ? read(found, block, waiting, memory) : Reading.of(List.of());
            } catch (RequestMemory.ExhaustedException e) {
                if (messages.isEmpty()) {
                    throw e;
                }
                return Reading.of(messages); // the rest comes with the next request
            }
            if (next.unreadable().isPresent()) {
                return messages.isEmpty() ? next : Reading.of(messages);
            }
            for (MessageAndOffset each : next.messages()) {
                if (each.getMessageOffset() >= from && messages.size() < most) {
                    messages.add(each);
                }
            }
        }
        return Reading.of(messages);
    }

    private Reading read(Fetched found, MessageBlock block, RequestMemory waiting, RequestMemory memory) {
        Optional<UnreadableBlock> known = unreadable.find(found.log(), block);
        if (known.isPresent()) {
            return new Reading(List.of(), known);
        }
        try {
            return Reading.of(read(block, waiting, memory));
        } catch (MalformedBlockException e) {
            return new Reading(List.of(), Optional.of(unreadable.add(found.log(), block, e.getMessage())));
        }
    }

    private static List<MessageAndOffset> read(MessageBlock block, RequestMemory waiting, RequestMemory memory)
            throws MalformedBlockException {
        BlockOpening.Memory room = isCompressed(block) ? memory : new PlainMemory(block, waiting, memory);
        return OPENING.open(block, room, (opened, most) -> read(opened, most, memory), BlockMessages::bytes);
    }

    /**
     * The place where a plain block is opened: its bytes are reserved once, however often they change threads.
     * Thread-safe.
     *
     * @param waiting holds the block, if anything does
     */
    private record PlainMemory(MessageBlock block, RequestMemory waiting, RequestMemory memory)
            implements BlockOpening.Memory {
        @Override
        public long mostBytes() {
            return memory.mostBytes();
        }

        @Override
        public long freeBytes() {
            return memory.freeBytes();
        }

        @Override
        public void reserve(long bytes) {
            long size = block.bufferForMessageBlock().remaining();
            long moved = waiting.moveUpTo(memory, Math.min(size, bytes));
            long rest = bytes - moved;
            if (moved > 0 && rest <= SMALL_BYTES) {
                memory.take(rest); // else a reader that lets go in a moment could have a large message refused
                return;
            }
            try {
                memory.reserve(rest);
            } catch (RequestMemory.ExhaustedException e) {
                memory.moveTo(waiting, moved); // the block is still there
                throw e;
            }
        }

        @Override
        public void release(long bytes) {
            memory.release(bytes);
        }
    }

    /** Headers are reserved message by message: a few bytes of a header take many as objects. */
    private static List<MessageAndOffset> read(MessageBlock block, long mostPlainBytes, RequestMemory memory)
            throws MalformedBlockException {
        List<MessageAndOffset> messages = new ArrayList<>();
        long[] headers = new long[1];
        boolean isRead = false;
        try {
            MessageBlocks.each(block, mostPlainBytes, each -> {
                if (each.getMessage().isSetHeaders()) {
                    long bytes = (long) HEADER_BYTES * each.getMessage().getHeadersSize();
                    memory.reserve(bytes);
                    headers[0] += bytes;
                }
                messages.add(each);
            });
            isRead = true;
            return messages;
        } finally {
            if (!isRead) {
                memory.release(headers[0]);
            }
        }
    }

    private static long bytes(List<MessageAndOffset> messages) {
        long bytes = 0;
        for (MessageAndOffset each : messages) {
            bytes += bytes(each.getMessage());
        }
        return bytes;
    }

    private static long bytes(Message message) {
        long bytes = (long) OBJECT_BYTES + message.bufferForMessage().remaining();
        bytes += COPIES * (length(message.getPartitionKey()) + length(message.getTag()));
        if (message.isSetHeaders()) {
            for (Map.Entry<String, ByteBuffer> each : message.getHeaders().entrySet()) {
                bytes += COPIES * length(each.getKey()) + each.getValue().remaining();
            }
        }
        return bytes;
    }

    private static long length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }
}

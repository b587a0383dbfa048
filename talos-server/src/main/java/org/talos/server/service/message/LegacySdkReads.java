// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.talos.common.error.TalosException;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.memory.BlockOpening;
import org.talos.server.memory.RequestMemory;
import org.talos.server.partition.serving.BlockMapping;
import org.talos.server.service.call.ClientInfo;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Serves blocks to the public SDKs that they cannot read as they are, rewritten as Snappy. For the Java SDK, ZSTD and
 * LZ4 make the whole answer unreadable, and it mistakes a Kafka batch for a message of a gigabyte. The Go SDK mistakes
 * an LZ4 block whose plain length is 75 modulo 256 for a Kafka batch: it writes such blocks itself. Thread-safe.
 */
final class LegacySdkReads {
    private static final long MAX_PLAIN_BYTES = 64L << 20;

    /** As {@link MessageBlocks#rewrite} has them. */
    private static final int COPIES = 4;

    private static final BlockOpening REWRITING =
            new BlockOpening(MAX_PLAIN_BYTES, COPIES, COPIES, COPIES * MessageBlocks.REWRITTEN_MESSAGE_BYTES);

    private final UnreadableBlocks unreadable = new UnreadableBlocks();

    /** Returns whether the client's SDK cannot read one of the blocks as it is. */
    static boolean cannotRead(ClientInfo client, Slice slice) {
        if (client.isJavaSdk() || client.isGoSdk()) {
            for (StoredBlock each : slice.blocks()) {
                if (cannotRead(client, each)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean cannotRead(ClientInfo client, StoredBlock stored) {
        int compression = stored.block().compression();
        boolean isLikeKafka = MessageBlocks.isKafkaBatch(stored.block().bytes());
        return client.isGoSdk()
                ? compression == MessageCompressionType.LZ4.getValue() && isLikeKafka
                : compression > MessageCompressionType.GZIP.getValue()
                        || (compression == MessageCompressionType.NONE.getValue() && isLikeKafka);
    }

    /**
     * Returns the blocks of a read with their messages and offsets in a form that the client can read. Ends before the
     * first block that no one can read, or for which there is no memory, or no room in the answer: Snappy may take far
     * more than the stored bytes. Costs CPU: in {@link Decoding} only.
     *
     * @param mostBytes of all but the last block
     * @param memory in which rewritten blocks are reserved
     * @throws TalosException MESSAGE_MISSING: the first block is unreadable; EXCESSIVE_PENDING_MESSAGE: there is no
     *     memory for it
     */
    List<MessageBlock> readable(ClientInfo client, LogId log, Slice slice, long mostBytes, RequestMemory memory) {
        List<MessageBlock> blocks = new ArrayList<>(slice.blocks().size());
        long bytes = 0;
        for (StoredBlock stored : slice.blocks()) {
            MessageBlock block = BlockMapping.toWire(stored);
            try {
                if (cannotRead(client, stored)) {
                    rewriteOrRefuse(log, block, memory);
                }
            } catch (TalosException e) {
                if (blocks.isEmpty()) {
                    throw e;
                }
                return blocks;
            }
            blocks.add(block);
            bytes += block.bufferForMessageBlock().remaining();
            if (bytes >= mostBytes) {
                return blocks;
            }
        }
        return blocks;
    }

    private void rewriteOrRefuse(LogId log, MessageBlock block, RequestMemory memory) {
        Optional<UnreadableBlock> failed = rewrite(log, block, memory);
        if (failed.isPresent()) {
            throw TalosException.refused(ErrorCode.MESSAGE_MISSING, failed.get().sentence());
        }
    }

    /** Puts other bytes into a block, or says that it cannot be read. */
    private Optional<UnreadableBlock> rewrite(LogId log, MessageBlock block, RequestMemory memory) {
        Optional<UnreadableBlock> known = unreadable.find(log, block);
        if (known.isPresent()) {
            return known;
        }
        try {
            ByteBuffer bytes = REWRITING.open(
                    block, memory, (opened, most) -> inSnappy(opened, most, memory), ByteBuffer::remaining);
            block.setMessageBlock(bytes);
            block.setMessageBlockSize(bytes.remaining());
            block.setCompressionType(MessageCompressionType.SNAPPY);
            return Optional.empty();
        } catch (MalformedBlockException e) {
            return Optional.of(unreadable.add(log, block, e.getMessage()));
        }
    }

    private static ByteBuffer inSnappy(MessageBlock block, long maxPlainBytes, RequestMemory memory)
            throws MalformedBlockException {
        try (RequestMemory more = memory.part()) {
            return MessageBlocks.rewrite(
                    block,
                    MessageCompressionType.SNAPPY,
                    maxPlainBytes,
                    bytes -> reserve(more, COPIES * bytes, REWRITING.bytesFor(block, maxPlainBytes)));
        }
    }

    /** Texts that are not UTF-8 grow in version 3, beyond the memory that is reserved for the block. */
    private static void reserve(RequestMemory more, long bytes, long reserved) throws MalformedBlockException {
        if (bytes <= reserved) {
            return;
        }
        if (reserved + bytes > more.mostBytes()) { // memory that the user holds already counts twice
            throw BlockOpening.neverEnough();
        }
        more.reserve(bytes - reserved);
    }
}

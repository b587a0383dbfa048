// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.server.http.RequestMemory;
import org.talos.server.service.message.Fetched;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** Reads the messages of blocks. Immutable. */
final class BlockMessages {
    /** What a block may hold once it is decompressed. */
    private static final long MAX_PLAIN_BYTES = 64L << 20;

    /**
     * Ratios of plain bytes to compressed ones, tried in turn: what a block holds is known only once it has been read.
     */
    private static final int[] RATIOS = {4, 16, 64, 256, 1024};

    /** Objects of a message beside its bytes: a block may hold many that are empty. */
    private static final long OBJECT_BYTES = 200;

    private static final int COPIES = 2; // of a block's bytes while it is read: plain, and cut into messages

    private BlockMessages() {}

    /**
     * The messages from the offset on; the first block may begin before it.
     *
     * @param memory in which they are reserved from then on
     */
    static List<MessageAndOffset> of(Fetched found, long from, int most, RequestMemory memory) {
        List<MessageAndOffset> messages = new ArrayList<>();
        try {
            for (MessageBlock block : found.blocks()) {
                for (MessageAndOffset each : read(block, memory)) {
                    if (each.getMessageOffset() >= from && messages.size() < most) {
                        messages.add(each);
                    }
                }
            }
            return messages;
        } catch (MalformedBlockException e) {
            throw new TalosException(
                    ErrorCode.MESSAGE_INCOMPLETE, Effect.NONE, "a stored block can't be read: " + e.getMessage(), e);
        }
    }

    private static List<MessageAndOffset> read(MessageBlock block, RequestMemory memory)
            throws MalformedBlockException {
        long size = block.bufferForMessageBlock().remaining();
        if (block.getCompressionType() == MessageCompressionType.NONE) {
            return read(block, size, memory);
        }
        for (int ratio : RATIOS) {
            Optional<List<MessageAndOffset>> messages = tryRead(block, Math.min(MAX_PLAIN_BYTES, size * ratio), memory);
            if (messages.isPresent()) {
                return messages.get();
            }
        }
        return read(block, MAX_PLAIN_BYTES, memory);
    }

    /** Empty if it can't be read within so much; it may hold more, or be broken. */
    private static Optional<List<MessageAndOffset>> tryRead(MessageBlock block, long allowed, RequestMemory memory) {
        try {
            return Optional.of(read(block, allowed, memory));
        } catch (MalformedBlockException e) {
            return Optional.empty();
        }
    }

    private static List<MessageAndOffset> read(MessageBlock block, long allowed, RequestMemory memory)
            throws MalformedBlockException {
        long asked = allowed * COPIES + Math.min(block.getMessageNumber(), allowed) * OBJECT_BYTES;
        memory.reserve(asked);
        long kept = 0;
        try {
            List<MessageAndOffset> messages = MessageBlocks.read(block, allowed);
            for (MessageAndOffset each : messages) {
                kept += each.getMessage().bufferForMessage().remaining() + OBJECT_BYTES;
            }
            return messages;
        } finally {
            memory.release(asked - Math.min(asked, kept));
        }
    }
}

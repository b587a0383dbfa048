// SPDX-License-Identifier: Apache-2.0
package org.talos.server.fuzz;

import java.nio.ByteBuffer;
import java.util.List;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Blocks in every compression: one byte for it, one for the number of messages, then the block.
 *
 * <p>Immutable.
 */
public final class BlockFuzz {
    private static final int MOST_PLAIN_BYTES = 64 << 10;

    /** A message of eight bytes is an object with two arrays or views, and is written and read again. */
    private static final int MULTIPLE = 150;

    private static final List<MessageCompressionType> TYPES = List.of(MessageCompressionType.values());

    private BlockFuzz() {}

    /** Reads one input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        ByteBuffer in = ByteBuffer.wrap(input);
        MessageCompressionType type = TYPES.get(Fuzzed.next(in) % TYPES.size());
        int count = Fuzzed.next(in);
        byte[] bytes = Fuzzed.rest(in);
        MessageBlock block = new MessageBlock(0, count, type, ByteBuffer.wrap(bytes));
        Fuzzed.within(bytes.length + MOST_PLAIN_BYTES, MULTIPLE, () -> read(block));
    }

    private static void read(MessageBlock block) throws MalformedBlockException {
        boolean claimsHold = holds(() -> MessageBlocks.checkClaims(block));
        boolean contentsHold = holds(() -> MessageBlocks.checkContents(block, MOST_PLAIN_BYTES));
        List<MessageAndOffset> read;
        try {
            read = MessageBlocks.read(block, MOST_PLAIN_BYTES);
        } catch (MalformedBlockException e) {
            Fuzzed.same(contentsHold, false);
            return;
        }
        if (claimsHold && block.getCompressionType() == MessageCompressionType.NONE) {
            Fuzzed.same(contentsHold, true); // all that is not seen without reading is what structs hold
        }
        if (!read.isEmpty()) {
            readAgain(read.stream().map(MessageAndOffset::getMessage).toList());
        }
    }

    private static void readAgain(List<Message> messages) throws MalformedBlockException {
        for (MessageCompressionType each : MessageCompressionType.values()) {
            MessageBlock written = MessageBlocks.write(messages, each, 1);
            MessageBlocks.checkClaims(written);
            List<Message> again = MessageBlocks.read(written, Long.MAX_VALUE).stream()
                    .map(MessageAndOffset::getMessage)
                    .toList();
            Fuzzed.same(again, messages);
        }
    }

    private static boolean holds(Check check) {
        try {
            check.run();
            return true;
        } catch (MalformedBlockException e) {
            return false;
        }
    }

    @FunctionalInterface
    private interface Check {
        void run() throws MalformedBlockException;
    }
}

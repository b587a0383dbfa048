// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.MessageType;

/**
 * Writes messages to blocks and reads them from blocks. Writes version 3, reads every version.
 *
 * <p>Thread-safe.
 */
public final class MessageBlocks {
    /** An LZ4 block of this plain length, modulo 256, begins like a Kafka batch, and one of the SDKs can't read it. */
    private static final int LZ4_UNREADABLE_LENGTH = KafkaBatch.MARK;

    /** The fewest bytes of a message, in any version. */
    public static final int MIN_MESSAGE_BYTES = 2 * Integer.BYTES;

    private MessageBlocks() {}

    /**
     * Writes messages in order to one block; fills in their missing create times and types.
     *
     * @param messages one or more
     * @param type compression wanted; in place of LZ4 it is SNAPPY for plain lengths that one SDK can't read
     * @param nowMillis wall clock, ms since 1970
     */
    public static MessageBlock write(List<Message> messages, MessageCompressionType type, long nowMillis) {
        if (messages.isEmpty()) {
            throw new IllegalArgumentException("messages: none (expected: 1 or more)");
        }
        for (Message message : messages) {
            if (!message.isSetCreateTimestamp()) {
                message.setCreateTimestamp(nowMillis);
            }
            if (message.getMessageType() == null) {
                message.setMessageType(MessageType.BINARY);
            }
        }
        byte[] plain = MessageFormat.writeV3(messages);
        MessageCompressionType usable =
                type == MessageCompressionType.LZ4 && (plain.length & 0xff) == LZ4_UNREADABLE_LENGTH
                        ? MessageCompressionType.SNAPPY
                        : type;
        ByteBuffer bytes = BlockCompression.compress(usable, plain);
        MessageBlock block = new MessageBlock(0, messages.size(), usable, bytes);
        block.setMessageBlockSize(bytes.remaining());
        block.setCreateTimestamp(meanCreateTime(messages));
        return block;
    }

    /** The running mean of the create times as both SDKs compute it, with integer division. */
    private static long meanCreateTime(List<Message> messages) {
        long mean = messages.get(0).getCreateTimestamp();
        for (int i = 0; i < messages.size(); i++) {
            mean += (messages.get(i).getCreateTimestamp() - mean) / (i + 1);
        }
        return mean;
    }

    /**
     * Reads the messages of a block, with their offsets and the block's append time. Their bodies are views: of the
     * block, or of what it was decompressed to, which they keep in memory.
     *
     * @param maxBytes most bytes of the block when decompressed
     */
    public static List<MessageAndOffset> read(MessageBlock block, long maxBytes) throws MalformedBlockException {
        ByteBuffer bytes = block.bufferForMessageBlock();
        boolean kafka = block.getCompressionType() == MessageCompressionType.NONE && isKafkaBatch(bytes);
        List<MessageAndOffset> messages =
                read(block, kafka ? bytes : BlockCompression.decompress(block.getCompressionType(), bytes, maxBytes));
        if (block.isSetAppendTimestamp()) {
            messages.forEach(each -> each.getMessage().setAppendTimestamp(block.getAppendTimestamp()));
        }
        return messages;
    }

    private static List<MessageAndOffset> read(MessageBlock block, ByteBuffer plain) throws MalformedBlockException {
        if (block.getCompressionType() == MessageCompressionType.NONE && isKafkaBatch(plain)) {
            return KafkaBatch.read(plain, block.getStartMessageOffset());
        }
        int count = block.getMessageNumber();
        if (count < 0 || count > plain.remaining() / MIN_MESSAGE_BYTES) {
            throw new MalformedBlockException("a block of " + plain.remaining() + " bytes and " + count + " messages");
        }
        List<MessageAndOffset> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (!plain.hasRemaining()) {
                throw new MalformedBlockException("a block of " + i + " messages that claims " + count);
            }
            messages.add(new MessageAndOffset(MessageFormat.read(plain), block.getStartMessageOffset() + i));
        }
        return messages;
    }

    /**
     * Checks what a block's head claims against its bytes without decompressing them and without an allocation: of
     * plain ones that the lengths of the messages lead to the end with the count, of compressed ones the framing, and
     * that they could hold as many messages.
     *
     * @throws MalformedBlockException with a sentence for the client
     */
    public static void checkClaims(MessageBlock block) throws MalformedBlockException {
        int size = block.bufferForMessageBlock().remaining();
        if (block.getMessageNumber() < 1) {
            throw new MalformedBlockException("a block of " + block.getMessageNumber() + " messages");
        }
        if (size == 0) {
            throw new MalformedBlockException("an empty block");
        }
        if (block.isSetMessageBlockSize() && block.getMessageBlockSize() != size) {
            throw new MalformedBlockException(
                    "a block of " + size + " bytes that claims " + block.getMessageBlockSize());
        }
        checkBytes(block);
    }

    private static void checkBytes(MessageBlock block) throws MalformedBlockException {
        ByteBuffer given = block.bufferForMessageBlock();
        ByteBuffer bytes = given.order() == ByteOrder.BIG_ENDIAN ? given : given.duplicate();
        long plainBytes = CompressedFrames.plainBytes(block.getCompressionType(), bytes);
        if (block.getMessageNumber() > plainBytes / MIN_MESSAGE_BYTES) {
            throw new MalformedBlockException(
                    "a block of " + bytes.remaining() + " bytes that claims " + block.getMessageNumber() + " messages");
        }
        if (block.getCompressionType() == MessageCompressionType.NONE) {
            checkFrames(block, bytes);
        }
    }

    private static void checkFrames(MessageBlock block, ByteBuffer plain) throws MalformedBlockException {
        if (block.getCompressionType() == MessageCompressionType.NONE && isKafkaBatch(plain)) {
            PlainFrames.checkKafkaBatch(plain, block.getMessageNumber());
        } else {
            PlainFrames.checkMessages(plain, block.getMessageNumber());
        }
    }

    /**
     * Decompresses a block and reads every message in it.
     *
     * @throws MalformedBlockException its contents differ from its head
     */
    public static void checkContents(MessageBlock block, long maxBytes) throws MalformedBlockException {
        ByteBuffer plain =
                BlockCompression.decompress(block.getCompressionType(), block.bufferForMessageBlock(), maxBytes);
        checkFrames(block, plain);
        int messages = read(block, plain).size();
        if (messages != block.getMessageNumber()) {
            throw new MalformedBlockException(
                    "a block of " + messages + " messages that claims " + block.getMessageNumber());
        }
    }

    /**
     * The bytes of a block's messages in version 3 with another compression, for readers that can't read the original.
     */
    public static ByteBuffer rewrite(MessageBlock block, MessageCompressionType to, long maxBytes)
            throws MalformedBlockException {
        List<Message> messages = new ArrayList<>();
        for (MessageAndOffset each : read(block, maxBytes)) {
            Message message = each.getMessage();
            message.unsetAppendTimestamp();
            messages.add(message);
        }
        return BlockCompression.compress(to, MessageFormat.writeV3(messages));
    }

    /** Whether uncompressed bytes are a Kafka batch, not messages of the contract. */
    public static boolean isKafkaBatch(ByteBuffer bytes) {
        return bytes.hasRemaining() && bytes.get(bytes.position()) == KafkaBatch.MARK;
    }
}

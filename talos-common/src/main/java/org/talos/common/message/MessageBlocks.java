// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
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
    /** An LZ4 block of this plain length, modulo 256, begins like a Kafka batch, and one of the SDKs cannot read it. */
    private static final int LZ4_UNREADABLE_LENGTH = KafkaBatch.MARK;

    /** The fewest bytes of a message, in any version. */
    public static final int MIN_MESSAGE_BYTES = 2 * Integer.BYTES;

    /**
     * The largest number of bytes by which version 3 of a message of an older version, or of Kafka, is longer, if its
     * texts are UTF-8. Each byte of malformed text may become three.
     */
    public static final int REWRITTEN_MESSAGE_BYTES = 48;

    private static final long LARGEST_ARRAY_BYTES = Integer.MAX_VALUE - 8;

    private MessageBlocks() {}

    /**
     * Writes messages in order to one block; fills in their missing create times and types.
     *
     * @param messages one or more
     * @param type compression wanted; in place of LZ4 it is SNAPPY for plain lengths that one SDK cannot read, and in
     *     place of SNAPPY and ZSTD it is GZIP in a process that cannot load their libraries
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
        MessageCompressionType usable = usable(type, plain.length);
        ByteBuffer bytes = BlockCompression.compress(usable, plain);
        MessageBlock block = new MessageBlock(0, messages.size(), usable, bytes);
        block.setMessageBlockSize(bytes.remaining());
        block.setCreateTimestamp(meanCreateTime(messages));
        return block;
    }

    private static MessageCompressionType usable(MessageCompressionType type, int plainBytes) {
        MessageCompressionType readable =
                type == MessageCompressionType.LZ4 && (plainBytes & 0xff) == LZ4_UNREADABLE_LENGTH
                        ? MessageCompressionType.SNAPPY
                        : type;
        return CompressionLibraries.canUse(readable) ? readable : MessageCompressionType.GZIP;
    }

    /** Returns the running mean of the create times as both SDKs compute it, with integer division. */
    private static long meanCreateTime(List<Message> messages) {
        long mean = messages.get(0).getCreateTimestamp();
        for (int i = 0; i < messages.size(); i++) {
            mean += (messages.get(i).getCreateTimestamp() - mean) / (i + 1);
        }
        return mean;
    }

    /**
     * Reads the messages of a block, with their offsets and the block's append time. Messages without a header
     * {@code traceparent} have that of the block, if it has one. Their bodies are views of the block, or of its
     * decompressed bytes, which they keep in memory.
     *
     * @param maxBytes most bytes of the block when decompressed
     */
    public static List<MessageAndOffset> read(MessageBlock block, long maxBytes) throws MalformedBlockException {
        List<MessageAndOffset> messages = new ArrayList<>();
        each(block, maxBytes, messages::add);
        return messages;
    }

    /**
     * Hands over the messages of a block one after another, as {@link #read} has them. Before the first one, all of the
     * block has been decompressed: one that holds more than {@code maxBytes} hands over none.
     *
     * @param to receives the messages
     */
    public static void each(MessageBlock block, long maxBytes, Consumer<MessageAndOffset> to)
            throws MalformedBlockException {
        each(block, plain(block, maxBytes), traced(block, to));
    }

    /** Gives messages the block's common fields; messages without headers share one map. */
    private static Consumer<MessageAndOffset> traced(MessageBlock block, Consumer<MessageAndOffset> to) {
        Optional<String> traceparent = TraceParent.of(block.getTraceparent());
        if (traceparent.isEmpty()) {
            return to;
        }
        ByteBuffer value = StandardCharsets.US_ASCII.encode(traceparent.get());
        Map<String, ByteBuffer> alone = Map.of(TraceParent.NAME, value);
        return each -> {
            Message message = each.getMessage();
            if (message.isSetHeaders()) {
                message.getHeaders().putIfAbsent(TraceParent.NAME, value);
            } else {
                message.setHeaders(alone);
            }
            to.accept(each);
        };
    }

    private static ByteBuffer plain(MessageBlock block, long maxBytes) throws MalformedBlockException {
        ByteBuffer bytes = block.bufferForMessageBlock();
        return isKafkaBatch(block, bytes)
                ? bytes
                : BlockCompression.decompress(block.getCompressionType(), bytes, maxBytes);
    }

    private static void each(MessageBlock block, ByteBuffer plain, Consumer<MessageAndOffset> to)
            throws MalformedBlockException {
        Consumer<MessageAndOffset> whole = block.isSetAppendTimestamp()
                ? each -> {
                    each.getMessage().setAppendTimestamp(block.getAppendTimestamp());
                    to.accept(each);
                }
                : to;
        if (isKafkaBatch(block, plain)) {
            KafkaBatch.read(plain, block.getStartMessageOffset(), whole);
        } else {
            eachMessage(block, plain, whole);
        }
    }

    private static void eachMessage(MessageBlock block, ByteBuffer plain, Consumer<MessageAndOffset> to)
            throws MalformedBlockException {
        int count = block.getMessageNumber();
        if (count < 0 || count > plain.remaining() / MIN_MESSAGE_BYTES) {
            throw new MalformedBlockException("a block of " + plain.remaining() + " bytes and " + count + " messages");
        }
        for (int i = 0; i < count; i++) {
            if (!plain.hasRemaining()) {
                throw new MalformedBlockException("a block of " + i + " messages that claims " + count);
            }
            to.accept(new MessageAndOffset(MessageFormat.read(plain), block.getStartMessageOffset() + i));
        }
    }

    /**
     * Checks the claims of a block's head against its bytes without decompressing them and without an allocation. In a
     * plain block, the lengths of the messages must lead to the end with the right count. In a compressed block, the
     * framing must be valid, and could hold that many messages.
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
        if (isKafkaBatch(block, plain)) {
            PlainFrames.checkKafkaBatch(plain, block.getMessageNumber());
        } else {
            PlainFrames.checkMessages(plain, block.getMessageNumber());
        }
    }

    /**
     * Decompresses a block and reads every message in it, of which it keeps none.
     *
     * @throws MalformedBlockException its contents differ from its head
     */
    public static void checkContents(MessageBlock block, long maxBytes) throws MalformedBlockException {
        ByteBuffer plain =
                BlockCompression.decompress(block.getCompressionType(), block.bufferForMessageBlock(), maxBytes);
        checkFrames(block, plain); // they are as many as it claims
        each(block, plain, unused -> {});
    }

    /** Where memory is had for messages in version 3. */
    @FunctionalInterface
    public interface Room {
        /**
         * Called once their length is known, before there is an array for them.
         *
         * @throws MalformedBlockException there is never so much memory
         */
        void reserve(long bytes) throws MalformedBlockException;
    }

    /**
     * Returns the bytes of a block's messages in version 3 with another compression, for readers that cannot read the
     * original, in an array of their own size. For a moment, takes four times the plain bytes, or four times their size
     * in version 3 if that is larger.
     *
     * @param room receives their sizes in version 3
     */
    public static ByteBuffer rewrite(MessageBlock block, MessageCompressionType to, long maxBytes, Room room)
            throws MalformedBlockException {
        ByteBuffer bytes = BlockCompression.compress(to, inVersion3(block, maxBytes, room));
        byte[] exact = new byte[bytes.remaining()];
        bytes.get(exact);
        return ByteBuffer.wrap(exact);
    }

    private static byte[] inVersion3(MessageBlock block, long maxBytes, Room room) throws MalformedBlockException {
        ByteBuffer plain = plain(block, maxBytes);
        AtomicLong length = new AtomicLong();
        each(block, plain.duplicate(), each -> length.addAndGet(MessageFormat.lengthV3(storedOnly(each))));
        if (length.get() > LARGEST_ARRAY_BYTES) {
            throw new MalformedBlockException("it holds more than " + LARGEST_ARRAY_BYTES + " bytes in version 3");
        }
        room.reserve(length.get());
        ByteBuffer out = ByteBuffer.allocate((int) length.get());
        each(block, plain, each -> MessageFormat.writeV3(storedOnly(each), out));
        return out.array();
    }

    /** Returns a message without the fields that are not stored in it. */
    private static Message storedOnly(MessageAndOffset read) {
        read.getMessage().unsetAppendTimestamp();
        return read.getMessage();
    }

    /** Returns whether uncompressed bytes are a Kafka batch, not messages of the contract. */
    public static boolean isKafkaBatch(ByteBuffer bytes) {
        return bytes.hasRemaining() && bytes.get(bytes.position()) == KafkaBatch.MARK;
    }

    private static boolean isKafkaBatch(MessageBlock block, ByteBuffer plain) {
        return block.getCompressionType() == MessageCompressionType.NONE && isKafkaBatch(plain);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.net.ProtocolException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.thrift.TException;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** Writes and reads the messages of streams, as docs/formats/stream.md defines them. Immutable. */
final class StreamMessages {
    static final int PUT_HEAD_BYTES = 32;

    private static final int PUT = 0x01;
    private static final int SUBSCRIBE = 0x03;
    private static final int UNSUBSCRIBE = 0x04;
    private static final int GRANT = 0x05;

    private static final int OPENED = 0x81;
    private static final int STORED = 0x82;
    private static final int REFUSED = 0x83;
    private static final int CREDIT = 0x84;
    private static final int BLOCK = 0x85;
    private static final int ENDED = 0x86;
    private static final int MOVE = 0x8a;

    private static final int ORDERED = 1;
    private static final int BYTE = 0xFF;
    private static final int SHORT_BYTES = 8;
    private static final int SUBSCRIBE_BYTES = 16;
    private static final int HEAD_BYTES = 4; // up to the bytes behind type, flags, and zeros
    private static final int PLACE_BYTES = 20;

    private StreamMessages() {}

    /**
     * Returns the head in front of the block of a put.
     *
     * @param ordered whether it is stored only if the put in front of it into its partition is
     */
    static ByteBuffer putHead(boolean ordered, int partition, long number, MessageBlock block) {
        return ByteBuffer.allocate(PUT_HEAD_BYTES)
                .put((byte) PUT)
                .put((byte) (ordered ? ORDERED : 0))
                .put((byte) block.getCompressionType().getValue())
                .put((byte) 0)
                .putInt(partition)
                .putLong(number)
                .putInt(block.getMessageNumber())
                .putLong(block.getCreateTimestamp())
                .putInt(block.bufferForMessageBlock().remaining())
                .flip();
    }

    /** @param from first offset, -1 for the earliest, -2 for the end */
    static ByteBuffer subscribe(int partition, long from) {
        return head(SUBSCRIBE, SUBSCRIBE_BYTES).putInt(partition).putLong(from).flip();
    }

    static ByteBuffer unsubscribe(int partition) {
        return head(UNSUBSCRIBE, SHORT_BYTES).putInt(partition).flip();
    }

    static ByteBuffer grant(int bytes) {
        return head(GRANT, SHORT_BYTES).putInt(bytes).flip();
    }

    private static ByteBuffer head(int type, int bytes) {
        return ByteBuffer.allocate(bytes).put((byte) type).put(new byte[HEAD_BYTES - 1]);
    }

    /** Reads a message of the server; the bytes of a block are copied. */
    static ServerMessage read(ByteBuffer message) throws ProtocolException {
        try {
            int cost = message.remaining();
            int type = message.get() & BYTE;
            int flags = message.get() & BYTE;
            var unused = message.getShort();
            return switch (type) {
                case OPENED -> new ServerMessage.Opened(message.getInt(), message.getInt(), message.getInt());
                case STORED -> stored(message);
                case REFUSED ->
                    new ServerMessage.Refused(
                            flags == 0, message.getInt(), message.getLong(), StreamProblem.read(message));
                case CREDIT -> new ServerMessage.Credit(message.getInt());
                case BLOCK -> block(cost, flags, message);
                case ENDED -> new ServerMessage.Ended(message.getInt(), StreamProblem.read(message));
                case MOVE -> new ServerMessage.Move(message.getInt());
                default -> throw new ProtocolException("a message of the unknown type " + type);
            };
        } catch (BufferUnderflowException | IndexOutOfBoundsException | NegativeArraySizeException e) {
            throw (ProtocolException) new ProtocolException("a message of lying lengths").initCause(e);
        }
    }

    private static ServerMessage stored(ByteBuffer message) {
        int count = Math.min(message.getInt(), message.remaining() / PLACE_BYTES);
        List<ServerMessage.Place> places = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            places.add(new ServerMessage.Place(message.getInt(), message.getLong(), message.getLong()));
        }
        return new ServerMessage.Stored(places);
    }

    private static ServerMessage block(int cost, int compression, ByteBuffer message) throws ProtocolException {
        int partition = message.getInt();
        long first = message.getLong();
        long asked = message.getLong();
        long end = message.getLong();
        int messages = message.getInt();
        long appended = message.getLong();
        long created = message.getLong();
        ByteBuffer attributes = message.slice(message.position() + 2 * Integer.BYTES, message.getInt());
        byte[] bytes = new byte[message.getInt()];
        message.position(message.position() + attributes.remaining()).get(bytes);
        MessageBlock block = attributed(attributes);
        block.setStartMessageOffset(first);
        block.setMessageNumber(messages);
        block.setCompressionType(MessageCompressionType.findByValue(compression));
        block.setMessageBlock(bytes);
        block.setMessageBlockSize(bytes.length);
        block.setAppendTimestamp(appended);
        if (created != 0) {
            block.setCreateTimestamp(created);
        }
        return new ServerMessage.Block(cost, partition, block, asked, end);
    }

    /** Returns a block with the fields that no SDK sets. */
    private static MessageBlock attributed(ByteBuffer attributes) throws ProtocolException {
        MessageBlock block = new MessageBlock();
        if (attributes.hasRemaining()) {
            byte[] bytes = new byte[attributes.remaining()];
            attributes.get(bytes);
            try {
                block.read(Wire.reader(ThriftEncoding.COMPACT, bytes, 0, bytes.length));
            } catch (TException e) {
                throw (ProtocolException) new ProtocolException("a block of unreadable attributes").initCause(e);
            }
        }
        return block;
    }
}

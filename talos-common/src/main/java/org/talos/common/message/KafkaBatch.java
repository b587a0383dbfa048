// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;

/**
 * Reads a block that consists of one Kafka record batch after the mark {@code 4b 00 00 00}, as a Kafka proxy writes it.
 * Offsets are the block's start plus each record's delta, which has to be its place: by any other one a reader would
 * pass over messages, or ask for the same ones again. Times are the batch's first plus each delta.
 *
 * <p>Immutable.
 */
final class KafkaBatch {
    static final byte MARK = 'K';

    private static final int ATTRIBUTES_AT = 29;
    private static final int FIRST_TIMESTAMP_AT = 35;
    private static final int BASE_SEQUENCE_AT = 61;
    static final int COUNT_AT = 65;
    static final int RECORDS_AT = 69;
    private static final int MAX_VARINT_BYTES = 10;

    private KafkaBatch() {}

    /** Hands over the messages of a batch. */
    static void read(ByteBuffer block, long startOffset, Consumer<MessageAndOffset> to) throws MalformedBlockException {
        ByteBuffer in = block.slice();
        checkHead(in);
        int count = in.getInt(COUNT_AT);
        in.position(RECORDS_AT);
        if (count < 0 || count > in.remaining()) {
            throw new MalformedBlockException("a Kafka batch of " + count + " records");
        }
        for (int i = 0; i < count; i++) {
            to.accept(record(in, startOffset, i));
        }
    }

    static void checkHead(ByteBuffer in) throws MalformedBlockException {
        if (in.remaining() < RECORDS_AT) {
            throw new MalformedBlockException("a Kafka batch cut in its head");
        }
        if ((in.getShort(in.position() + ATTRIBUTES_AT) & 7) != 0) {
            throw new MalformedBlockException("a compressed Kafka batch");
        }
    }

    private static MessageAndOffset record(ByteBuffer in, long startOffset, int place) throws MalformedBlockException {
        try {
            return new MessageAndOffset(record(in, place), startOffset + place);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new MalformedBlockException("a Kafka record cut short", e);
        }
    }

    private static Message record(ByteBuffer in, int place) throws MalformedBlockException {
        long length = varint(in); // before it is an int: it may be any number
        if (length < 0 || length > in.remaining()) {
            throw new MalformedBlockException("a Kafka record cut short");
        }
        int end = in.position() + (int) length;
        in.get(); // attributes
        long timestamp = in.getLong(FIRST_TIMESTAMP_AT) + varint(in);
        checkDelta(varint(in), place);
        byte[] key = bytes(in);
        byte[] value = bytes(in);
        if (in.position() > end) {
            throw new MalformedBlockException("a Kafka record longer than it claims");
        }
        in.position(end); // headers are skipped
        Message message = new Message();
        message.setPartitionKey(key == null ? "" : new String(key, StandardCharsets.UTF_8));
        message.setSequenceNumber(Integer.toString(in.get(BASE_SEQUENCE_AT) + place));
        message.setMessage(value == null ? new byte[0] : value);
        message.setCreateTimestamp(timestamp);
        message.setAppendTimestamp(timestamp);
        return message;
    }

    static void checkDelta(long offsetDelta, int place) throws MalformedBlockException {
        if (offsetDelta != place) {
            throw new MalformedBlockException("a Kafka record of the offset delta " + offsetDelta + " (expected: "
                    + place + ", its place in the batch)");
        }
    }

    private static byte @Nullable [] bytes(ByteBuffer in) throws MalformedBlockException {
        long length = varint(in);
        if (length > in.remaining()) {
            throw new MalformedBlockException("a Kafka record cut short");
        }
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[(int) length];
        in.get(bytes);
        return bytes;
    }

    private static long varint(ByteBuffer in) throws MalformedBlockException {
        long value = 0;
        for (int i = 0; i < MAX_VARINT_BYTES; i++) {
            byte next = in.get();
            value |= (next & 0x7fL) << (7 * i);
            if (next >= 0) {
                return value >>> 1 ^ -(value & 1);
            }
        }
        throw new MalformedBlockException("a number of more than " + MAX_VARINT_BYTES + " bytes");
    }
}

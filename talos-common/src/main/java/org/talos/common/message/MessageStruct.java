// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.talos.thrift.Message;
import org.talos.thrift.MessageType;

/**
 * Reads the struct Message in the compact encoding, in the form that every SDK writes, and no other. Thrift's reader
 * creates four objects for each message, and takes 2 µs until it is fully compiled, which is after half a million
 * messages. This reader takes a tenth.
 *
 * <p>Confined: the reader of one struct.
 */
final class MessageStruct {
    private static final byte I32 = 5; // types of the compact encoding
    private static final byte I64 = 6;
    private static final byte BINARY = 8;
    private static final int MOST_I32_BITS = 35; // of a number of 32 bits, in groups of seven
    private static final long MOST_I32 = 0xffff_ffffL;
    private static final int MOST_I64_BITS = 70;
    private static final int KEY = 1; // fields, as in the contract
    private static final int SEQUENCE_NUMBER = 2;
    private static final int BODY = 3;
    private static final int CREATED = 4;
    private static final int APPENDED = 5;
    private static final int TYPE = 6;

    private final byte[] bytes;
    private final int end;
    private int at;
    private boolean isUnusual;

    private MessageStruct(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        this.end = end;
        at = from;
    }

    /**
     * Returns the message of a struct; its body is a view.
     *
     * @return null if Thrift has to read it: it has other fields, or is damaged
     */
    static @Nullable Message read(byte[] bytes, int offset, int length) {
        return new MessageStruct(bytes, offset, offset + length).message();
    }

    private @Nullable Message message() {
        Message message = new Message();
        int field = 0;
        for (int head = next(); head != 0; head = next()) {
            int distance = head >>> 4;
            field += distance;
            if (isUnusual || distance == 0) { // the long form of a field's number
                return null;
            }
            read(field, head & 0xf, message);
        }
        return isUnusual || !message.isSetMessage() ? null : message;
    }

    private void read(int field, int type, Message message) {
        if (type != typeOf(field)) {
            isUnusual = true;
            return;
        }
        switch (field) {
            case KEY -> message.setPartitionKey(text());
            case SEQUENCE_NUMBER -> message.setSequenceNumber(text());
            case BODY -> message.setMessage(binary());
            case CREATED -> message.setCreateTimestamp(signed(MOST_I64_BITS));
            case APPENDED -> message.setAppendTimestamp(signed(MOST_I64_BITS));
            default -> message.setMessageType(MessageType.findByValue((int) signed(MOST_I32_BITS)));
        }
    }

    /** Returns the type of a field that is read here; 0 of others. */
    private static int typeOf(int field) {
        return switch (field) {
            case KEY, SEQUENCE_NUMBER, BODY -> BINARY;
            case CREATED, APPENDED -> I64;
            case TYPE -> I32;
            default -> 0;
        };
    }

    /** Returns the next byte; 0 at the end, which ends a struct too. */
    private int next() {
        if (at == end) {
            isUnusual = true;
            return 0;
        }
        return bytes[at++] & 0xff;
    }

    private long number(int mostBits) {
        long number = 0;
        for (int shift = 0; shift < mostBits; shift += 7) {
            int group = next();
            number |= (group & 0x7fL) << shift;
            if (group < 0x80) {
                isUnusual |= mostBits == MOST_I32_BITS && number > MOST_I32;
                return number;
            }
        }
        isUnusual = true;
        return 0;
    }

    private long signed(int mostBits) {
        long number = number(mostBits);
        return number >>> 1 ^ -(number & 1);
    }

    /** Returns the length of the next value; 0 if there are not that many bytes. */
    private int length() {
        long length = number(MOST_I32_BITS);
        if (length > end - at) {
            isUnusual = true;
            return 0;
        }
        return (int) length;
    }

    private String text() {
        int length = length();
        String text = new String(bytes, at, length, StandardCharsets.UTF_8);
        at += length;
        return text;
    }

    private ByteBuffer binary() {
        int length = length();
        ByteBuffer view = ByteBuffer.wrap(bytes, at, length);
        at += length;
        return view;
    }
}

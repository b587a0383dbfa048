// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.thrift.TException;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.Message;
import org.talos.thrift.MessageType;

/**
 * Writes and reads one message in the three versions of the contract, which may be mixed within a block:
 *
 * <pre>
 * version 1   i32 n, n bytes sequence number · i32 m, m bytes data
 * version 2   56 00 02 00 · i64 create time · i16 type · i16 n, n bytes sequence number · i32 m, m bytes data
 * version 3   56 00 03 00 · i32 n · n bytes: the struct Message in the compact encoding
 * </pre>
 *
 * <p>Immutable.
 */
final class MessageFormat {
    static final byte MARK = 'V';
    private static final int MARK_BYTES = 4;

    private MessageFormat() {}

    static void writeV1(Message message, ByteArrayOutputStream out) {
        byte[] sequence = sequenceNumber(message);
        byte[] data = data(message);
        ByteBuffer bytes = ByteBuffer.allocate(2 * Integer.BYTES + sequence.length + data.length);
        bytes.putInt(sequence.length).put(sequence).putInt(data.length).put(data);
        out.writeBytes(bytes.array());
    }

    static void writeV2(Message message, ByteArrayOutputStream out) {
        byte[] sequence = sequenceNumber(message);
        byte[] data = data(message);
        ByteBuffer bytes = ByteBuffer.allocate(MARK_BYTES + 16 + sequence.length + data.length);
        bytes.put(MARK).put((byte) 0).put((byte) 2).put((byte) 0);
        bytes.putLong(message.getCreateTimestamp());
        bytes.putShort((short) message.getMessageType().getValue());
        bytes.putShort((short) sequence.length)
                .put(sequence)
                .putInt(data.length)
                .put(data);
        out.writeBytes(bytes.array());
    }

    /** Returns the bytes of messages in version 3. */
    static byte[] writeV3(List<Message> messages) {
        List<ByteBuffer> parts = new ArrayList<>(4 * messages.size());
        try {
            for (Message each : messages) {
                parts.addAll(partsOfV3(each));
            }
        } catch (TException e) {
            throw new IllegalArgumentException("message: " + e.getMessage(), e);
        }
        ByteBuffer all = ByteBuffer.allocate(length(parts));
        parts.forEach(all::put);
        return all.array();
    }

    /** Writes a message in version 3; throws BufferOverflowException where there is no room. */
    static void writeV3(Message message, ByteBuffer out) {
        try {
            partsOfV3(message).forEach(out::put);
        } catch (TException e) {
            throw new IllegalArgumentException("message: " + e.getMessage(), e);
        }
    }

    /** Returns the length of a message in version 3. */
    static int lengthV3(Message message) {
        try {
            return length(partsOfV3(message));
        } catch (TException e) {
            throw new IllegalArgumentException("message: " + e.getMessage(), e);
        }
    }

    private static List<ByteBuffer> partsOfV3(Message message) throws TException {
        List<ByteBuffer> struct = Wire.parts(ThriftEncoding.COMPACT, message);
        ByteBuffer head = ByteBuffer.allocate(MARK_BYTES + Integer.BYTES);
        head.put(MARK).put((byte) 0).put((byte) 3).put((byte) 0).putInt(length(struct));
        List<ByteBuffer> parts = new ArrayList<>(struct.size() + 1);
        parts.add(head.flip());
        parts.addAll(struct);
        return parts;
    }

    private static int length(List<ByteBuffer> parts) {
        return parts.stream().mapToInt(ByteBuffer::remaining).sum();
    }

    /**
     * Reads the message of any version at the position of a buffer that has an array, and moves the position after it.
     * A body of version 3 is a view.
     */
    static Message read(ByteBuffer in) throws MalformedBlockException {
        if (in.remaining() < 2 * Integer.BYTES) {
            throw new MalformedBlockException("a message cut in its head");
        }
        if (in.get(in.position()) != MARK) {
            return readV1(in);
        }
        int version = version(in.getInt());
        return switch (version) {
            case 2 -> readV2(in);
            case 3 -> readV3(in);
            default -> throw unknown(version);
        };
    }

    /** Returns the version that stands in the mark of versions 2 and 3. */
    static int version(int mark) {
        return mark >>> 8 & 0xffff;
    }

    static MalformedBlockException unknown(int version) {
        return new MalformedBlockException("message version " + version + " (expected: 1, 2 or 3)");
    }

    static MalformedBlockException cutInBody(int length, int left) {
        return new MalformedBlockException("a message cut in its body: " + length + " bytes of " + left);
    }

    private static Message readV1(ByteBuffer in) throws MalformedBlockException {
        Message message = new Message();
        byte[] sequence = take(in, in.getInt());
        if (sequence.length > 0) {
            message.setSequenceNumber(new String(sequence, StandardCharsets.UTF_8));
        }
        message.setMessage(take(in, length(in)));
        return message;
    }

    private static Message readV2(ByteBuffer in) throws MalformedBlockException {
        if (in.remaining() < 16) {
            throw new MalformedBlockException("a message cut in its head");
        }
        Message message = new Message();
        message.setCreateTimestamp(in.getLong());
        MessageType type = MessageType.findByValue(in.getShort());
        if (type != null) {
            message.setMessageType(type);
        }
        byte[] sequence = take(in, in.getShort() & 0xffff);
        if (sequence.length > 0) {
            message.setSequenceNumber(new String(sequence, StandardCharsets.UTF_8));
        }
        message.setMessage(take(in, length(in)));
        return message;
    }

    private static Message readV3(ByteBuffer in) throws MalformedBlockException {
        int length = within(in, length(in));
        int at = in.position();
        in.position(at + length);
        Message usual = MessageStruct.read(in.array(), in.arrayOffset() + at, length);
        if (usual != null) {
            return usual;
        }
        Message message = new Message();
        try {
            message.read(Wire.reader(ThriftEncoding.COMPACT, in.array(), in.arrayOffset() + at, length));
        } catch (TException e) {
            throw new MalformedBlockException("a message that is not a struct", e);
        }
        return message;
    }

    private static int length(ByteBuffer in) throws MalformedBlockException {
        if (in.remaining() < Integer.BYTES) {
            throw new MalformedBlockException("a message cut in a length");
        }
        return in.getInt();
    }

    private static int within(ByteBuffer in, int length) throws MalformedBlockException {
        if (length < 0 || length > in.remaining()) {
            throw cutInBody(length, in.remaining());
        }
        return length;
    }

    private static byte[] take(ByteBuffer in, int length) throws MalformedBlockException {
        byte[] bytes = new byte[within(in, length)];
        in.get(bytes);
        return bytes;
    }

    private static byte[] sequenceNumber(Message message) {
        String sequence = message.getSequenceNumber();
        return sequence == null ? new byte[0] : sequence.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] data(Message message) {
        ByteBuffer data = message.bufferForMessage().duplicate();
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        return bytes;
    }
}

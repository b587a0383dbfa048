// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.thrift.TException;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Makes a block of one message around bytes that stay where they are: the frame and the fields of the message, in the
 * format of version 3, are written into the room on both sides.
 *
 * <p>Immutable.
 */
public final class RawMessage {
    /** Enough for a key, a tag and a few headers; if it is not, the bytes are copied once. */
    public static final int ROOM_BYTES = 512;

    private static final int MARK_AND_VERSION = 0x56000300;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private RawMessage() {}

    /**
     * Makes the block.
     *
     * @param body of an array of its own, with room on both sides
     * @param message all of the message but its bytes
     */
    public static MessageBlock around(ByteBuffer body, Message message) {
        int length = body.remaining();
        byte[] front = front(message, length);
        byte[] behind = behind(message, front.length - varintBytes(length));
        int frame = 2 * Integer.BYTES;
        int start = body.arrayOffset() + body.position() - front.length - frame;
        int end = body.arrayOffset() + body.limit() + behind.length;
        ByteBuffer framed;
        if (start >= 0 && end <= body.array().length) {
            framed = ByteBuffer.wrap(body.array(), start, end - start).slice();
        } else {
            framed = ByteBuffer.allocate(frame + front.length + length + behind.length);
            framed.put(frame + front.length, body, body.position(), length);
        }
        framed.putInt(MARK_AND_VERSION).putInt(front.length + length + behind.length);
        framed.put(front).position(framed.position() + length);
        framed.put(behind).flip();
        MessageBlock block = new MessageBlock(0, 1, MessageCompressionType.NONE, framed);
        block.setMessageBlockSize(framed.remaining());
        block.setCreateTimestamp(message.getCreateTimestamp());
        return block;
    }

    /** The struct up to the bytes: the encoding of a message that ends with its bytes, and their length. */
    private static byte[] front(Message message, int length) {
        Message before = new Message();
        before.setMessage(NOTHING.duplicate());
        if (message.isSetPartitionKey()) {
            before.setPartitionKey(message.getPartitionKey());
        }
        byte[] whole = bytes(before);
        int kept = whole.length - 2; // without the length of nothing, and the struct's end
        ByteBuffer front = ByteBuffer.allocate(kept + varintBytes(length)).put(whole, 0, kept);
        int rest = length;
        while (rest >= 0x80) {
            front.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        return front.put((byte) rest).array();
    }

    private static byte[] behind(Message message, int beforeLength) {
        Message empty = message.deepCopy();
        empty.setMessage(NOTHING.duplicate());
        byte[] whole = bytes(empty);
        int from = beforeLength + 1; // the length of nothing
        return Arrays.copyOfRange(whole, from, whole.length);
    }

    private static int varintBytes(int number) {
        return Math.max(1, (38 - Integer.numberOfLeadingZeros(number)) / 7);
    }

    private static byte[] bytes(Message message) {
        try {
            return Wire.bytes(ThriftEncoding.COMPACT, message);
        } catch (TException e) {
            throw new IllegalArgumentException("message: " + e.getMessage(), e);
        }
    }
}

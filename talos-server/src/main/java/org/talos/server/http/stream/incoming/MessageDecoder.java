// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream.incoming;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.rest.RawMessage;

/**
 * Reads a client's messages from pieces, in the format of docs/formats/stream.md. A put's bytes are copied once, into
 * an array of their size that is allocated when its head is complete and admitted. Nothing is allocated for a length
 * that is merely claimed.
 *
 * <p>Confined: one stream.
 */
public final class MessageDecoder implements MessageSource {
    static final byte PUT = 0x01;
    static final byte PUT_MESSAGE = 0x02;
    static final byte SUBSCRIBE = 0x03;
    static final byte UNSUBSCRIBE = 0x04;
    static final byte CREDIT = 0x05;
    static final byte JOIN = 0x06;
    static final byte COMMIT = 0x07;
    static final byte LEAVE = 0x08;

    static final int PUT_HEAD_BYTES = 32;
    static final int PUT_MESSAGE_HEAD_BYTES = 28;
    private static final int SUBSCRIBE_BYTES = 16;
    private static final int JOIN_BYTES = 12;
    private static final int SHORT_BYTES = 8;
    private static final int MOST_NAME_BYTES = 1 << 10; // of group and member together

    private static final int ORDERED = 0x01;
    private static final int FROM_LATEST = 0x01;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Admission admission;
    private final ByteBuffer head = ByteBuffer.allocate(PUT_HEAD_BYTES);
    private boolean inHead = true;
    private int expected; // bytes behind the head
    private int taken; // of them
    private int memory; // reserved for them
    private boolean kept;
    private ByteBuffer key = NOTHING;
    private ByteBuffer body = NOTHING;

    /** Decides on puts of which only the head is known. Confined: as the decoder. */
    public interface Admission {
        /**
         * Takes in a put whose bytes follow.
         *
         * @param bytes of the whole message
         * @param key bytes to be allocated in any case
         * @param body bytes to be allocated if there is memory for them
         * @return whether there is; if not, the body is skipped
         * @throws StreamEndException it cannot be sent at all
         */
        boolean admit(long bytes, int key, long body) throws StreamEndException;
    }

    public MessageDecoder(Admission admission) {
        this.admission = admission;
        head.limit(0);
    }

    /** Returns whether a message has begun and not ended. */
    public boolean isWithin() {
        return head.limit() > 0;
    }

    @Override
    public boolean isText() {
        return false;
    }

    @Override
    public long received() {
        return head.position() + (long) taken;
    }

    @Override
    public @Nullable ClientMessage take(ByteBuffer piece, boolean last) throws StreamEndException {
        if (inHead) {
            takeHead(piece);
        }
        if (!inHead) {
            takeBody(piece);
        }
        if (!last) {
            return null;
        }
        if (inHead || taken < expected) {
            throw StreamEndException.malformed("a message that ends before its length");
        }
        ClientMessage message = message();
        reset();
        return message;
    }

    @Override
    public void close() {} // memory for a put belongs to the session

    private void takeHead(ByteBuffer piece) throws StreamEndException {
        if (head.limit() == 0 && piece.hasRemaining()) {
            byte type = piece.get();
            head.clear().limit(headBytes(type)).put(type);
        }
        fill(head, piece);
        if (head.limit() > 0 && !head.hasRemaining()) {
            inHead = false;
            check();
        }
    }

    private static int headBytes(byte type) throws StreamEndException {
        return switch (type) {
            case PUT -> PUT_HEAD_BYTES;
            case PUT_MESSAGE -> PUT_MESSAGE_HEAD_BYTES;
            case SUBSCRIBE, COMMIT -> SUBSCRIBE_BYTES;
            case JOIN -> JOIN_BYTES;
            case UNSUBSCRIBE, CREDIT, LEAVE -> SHORT_BYTES;
            default -> throw StreamEndException.malformed("unknown type " + type);
        };
    }

    /** Checks a complete head, and makes room for the bytes behind it. */
    private void check() throws StreamEndException {
        byte type = head.get(0);
        if (type == PUT) {
            requireZero((head.get(1) & ~ORDERED) | head.get(3));
            notNegative(head.getInt(16));
            expectBody(0, notNegative(head.getInt(28)), 0);
        } else if (type == PUT_MESSAGE) {
            requireZero(head.get(1) & ~ORDERED);
            expectBody(notNegative(head.getShort(2)), notNegative(head.getInt(24)), RawMessage.ROOM_BYTES);
        } else if (type == JOIN) {
            requireZero((head.get(1) & ~FROM_LATEST) | head.getShort(10));
            notNegative(head.getInt(4));
            expectNames(notNegative(head.getShort(2)) + notNegative(head.getShort(8)));
        } else {
            checkShort(type);
        }
    }

    private void checkShort(byte type) throws StreamEndException {
        requireZero(head.get(1) | head.get(2) | head.get(3));
        if (type == CREDIT) {
            notNegative(head.getInt(4));
        } else if (type == LEAVE) {
            requireZero(head.getInt(4));
        } else if (type == COMMIT && head.getLong(8) < 0) {
            throw StreamEndException.malformed("a negative offset");
        }
    }

    private void expectNames(int bytes) throws StreamEndException {
        if (bytes > MOST_NAME_BYTES) {
            throw StreamEndException.malformed("names of more than " + MOST_NAME_BYTES + " bytes");
        }
        expected = bytes;
        key = ByteBuffer.allocate(bytes);
    }

    private static void requireZero(int bits) throws StreamEndException {
        if (bits != 0) {
            throw StreamEndException.malformed("bits that have to be zero");
        }
    }

    private static int notNegative(int number) throws StreamEndException {
        if (number < 0) {
            throw StreamEndException.malformed("a negative length or count");
        }
        return number;
    }

    private void expectBody(int keyBytes, int bodyBytes, int room) throws StreamEndException {
        long behind = (long) keyBytes + bodyBytes;
        long reserved = bodyBytes + 2L * room;
        kept = admission.admit(head.limit() + behind, keyBytes, reserved);
        expected = (int) behind; // an admitted put is no larger than the largest put
        memory = keyBytes;
        key = ByteBuffer.allocate(keyBytes);
        if (kept) {
            memory += (int) reserved;
            body = ByteBuffer.allocate(bodyBytes + 2 * room).position(room).limit(room + bodyBytes);
            body.mark();
        }
    }

    private void takeBody(ByteBuffer piece) throws StreamEndException {
        if (piece.remaining() > expected - taken) {
            throw StreamEndException.malformed("a message that continues behind its length");
        }
        taken += piece.remaining();
        fill(key, piece);
        if (kept) {
            fill(body, piece);
        } else {
            piece.position(piece.limit());
        }
    }

    private static void fill(ByteBuffer target, ByteBuffer piece) {
        int bytes = Math.min(target.remaining(), piece.remaining());
        target.put(target.position(), piece, piece.position(), bytes);
        target.position(target.position() + bytes);
        piece.position(piece.position() + bytes);
    }

    private ClientMessage message() throws StreamEndException {
        byte type = head.get(0);
        int partition = head.getInt(4);
        return switch (type) {
            case PUT, PUT_MESSAGE -> kept ? put(type, partition) : passedOver(partition);
            case SUBSCRIBE -> new ClientMessage.Subscribe(partition, offset(head.getLong(8)));
            case UNSUBSCRIBE -> new ClientMessage.Unsubscribe(partition);
            case JOIN -> join();
            case COMMIT -> new ClientMessage.Commit(partition, head.getLong(8));
            case LEAVE -> new ClientMessage.Leave();
            default -> new ClientMessage.Credit(partition);
        };
    }

    private ClientMessage join() throws StreamEndException {
        key.flip();
        int groupBytes = head.getShort(2);
        String group = text(key.slice(0, groupBytes));
        String member = text(key.slice(groupBytes, key.limit() - groupBytes));
        return new ClientMessage.Join(group, member, head.getInt(4), (head.get(1) & FROM_LATEST) != 0);
    }

    private static long offset(long from) throws StreamEndException {
        if (from < ClientMessage.Subscribe.END) {
            throw StreamEndException.malformed("a negative offset that stands for nothing");
        }
        return from;
    }

    private ClientMessage passedOver(int partition) throws StreamEndException {
        return new ClientMessage.PutPassedOver(isOrdered(), partition, key(), head.getLong(8), bytes(), memory);
    }

    private ClientMessage put(byte type, int partition) throws StreamEndException {
        long number = head.getLong(8);
        body.reset();
        return type == PUT
                ? new ClientMessage.PutBlock(
                        isOrdered(),
                        head.get(2) & 0xff,
                        partition,
                        number,
                        head.getInt(16),
                        head.getLong(20),
                        body,
                        bytes(),
                        memory)
                : new ClientMessage.PutMessage(
                        isOrdered(), partition, key(), number, head.getLong(16), body, bytes(), memory);
    }

    private boolean isOrdered() {
        return (head.get(1) & ORDERED) != 0;
    }

    private int bytes() {
        return head.limit() + expected;
    }

    private String key() throws StreamEndException {
        return text(key.flip());
    }

    private static String text(ByteBuffer bytes) throws StreamEndException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            throw StreamEndException.malformed("a key or a name that is not UTF-8");
        }
    }

    private void reset() {
        head.clear().limit(0);
        inHead = true;
        expected = 0;
        taken = 0;
        memory = 0;
        kept = false;
        key = NOTHING;
        body = NOTHING;
    }
}

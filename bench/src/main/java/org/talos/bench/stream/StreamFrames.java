// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The frames of a stream in buffers: the client's with a mask of zero, which changes no byte, and the server's messages
 * without a copy of those that come in one frame.
 *
 * <p>Confined: one connection.
 */
public final class StreamFrames {
    private static final int LAST = 0x80; // flag of the last frame of a message
    private static final int OP_CODE = 0x0f;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int FIRST_CONTROL = 8;
    private static final int MASKED = 0x80;
    private static final int MASK_BYTES = Integer.BYTES;
    private static final int LENGTH = 0x7f;
    private static final int SHORT_LENGTH = 126;
    private static final int LONG_LENGTH = 127;
    private static final int HEAD_BYTES = 2;
    private static final int UNSIGNED_SHORT = 0xffff;

    private ByteBuffer parts = ByteBuffer.allocate(0); // before its position: a message without its last frame

    /** Returns a message in one frame of the client. */
    public static ByteBuffer of(ByteBuffer message) {
        int length = message.remaining();
        ByteBuffer frame = ByteBuffer.allocateDirect(HEAD_BYTES + Long.BYTES + MASK_BYTES + length)
                .put((byte) (LAST | BINARY));
        if (length < SHORT_LENGTH) {
            frame.put((byte) (MASKED | length));
        } else if (length <= UNSIGNED_SHORT) {
            frame.put((byte) (MASKED | SHORT_LENGTH)).putShort((short) length);
        } else {
            frame.put((byte) (MASKED | LONG_LENGTH)).putLong(length);
        }
        return frame.putInt(0).put(message).flip();
    }

    /**
     * Takes the server's next message from a buffer.
     *
     * @param in the received bytes, from position to limit
     * @return the message, valid until the buffer changes; null as long as it is not whole
     * @throws IOException the server has closed the stream and said why
     */
    public @Nullable ByteBuffer next(ByteBuffer in) throws IOException {
        while (in.remaining() >= HEAD_BYTES) {
            int start = in.position();
            int head = in.get(start);
            int payloadAt = start + HEAD_BYTES + lengthBytes(in.get(start + 1) & LENGTH);
            if (in.limit() < payloadAt) {
                return null;
            }
            int length = length(in, start + 1);
            if (in.limit() - payloadAt < length) {
                return null;
            }
            ByteBuffer payload = in.slice(payloadAt, length);
            in.position(payloadAt + length);
            ByteBuffer message = message(head, payload);
            if (message != null) {
                return message;
            }
        }
        return null;
    }

    private static int lengthBytes(int first) {
        return switch (first) {
            case SHORT_LENGTH -> Short.BYTES;
            case LONG_LENGTH -> Long.BYTES;
            default -> 0;
        };
    }

    private static int length(ByteBuffer in, int at) {
        int first = in.get(at) & LENGTH;
        return switch (first) {
            case SHORT_LENGTH -> in.getShort(at + 1) & UNSIGNED_SHORT;
            case LONG_LENGTH -> Math.toIntExact(in.getLong(at + 1));
            default -> first;
        };
    }

    /** Returns the message that a frame completes; null if it completes none. */
    private @Nullable ByteBuffer message(int head, ByteBuffer payload) throws IOException {
        int opCode = head & OP_CODE;
        if (opCode == CLOSE) {
            throw new IOException("closed by the server: " + StandardCharsets.UTF_8.decode(payload));
        }
        if (opCode >= FIRST_CONTROL) {
            return null; // a heartbeat: the next frame of the client answers it
        }
        boolean isLast = (head & LAST) != 0;
        if (isLast && opCode == BINARY) {
            return payload;
        }
        parts = ByteBuffer.allocate(parts.position() + payload.remaining())
                .put(parts.flip())
                .put(payload);
        if (!isLast) {
            return null;
        }
        ByteBuffer whole = parts.flip();
        parts = ByteBuffer.allocate(0);
        return whole;
    }
}

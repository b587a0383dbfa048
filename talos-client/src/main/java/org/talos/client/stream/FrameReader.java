// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.talos.client.transport.socket.Wire;

/**
 * Reads the frames of a WebSocket's server (RFC 6455, section 5), and assembles messages. Memory is allocated as bytes
 * arrive, not as a length claims.
 *
 * <p>Confined: the stream's reading thread.
 */
final class FrameReader {
    static final int CONTINUATION = 0x0;
    static final int BINARY = 0x2;
    static final int CLOSE = 0x8;
    static final int PING = 0x9;
    static final int PONG = 0xA;

    private static final int BUFFER_BYTES = 64 << 10;
    private static final int FINAL = 0x80;
    private static final int RESERVED = 0x70;
    private static final int OPCODE = 0x0F;
    private static final int CONTROL = 0x8;
    private static final int MASKED = 0x80;
    private static final int LONG = 126;
    private static final int VERY_LONG = 127;
    private static final int BELIEVED_BYTES = 1 << 20;

    private final Wire in;
    private final int mostBytes;
    private final byte[] bytes = new byte[BUFFER_BYTES];
    private final ByteBuffer buffer = ByteBuffer.wrap(bytes).limit(0); // received, and not yet read
    private int opcode;
    private boolean isFinal;
    private boolean isWithin; // within a message that has not ended
    private int messageKind;
    private byte[] message = new byte[0];
    private int messageBytes;

    /** A message, or a control frame. Confined: as the reader; its bytes are valid until the next one is read. */
    record Received(int opcode, ByteBuffer payload) {}

    /** @param mostBytes of a message */
    FrameReader(Wire in, int mostBytes) {
        this.in = in;
        this.mostBytes = mostBytes;
    }

    /** Waits for the next message or control frame, which may come between the frames of a message. */
    Received next() throws IOException {
        while (true) {
            int length = head();
            if ((opcode & CONTROL) != 0) {
                return new Received(opcode, whole(length));
            }
            if ((opcode == CONTINUATION) != isWithin) {
                throw new ProtocolException("frames that make no message");
            }
            if (isFinal && !isWithin) {
                return new Received(opcode, whole(length));
            }
            add(length);
            if (isFinal) {
                isWithin = false;
                return new Received(messageKind, ByteBuffer.wrap(message, 0, messageBytes));
            }
        }
    }

    /** Adds a frame to the message that it begins or continues. */
    private void add(int length) throws IOException {
        if (!isWithin) {
            isWithin = true;
            messageKind = opcode;
            message = new byte[length];
            messageBytes = 0;
        }
        if ((long) messageBytes + length > mostBytes) {
            throw new ProtocolException("a message of more than " + mostBytes + " bytes");
        }
        ByteBuffer piece = whole(length);
        if (messageBytes + length > message.length) {
            message = Arrays.copyOf(message, Math.max(messageBytes + length, 2 * messageBytes));
        }
        piece.get(message, messageBytes, length);
        messageBytes += length;
    }

    /** Reads the head of a frame, and returns the length of its payload. */
    private int head() throws IOException {
        int first = read();
        int second = read();
        opcode = first & OPCODE;
        isFinal = (first & FINAL) != 0;
        if ((first & RESERVED) != 0 || (second & MASKED) != 0) {
            throw new ProtocolException("a frame that no server sends");
        }
        long length = length(second);
        boolean isControl = (opcode & CONTROL) != 0;
        if (isControl ? !isFinal || length >= LONG : length < 0 || length > mostBytes) {
            throw new ProtocolException("a frame of " + length + " bytes (expected: " + mostBytes + " at most)");
        }
        return (int) length;
    }

    private long length(int second) throws IOException {
        if (second < LONG) {
            return second;
        }
        long length = 0;
        for (int i = 0; i < (second == VERY_LONG ? Long.BYTES : Short.BYTES); i++) {
            length = length << Byte.SIZE | read();
        }
        return length;
    }

    /**
     * Returns the payload of a frame: in the reader's buffer if it has arrived already, otherwise in an array of its
     * own.
     */
    private ByteBuffer whole(int length) throws IOException {
        if (length <= buffer.remaining()) {
            ByteBuffer payload = buffer.slice(buffer.position(), length);
            buffer.position(buffer.position() + length);
            return payload;
        }
        byte[] payload = new byte[Math.min(length, BELIEVED_BYTES)];
        int at = 0;
        while (at < length) {
            payload = at < payload.length ? payload : Arrays.copyOf(payload, (int) Math.min(length, 2L * at));
            at = fill(payload, at);
        }
        return ByteBuffer.wrap(payload);
    }

    private int fill(byte[] target, int from) throws IOException {
        int buffered = Math.min(buffer.remaining(), target.length - from);
        buffer.get(target, from, buffered);
        int at = from + buffered;
        while (at < target.length) {
            int some = in.read(target, at, target.length);
            if (some < 0) {
                throw new EOFException("the connection was closed within a message");
            }
            at += some;
        }
        return at;
    }

    private int read() throws IOException {
        if (!buffer.hasRemaining()) {
            in.await();
            int some = in.read(bytes, 0, bytes.length);
            if (some < 0) {
                throw new EOFException("the connection was closed without a word");
            }
            buffer.position(0).limit(some);
        }
        return buffer.get() & 0xFF;
    }
}

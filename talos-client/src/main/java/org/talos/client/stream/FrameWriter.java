// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.List;
import org.talos.client.transport.socket.Wire;

/**
 * Writes the frames of a WebSocket's client (RFC 6455, section 5) through one buffer, so that many small messages leave
 * in one write. Masks each message in place.
 *
 * <p>Confined: the stream's writing thread.
 */
final class FrameWriter {
    static final int BINARY = 0x2;
    static final int CLOSE = 0x8;
    static final int PING = 0x9;
    static final int PONG = 0xA;

    private static final int BUFFER_BYTES = 64 << 10;
    private static final int MOST_HEAD_BYTES = 14;
    private static final int FINAL = 0x80;
    private static final int MASKED = 0x80;
    private static final int LONG = 126;
    private static final int VERY_LONG = 127;
    private static final int SHORTS = 1 << 16;
    private static final int KEY_BYTES = 4 << 10; // of keys that are drawn at once: a draw costs more than a frame

    private static final boolean IS_LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final Wire out;
    private final byte[] bytes = new byte[BUFFER_BYTES];
    private final ByteBuffer buffer = ByteBuffer.wrap(bytes);
    private final SecureRandom random = new SecureRandom();
    private final ByteBuffer keys = ByteBuffer.allocate(KEY_BYTES).limit(0);

    FrameWriter(Wire out) {
        this.out = out;
    }

    /** Writes a message as one frame; the parts' positions are not changed. */
    void write(int opcode, List<ByteBuffer> parts) throws IOException {
        long length = 0;
        for (ByteBuffer part : parts) {
            length += part.remaining();
        }
        if (buffer.remaining() < MOST_HEAD_BYTES) {
            flush();
        }
        buffer.put((byte) (FINAL | opcode));
        if (length < LONG) {
            buffer.put((byte) (MASKED | length));
        } else if (length < SHORTS) {
            buffer.put((byte) (MASKED | LONG)).putShort((short) length);
        } else {
            buffer.put((byte) (MASKED | VERY_LONG)).putLong(length);
        }
        int key = key();
        buffer.putInt(key);
        int at = 0; // of the payload
        for (ByteBuffer part : parts) {
            at = copy(part, key, at);
        }
    }

    /** Copies a part, masked; returns the length of the payload behind it. */
    private int copy(ByteBuffer part, int key, int before) throws IOException {
        int at = before;
        int from = part.position();
        while (from < part.limit()) {
            if (!buffer.hasRemaining()) {
                flush();
            }
            int start = buffer.position();
            int some = Math.min(part.limit() - from, buffer.remaining());
            buffer.put(start, part, from, some).position(start + some);
            mask(start, start + some, Integer.rotateLeft(key, Byte.SIZE * (at & 3)));
            from += some;
            at += some;
        }
        return at;
    }

    private void mask(int from, int to, int key) {
        long wide = ((long) key << Integer.SIZE) | (key & 0xFFFF_FFFFL);
        long asItLies = IS_LITTLE_ENDIAN ? Long.reverseBytes(wide) : wide;
        int at = from;
        for (; at < to - (Long.BYTES - 1); at += Long.BYTES) { // of this form the compiler takes several at a time
            LONGS.set(bytes, at, (long) LONGS.get(bytes, at) ^ asItLies);
        }
        for (int shift = Long.SIZE - Byte.SIZE; at < to; at++, shift -= Byte.SIZE) {
            bytes[at] ^= (byte) (wide >>> shift);
        }
    }

    private int key() {
        if (!keys.hasRemaining()) {
            random.nextBytes(keys.clear().array());
        }
        return keys.getInt();
    }

    /** Hands the written bytes to the connection. */
    void flush() throws IOException {
        out.write(List.of(ByteBuffer.wrap(bytes, 0, buffer.position())));
        buffer.clear();
    }
}

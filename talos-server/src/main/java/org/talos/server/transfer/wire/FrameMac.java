// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Mac;

/**
 * Computes and checks the message authentication codes of one direction of a connection: HMAC-SHA-256 over a frame's
 * number and its message, cut to 16 bytes. Takes a message piece by piece, as it is received.
 *
 * <p>Confined: the reader, or the writer, of that direction.
 */
public final class FrameMac {
    /** The length of a code. */
    public static final int BYTES = 16;

    private final Mac mac;
    private final byte[] number = new byte[Long.BYTES];

    /** A code with the key of one direction, see {@link Handshake}. */
    public FrameMac(byte[] key) {
        mac = TransferKey.mac(key);
    }

    /** Begins a frame with its number. */
    public void begin(long id) {
        ByteBuffer.wrap(number).putLong(id);
        mac.update(number);
    }

    /** Takes the next bytes of its message. */
    public void update(byte[] bytes, int offset, int length) {
        mac.update(bytes, offset, length);
    }

    /** Takes the next bytes of its message; the buffer's position stays. */
    public void update(ByteBuffer bytes) {
        mac.update(bytes.duplicate());
    }

    /** Ends the frame with its code. */
    private byte[] end() {
        return Arrays.copyOf(mac.doFinal(), BYTES);
    }

    /** Ends the frame; returns whether its code equals the received one, compared in constant time. */
    public boolean matches(byte[] received) {
        return MessageDigest.isEqual(received, end());
    }

    /** Returns the header of a frame with this message. */
    public ByteBuffer header(long id, List<ByteBuffer> message) {
        int bytes = Frame.HEADER_BYTES - Integer.BYTES;
        begin(id);
        for (ByteBuffer each : message) {
            update(each);
            bytes += each.remaining();
        }
        return ByteBuffer.allocate(Frame.HEADER_BYTES)
                .putInt(bytes)
                .putLong(id)
                .put(end())
                .flip();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Mac;

/**
 * Makes and checks the seals of one direction of one connection: a code over a frame's number and its message. Ends
 * each frame, so it can be fed piece by piece while the bytes come.
 *
 * <p>Confined: whoever reads, or writes, that direction.
 */
public final class FrameMac {
    public static final int BYTES = 16;

    private final Mac mac;
    private final byte[] number = new byte[Long.BYTES];

    public FrameMac(byte[] key) {
        mac = TransferKey.mac(key);
    }

    /** Begins a frame. */
    public void begin(long id) {
        ByteBuffer.wrap(number).putLong(id);
        mac.update(number);
    }

    /** The next bytes of its message. */
    public void add(byte[] bytes, int offset, int length) {
        mac.update(bytes, offset, length);
    }

    /** The next bytes of its message; the buffer's position stays. */
    public void add(ByteBuffer bytes) {
        mac.update(bytes.duplicate());
    }

    /** Ends the frame. */
    byte[] end() {
        return Arrays.copyOf(mac.doFinal(), BYTES);
    }

    /** Ends the frame; whether it has the seal that came with it. */
    public boolean endsAs(byte[] seal) {
        return MessageDigest.isEqual(seal, end());
    }

    /** Length, number and seal of a frame: what goes before its message. */
    public ByteBuffer head(long id, List<ByteBuffer> message) {
        int bytes = Frame.HEAD_BYTES - Integer.BYTES;
        begin(id);
        for (ByteBuffer each : message) {
            add(each);
            bytes += each.remaining();
        }
        return ByteBuffer.allocate(Frame.HEAD_BYTES)
                .putInt(bytes)
                .putLong(id)
                .put(end())
                .flip();
    }
}

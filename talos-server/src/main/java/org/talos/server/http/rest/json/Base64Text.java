// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.talos.server.http.body.Body;

/**
 * Bytes as base64, with padding and without line breaks. The JDK's encoder needs an array for each part of the bytes;
 * this encodes from buffer to buffer.
 *
 * <p>Confined: the writer of one answer.
 */
final class Base64Text implements Body {
    private static final byte[] ALPHABET =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".getBytes(StandardCharsets.US_ASCII);
    private static final int GROUP_BYTES = 3;
    private static final int GROUP_CHARACTERS = 4;
    private static final int SIX_BITS = 0x3f;
    private static final byte PADDING = '=';

    private final ByteBuffer bytes;

    /** @param bytes any; the buffer's position stays */
    Base64Text(ByteBuffer bytes) {
        this.bytes = bytes.duplicate();
    }

    @Override
    public void fill(ByteBuffer target) {
        int groups = Math.min(bytes.remaining() / GROUP_BYTES, target.remaining() / GROUP_CHARACTERS);
        for (int i = 0; i < groups; i++) {
            int group = ((bytes.get() & 0xff) << 16) | ((bytes.get() & 0xff) << 8) | (bytes.get() & 0xff);
            target.put(character(group >>> 18));
            target.put(character(group >>> 12));
            target.put(character(group >>> 6));
            target.put(character(group));
        }
        if (bytes.hasRemaining() && bytes.remaining() < GROUP_BYTES && target.remaining() >= GROUP_CHARACTERS) {
            int first = bytes.get() & 0xff;
            int second = bytes.hasRemaining() ? bytes.get() & 0xff : -1;
            target.put(character(first >>> 2));
            target.put(character((first << 4) | (Math.max(second, 0) >>> 4)));
            target.put(second < 0 ? PADDING : character(second << 2));
            target.put(PADDING);
        }
    }

    private static byte character(int bits) {
        return ALPHABET[bits & SIX_BITS];
    }

    @Override
    public boolean isDone() {
        return !bytes.hasRemaining();
    }

    @Override
    public long mostBytes() {
        return (bytes.remaining() + GROUP_BYTES - 1L) / GROUP_BYTES * GROUP_CHARACTERS;
    }
}

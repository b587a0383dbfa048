// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * The key of a row: a table, then parts. Each part carries its length, so no part, whatever a client chose, can be read
 * as part of its neighbor, and a prefix of whole parts is a prefix of bytes.
 *
 * <pre>
 * table   1 byte, 'a' to 'z'
 * part    2 bytes length, big-endian, then the bytes: UTF-8 text or a 4-byte big-endian number; any number of parts
 * </pre>
 *
 * <p>Keys are ordered as unsigned bytes: parts of one length by their bytes, shorter parts first.
 *
 * <p>Immutable.
 */
public final class RowKey implements Comparable<RowKey> {
    private static final int MAX_PART_BYTES = 0xffff;

    private final byte[] bytes;

    private RowKey(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The prefix of all keys of a table. */
    public static RowKey table(char letter) {
        if (letter < 'a' || letter > 'z') {
            throw new IllegalArgumentException("table: " + letter + " (expected: a..z)");
        }
        return new RowKey(new byte[] {(byte) letter});
    }

    /**
     * Decodes a key.
     *
     * @throws IllegalArgumentException the bytes are no key
     */
    public static RowKey parse(byte[] bytes) {
        if (bytes.length == 0 || bytes[0] < 'a' || bytes[0] > 'z') {
            throw new IllegalArgumentException("row key without a table");
        }
        int at = 1;
        while (at < bytes.length) {
            int length = bytes.length - at < 2 ? MAX_PART_BYTES : lengthAt(bytes, at);
            at += 2 + length;
        }
        if (at != bytes.length) {
            throw new IllegalArgumentException("row key with a truncated part");
        }
        return new RowKey(bytes.clone());
    }

    /** This key with a part of text appended. */
    public RowKey and(String part) {
        return and(part.getBytes(StandardCharsets.UTF_8));
    }

    /** This key with a number of 0 or more appended: keys are ordered as their numbers. */
    public RowKey and(int part) {
        if (part < 0) {
            throw new IllegalArgumentException("part: " + part + " (expected: 0 or more)");
        }
        return and(ByteBuffer.allocate(Integer.BYTES).putInt(part).array());
    }

    private RowKey and(byte[] part) {
        if (part.length > MAX_PART_BYTES) {
            throw new IllegalArgumentException("part: " + part.length + " bytes (expected: 0.." + MAX_PART_BYTES + ")");
        }
        ByteBuffer longer = ByteBuffer.allocate(bytes.length + 2 + part.length);
        longer.put(bytes).putShort((short) part.length).put(part);
        return new RowKey(longer.array());
    }

    /** The part at the index as text. */
    public String text(int index) {
        return StandardCharsets.UTF_8.decode(part(index)).toString();
    }

    /** The part at the index as a number. */
    public int number(int index) {
        return part(index).getInt();
    }

    /** The encoded key, a copy. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Returns whether this key begins with all parts of the prefix. */
    public boolean startsWith(RowKey prefix) {
        int length = prefix.bytes.length;
        return bytes.length >= length && Arrays.equals(bytes, 0, length, prefix.bytes, 0, length);
    }

    private ByteBuffer part(int index) {
        int at = 1;
        for (int skipped = 0; skipped < index && at < bytes.length; skipped++) {
            at += 2 + lengthAt(bytes, at);
        }
        if (index < 0 || at >= bytes.length) {
            throw new IndexOutOfBoundsException("part " + index + " of " + this);
        }
        return ByteBuffer.wrap(bytes, at + 2, lengthAt(bytes, at)).slice();
    }

    private static int lengthAt(byte[] bytes, int at) {
        return ((bytes[at] & 0xff) << 8) | (bytes[at + 1] & 0xff);
    }

    @Override
    public int compareTo(RowKey other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RowKey that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Table and parts, readable: printable ASCII as it is, all else as hex. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder().append((char) bytes[0]);
        for (int at = 1; at < bytes.length; at += 2 + lengthAt(bytes, at)) {
            text.append('/');
            for (int i = at + 2; i < at + 2 + lengthAt(bytes, at); i++) {
                boolean printable = bytes[i] > ' ' && bytes[i] < 0x7f && bytes[i] != '/' && bytes[i] != '%';
                text.append(
                        printable ? String.valueOf((char) bytes[i]) : String.format(Locale.ROOT, "%%%02x", bytes[i]));
            }
        }
        return text.toString();
    }
}

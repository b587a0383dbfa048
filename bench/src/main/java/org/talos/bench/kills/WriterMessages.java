// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kills;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Messages that say who wrote them and which of his they are, and whose other bytes follow from that. Immutable.
 *
 * @param size of a message in bytes
 */
record WriterMessages(int size) {
    static final int SMALLEST = Integer.BYTES + Long.BYTES;

    /** Refuses a size without room for writer and number. */
    WriterMessages {
        if (size < SMALLEST) {
            throw new IllegalArgumentException("size: " + size + " (expected: " + SMALLEST + " or more)");
        }
    }

    /** Writer and number of a message. Immutable. */
    record Name(int writer, long number) {}

    byte[] of(int writer, long number) {
        byte[] message = new byte[size];
        Arrays.fill(message, filler(writer, number));
        ByteBuffer.wrap(message).putInt(writer).putLong(number);
        return message;
    }

    /**
     * Returns the name of a message.
     *
     * @throws IllegalArgumentException if it is none of these, or has other bytes than it was written with
     */
    Name read(byte[] message) {
        if (message.length != size) {
            throw new IllegalArgumentException("a message of " + message.length + " bytes, not " + size);
        }
        ByteBuffer buffer = ByteBuffer.wrap(message);
        Name name = new Name(buffer.getInt(), buffer.getLong());
        if (!Arrays.equals(message, of(name.writer, name.number))) {
            throw new IllegalArgumentException("the bytes of " + name + " are others than were written");
        }
        return name;
    }

    private static byte filler(int writer, long number) {
        return (byte) (31L * writer + number);
    }
}

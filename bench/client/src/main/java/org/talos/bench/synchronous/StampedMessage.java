// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/**
 * The messages of one partition: a number that grows by one, the time, and bytes that cannot be compressed and are the
 * same in all of them. Confined: one thread.
 */
final class StampedMessage {
    private final byte[] bytes;
    private final ByteBuffer stamp;
    private final ByteBuffer same; // what all messages have in common

    StampedMessage(int partition, int size) {
        bytes = new byte[size];
        new Random(partition).nextBytes(bytes);
        stamp = ByteBuffer.wrap(bytes);
        same = stamp.slice(SynchronousSettings.LEAST_SIZE, size - SynchronousSettings.LEAST_SIZE);
    }

    /** The array of every message, which is changed by the next. */
    byte[] of(long number, long nanos) {
        stamp.putLong(0, number).putLong(Long.BYTES, nanos);
        return bytes;
    }

    /** Returns whether a message has the given number. */
    boolean isNumber(long number, byte[] message) {
        return message.length == bytes.length
                && ByteBuffer.wrap(message).getLong(0) == number
                && Arrays.equals(
                        message,
                        SynchronousSettings.LEAST_SIZE,
                        message.length,
                        bytes,
                        SynchronousSettings.LEAST_SIZE,
                        bytes.length);
    }

    /** Returns whether the message between position and limit of a buffer has the given number. */
    boolean isNumber(long number, ByteBuffer message) {
        int at = message.position();
        return message.remaining() == bytes.length
                && message.getLong(at) == number
                && message.slice(at + SynchronousSettings.LEAST_SIZE, bytes.length - SynchronousSettings.LEAST_SIZE)
                        .equals(same);
    }

    /**
     * Checks that a message has the given number.
     *
     * @throws IllegalStateException it is another one
     */
    void requireNumber(long number, ByteBuffer message, int partition) {
        if (!isNumber(number, message)) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "partition %d: another message of %d bytes than number %d",
                    partition,
                    message.remaining(),
                    number));
        }
    }

    /** The time that stands in a message. */
    static long nanos(byte[] message) {
        return ByteBuffer.wrap(message).getLong(Long.BYTES);
    }

    /** The time that stands in the message at the position of a buffer. */
    static long nanos(ByteBuffer message) {
        return message.getLong(message.position() + Long.BYTES);
    }
}

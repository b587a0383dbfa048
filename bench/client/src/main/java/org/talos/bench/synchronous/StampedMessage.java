// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/**
 * The messages of one partition: a number that grows by one, the time, and bytes that cannot be compressed and are the
 * same in all of them. Confined: one thread.
 */
final class StampedMessage {
    private final byte[] bytes;
    private final ByteBuffer stamp;

    StampedMessage(int partition, int size) {
        bytes = new byte[size];
        new Random(partition).nextBytes(bytes);
        stamp = ByteBuffer.wrap(bytes);
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

    /** The time that stands in a message. */
    static long nanos(byte[] message) {
        return ByteBuffer.wrap(message).getLong(Long.BYTES);
    }
}

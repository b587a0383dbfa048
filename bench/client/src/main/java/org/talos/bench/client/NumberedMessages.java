// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.client;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/**
 * Messages that cannot be compressed and begin with their number, so that what was read can be summed up.
 *
 * <p>Immutable.
 */
final class NumberedMessages {
    private static final int POOL_BYTES = 16 << 20;
    private static final long SPREAD = 0x9E3779B97F4A7C15L; // neighbors are taken from places far apart
    private static final long SEED = 1;

    private final byte[] pool = new byte[POOL_BYTES];
    private final int size;

    NumberedMessages(int size) {
        this.size = size;
        new Random(SEED).nextBytes(pool);
    }

    /** A new array. */
    byte[] message(long number) {
        int from = (int) Long.remainderUnsigned(number * SPREAD, POOL_BYTES - size);
        byte[] message = Arrays.copyOfRange(pool, from, from + size);
        ByteBuffer.wrap(message).putLong(number);
        return message;
    }

    /** The number of a message. */
    long number(byte[] message) {
        if (message.length != size) {
            throw new IllegalStateException("a message of " + message.length + " bytes (expected: " + size + ")");
        }
        return ByteBuffer.wrap(message).getLong();
    }
}

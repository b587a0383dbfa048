// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.quickstart;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * Messages that anyone can make again from their number: 1 byte to 64 KiB, most of them small, half text and half
 * noise. Immutable.
 */
final class SampleMessages {
    private static final int MAX_BYTES = 64 << 10;
    private static final int HEAD_BYTES = Integer.BYTES;

    private final long seed;

    SampleMessages(long seed) {
        this.seed = seed;
    }

    byte[] message(int number) {
        SplittableRandom random = new SplittableRandom(seed * 31 + number);
        int most = random.nextInt(10) == 0 ? MAX_BYTES : 2_048;
        byte[] bytes = new byte[1 + random.nextInt(most)];
        if (random.nextBoolean()) {
            random.nextBytes(bytes);
        } else {
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) ('a' + (i + number) % 26);
            }
        }
        if (bytes.length >= HEAD_BYTES) {
            ByteBuffer.wrap(bytes).putInt(number);
        }
        return bytes;
    }
}

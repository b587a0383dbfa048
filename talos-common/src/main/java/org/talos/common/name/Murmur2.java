// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

/** Austin Appleby's MurmurHash2 of 32 bits with the seed that Kafka's clients place keys by. Immutable. */
final class Murmur2 {
    private static final int SEED = 0x9747b28c;
    private static final int FACTOR = 0x5bd1e995;
    private static final int SHIFT = 24;

    private Murmur2() {}

    static int hash(byte[] bytes) {
        int hash = SEED ^ bytes.length;
        int words = bytes.length & ~3;
        for (int i = 0; i < words; i += 4) {
            int word = (bytes[i] & 0xff)
                    | ((bytes[i + 1] & 0xff) << 8)
                    | ((bytes[i + 2] & 0xff) << 16)
                    | ((bytes[i + 3] & 0xff) << 24);
            word *= FACTOR;
            word ^= word >>> SHIFT;
            hash = (hash * FACTOR) ^ (word * FACTOR);
        }
        if (bytes.length > words) {
            for (int i = bytes.length - 1; i >= words; i--) {
                hash ^= (bytes[i] & 0xff) << (8 * (i - words));
            }
            hash *= FACTOR;
        }
        hash ^= hash >>> 13;
        hash *= FACTOR;
        return hash ^ (hash >>> 15);
    }
}

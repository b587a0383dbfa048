// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.quickstart;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.talos.client.producer.Compression;

/**
 * Messages that can be generated again from a seed, so that received messages are compared with the sent ones without
 * keeping either. Immutable.
 *
 * @param messages in all
 */
record Workload(long seed, int messages, int partitions) {
    private static final int MAX_BATCH = 8;
    private static final int MAX_SIZE_BITS = 16;
    private static final byte[] WORDS =
            "a partition is an ordered log and an offset is a place in it ".getBytes(StandardCharsets.US_ASCII);

    /** Messages that go together in one put. Immutable. */
    record Batch(int partition, int first, int count, Compression compression) {}

    /** Returns the number of messages of a partition. */
    int count(int partition) {
        return messages / partitions + (partition < messages % partitions ? 1 : 0);
    }

    /** Returns all puts of a partition, in order. */
    List<Batch> batches(int partition) {
        SplittableRandom random = random(partition, -1);
        Compression[] compressions = Compression.values();
        List<Batch> batches = new ArrayList<>();
        for (int next = 0; next < count(partition); ) {
            int count = Math.min(1 + random.nextInt(MAX_BATCH), count(partition) - next);
            batches.add(new Batch(partition, next, count, compressions[random.nextInt(compressions.length)]));
            next += count;
        }
        return batches;
    }

    /** Returns a message: 1 byte to 64 KiB, small ones as many as large ones; one half noise, one half text. */
    byte[] body(int partition, int number) {
        SplittableRandom random = random(partition, number);
        byte[] body = new byte[(int) Math.pow(2, random.nextDouble() * MAX_SIZE_BITS)];
        if (random.nextBoolean()) {
            random.nextBytes(body);
            return body;
        }
        int shift = random.nextInt(WORDS.length);
        for (int i = 0; i < body.length; i++) {
            body[i] = WORDS[(i + shift) % WORDS.length];
        }
        return body;
    }

    private SplittableRandom random(int partition, int number) {
        return new SplittableRandom(seed ^ ((long) partition << 32 | (number & 0xffff_ffffL)) * 0x9e37_79b9_7f4a_7c15L);
    }
}

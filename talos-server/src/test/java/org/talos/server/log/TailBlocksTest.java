// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TailBlocksTest {
    private static final BlockLimits ALL = new BlockLimits(Integer.MAX_VALUE, Integer.MAX_VALUE);
    private static final long SEED = Long.getLong("talos.test.seed", 11);

    private final TailBlocks tail = new TailBlocks();

    private static StoredBlock block(long baseOffset, int messages) {
        return new StoredBlock(
                baseOffset, 0, new Block(messages, 0, 0, ByteBuffer.allocate(0), ByteBuffer.allocate(1)));
    }

    private List<Long> offsets(long from, long end) {
        return tail.from(from, end, ALL.count()).stream()
                .map(StoredBlock::baseOffset)
                .toList();
    }

    @Test
    void readingBeginsWithTheBlockThatHoldsTheOffset() {
        tail.add(block(10, 5));
        tail.add(block(15, 1));
        tail.add(block(16, 4));

        assertThat(offsets(12, 20)).containsExactly(10L, 15L, 16L);
        assertThat(offsets(15, 20)).containsExactly(15L, 16L);
        assertThat(offsets(9, 20)).isEmpty();
        assertThat(offsets(20, 20)).isEmpty();
    }

    @Test
    void blockThatReachesPastTheEndIsNotShown() {
        tail.add(block(0, 5));
        tail.add(block(5, 5));

        assertThat(offsets(0, 9)).containsExactly(0L);
    }

    @Test
    void limitsEndTheReading() {
        tail.add(block(0, 5));
        tail.add(block(5, 5));

        assertThat(tail.from(0, 10, new BlockLimits(5, 100).count())).hasSize(1);
    }

    /** Beside a plain list, over many rounds of the ring. */
    @Test
    void ringIsAListWhoseBeginningGoes() {
        Random random = new Random(SEED);
        List<StoredBlock> expected = new ArrayList<>();
        long next = 0;
        for (int step = 0; step < 5_000; step++) {
            if (random.nextInt(3) > 0) {
                StoredBlock added = block(next, 1 + random.nextInt(5));
                next = added.endOffset();
                tail.add(added);
                expected.add(added);
            } else {
                long to = next - random.nextInt(100);
                tail.removeTo(to);
                expected.removeIf(block -> block.endOffset() <= to);
            }
            long first = expected.isEmpty() ? next : expected.get(0).baseOffset();
            assertThat(tail.from(first, next, ALL.count()))
                    .as("seed %d step %d", SEED, step)
                    .isEqualTo(expected);
        }
        tail.clear();
        assertThat(offsets(next - 1, next)).isEmpty();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;

class ChunksTest {
    private static final int GROWTH = 6;

    private final MemoryBudget budget = new MemoryBudget(16 << 20);
    private final RequestMemory memory = new RequestMemory(budget.of("user"));
    private final Chunks chunks = new Chunks(memory);

    /** A body that may become six times as long as it does, as a text without control characters. */
    private static Body text(byte[] bytes) {
        return new Sequence(
                List.of(new Bytes(List.of(ByteBuffer.wrap(bytes)))).iterator(), (long) GROWTH * bytes.length);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] all(List<ByteBuffer> buffers) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuffer each : buffers) {
            all.write(each.array(), each.arrayOffset() + each.position(), each.remaining());
        }
        return all.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 200, 1_100, 4_096, 4_097, 10_000, 40_000, 1_000_000})
    void whatIsRenderedHoldsLittleMoreThanItsBytes(int length) {
        byte[] bytes = random(length);
        chunks.add(text(bytes));

        List<ByteBuffer> written = chunks.written();

        assertThat(chunks.bytes()).isEqualTo(length);
        assertThat(all(written)).isEqualTo(bytes);
        assertThat(chunks.reservedBytes()).isBetween((long) length, length + length / 7L);
        assertThat(budget.used()).isEqualTo(chunks.reservedBytes());
        chunks.close();
        assertThat(budget.used()).isZero();
    }

    @Test
    void bodiesOneAfterAnotherHoldLittleMoreThanTheirBytes() {
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int i = 1; i < 500; i++) {
            expected.writeBytes(random(i));
            chunks.add(text(random(i)));
        }

        List<ByteBuffer> written = chunks.written();

        assertThat(all(written)).isEqualTo(expected.toByteArray());
        assertThat(budget.used()).isLessThan(expected.size() * 9L / 8);
    }

    @Test
    void bodyThatDoesNotFitLeavesTheOthersAsTheyWere() {
        byte[] first = random(5_000);
        chunks.add(text(first));
        long before = budget.used();
        RequestMemory other = new RequestMemory(budget.of("other"));
        other.reserve((budget.limit() - budget.used()) / 2);
        RequestMemory third = new RequestMemory(budget.of("third"));
        third.reserve((budget.limit() - budget.used()) / 2 - (64 << 10));

        assertThatThrownBy(() -> chunks.add(text(random(8 << 20))))
                .isInstanceOf(RequestMemory.ExhaustedException.class);

        other.close();
        third.close();
        assertThat(budget.used()).isEqualTo(before);
        assertThat(all(chunks.written())).isEqualTo(first);
    }

    @Test
    void chunksStayAsTheyAreWithoutMemoryForACopyOfTheLast() {
        byte[] bytes = random(1_100);
        chunks.add(text(bytes));
        RequestMemory other = new RequestMemory(budget.of("user"));
        for (long step = budget.limit(); step > 0; step /= 2) {
            var unused = other.tryReserve(step);
        }
        long before = budget.used();

        assertThat(all(chunks.written())).isEqualTo(bytes);

        assertThat(budget.used()).isEqualTo(before);
    }
}

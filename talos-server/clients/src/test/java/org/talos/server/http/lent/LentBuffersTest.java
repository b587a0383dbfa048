// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.lent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.EOFException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LentBuffersTest {
    private static final long BOUND = 8L << 20;

    private final LentBuffers pool = new LentBuffers(BOUND);

    private void lose() {
        LentBuffer lent = pool.take(LentBuffers.LARGEST_BYTES);
        lent.lend(Callback.NOOP).failed(new EOFException("reset"));
        lent.close();
    }

    @ParameterizedTest
    @CsvSource({"0, 4096", "1, 4096", "4096, 4096", "4097, 8192", "200000, 262144", "262144, 262144", "900000, 262144"})
    void bufferHasTheNextPowerOfTwoUpToTheLargest(int asked, int capacity) {
        assertThat(pool.take(asked).clear().capacity()).isEqualTo(capacity);
        assertThat(pool.take(asked).clear().isDirect()).isTrue();
    }

    @Test
    void buffersThatNeverComeBackTakeNoMoreMemoryThanTheBoundAndWritingContinues() {
        for (int i = 0; i < 10_000; i++) {
            lose();
            assertThat(pool.existingBytes()).isLessThanOrEqualTo(BOUND);
        }

        LentBuffer lent = pool.take(LentBuffers.LARGEST_BYTES);
        assertThat(lent.clear().capacity()).isGreaterThanOrEqualTo(16 << 10);
        lent.lend(Callback.NOOP).succeeded();
        lent.close();
    }

    @Test
    void poolIsWholeAgainOnceTheCollectorHasBeenThere() {
        for (int i = 0; i < 100; i++) {
            lose();
        }

        await().until(() -> {
            System.gc();
            return pool.existingBytes() == 0;
        });
        List<LentBuffer> all = Stream.generate(() -> pool.take(LentBuffers.LARGEST_BYTES))
                .limit(BOUND / LentBuffers.LARGEST_BYTES)
                .toList();
        assertThat(all).allMatch(each -> each.clear().isDirect());
    }

    @Test
    void halfOfTheBoundAtMostIsKeptWhileNobodyUsesIt() {
        List<LentBuffer> all = new ArrayList<>();
        for (int bytes = LentBuffers.LARGEST_BYTES; bytes >= 4 << 10; bytes /= 2) {
            for (int i = 0; i < 100; i++) {
                all.add(pool.take(bytes));
            }
        }
        all.forEach(LentBuffer::close);
        all.clear();

        await().until(() -> {
            System.gc();
            return pool.existingBytes() <= BOUND / 2;
        });
        assertThat(pool.existingBytes()).isPositive();
    }

    @Test
    void smallBuffersInTheHeapTakeThePlaceOfThoseThatAreMissing() {
        List<LentBuffer> all = Stream.generate(() -> pool.take(LentBuffers.LARGEST_BYTES))
                .limit(BOUND / LentBuffers.LARGEST_BYTES)
                .toList();

        ByteBuffer large = pool.take(LentBuffers.LARGEST_BYTES).clear();
        ByteBuffer small = pool.take(1).clear();

        assertThat(all).allMatch(each -> each.clear().isDirect());
        assertThat(List.of(large, small)).noneMatch(ByteBuffer::isDirect);
        assertThat(large.capacity()).isEqualTo(16 << 10);
        assertThat(small.capacity()).isEqualTo(4 << 10);
    }

    @Test
    void bufferThatTheJvmRefusesIsNotCounted() {
        AtomicBoolean isOut = new AtomicBoolean(true);
        LentBuffers refused = new LentBuffers(BOUND, Long.MAX_VALUE, () -> 0, bytes -> {
            if (isOut.get()) {
                throw new OutOfMemoryError("Cannot reserve direct buffer memory");
            }
            return ByteBuffer.allocateDirect(bytes);
        });

        for (int i = 0; i < 100; i++) {
            ByteBuffer buffer = refused.take(LentBuffers.LARGEST_BYTES).clear();
            assertThat(buffer.isDirect()).isFalse();
            assertThat(buffer.capacity()).isEqualTo(16 << 10);
        }
        isOut.set(false);

        assertThat(refused.existingBytes()).isZero();
        assertThat(refused.take(LentBuffers.LARGEST_BYTES).clear().isDirect()).isTrue();
    }

    @Test
    void jvmIsNotAskedForMoreThanItAllows() {
        AtomicLong used = new AtomicLong((64 << 20) - LentBuffers.LARGEST_BYTES + 1);
        LentBuffers full = new LentBuffers(BOUND, 64 << 20, used::get, ByteBuffer::allocateDirect);

        assertThat(full.take(LentBuffers.LARGEST_BYTES).clear().isDirect()).isFalse();
        assertThat(full.existingBytes()).isZero();
        used.decrementAndGet();

        assertThat(full.take(LentBuffers.LARGEST_BYTES).clear().isDirect()).isTrue();
        assertThat(full.existingBytes()).isEqualTo(LentBuffers.LARGEST_BYTES);
    }
}

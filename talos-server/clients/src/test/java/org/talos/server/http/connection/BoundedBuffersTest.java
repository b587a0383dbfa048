// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.junit.jupiter.api.Test;
import org.talos.server.memory.DirectMemory;

final class BoundedBuffersTest {
    private static final int LARGEST = 256 << 10;

    private final AtomicLong used = new AtomicLong();
    private final BoundedBuffers buffers = new BoundedBuffers(LARGEST, 1 << 20, used::get);

    private boolean isDirect(int bytes) {
        RetainableByteBuffer buffer = buffers.acquire(bytes, true);
        boolean direct = buffer.isDirect();
        buffer.release();
        return direct;
    }

    @Test
    void bufferIsOutsideOfTheHeapWhileThereIsRoom() {
        used.set((1 << 20) - LARGEST);

        assertThat(isDirect(LARGEST)).isTrue();
    }

    @Test
    void beyondTheBoundABufferIsOfTheHeapAndNobodyWaits() {
        used.set((1 << 20) - LARGEST + 1);

        assertThat(isDirect(LARGEST)).isFalse();
        used.set(0);
        assertThat(isDirect(LARGEST)).isTrue();
    }

    @Test
    void whatIsUsedIsWhatTheJvmCounts() {
        long before = DirectMemory.used().getAsLong();

        RetainableByteBuffer buffer =
                new BoundedBuffers(LARGEST, DirectMemory.most(), DirectMemory.used()).acquire(LARGEST, true);

        assertThat(buffer.isDirect()).isTrue();
        assertThat(DirectMemory.used().getAsLong()).isGreaterThanOrEqualTo(before + LARGEST - (1 << 16));
        assertThat(DirectMemory.most()).isGreaterThan(before);
        buffer.release();
    }
}

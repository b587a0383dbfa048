// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LentBuffersTest {
    private static final int LARGE = 128 << 10;

    private final List<Integer> asked = new ArrayList<>();

    private ByteBuffer allocate(int bytes) {
        asked.add(bytes);
        return ByteBuffer.allocate(bytes);
    }

    @Test
    void bufferThatWasGivenBackIsLentAgain() {
        LentBuffers buffers = new LentBuffers(this::allocate);
        ByteBuffer first = buffers.lend();
        first.put(new byte[100]).flip();
        buffers.giveBack(first);

        ByteBuffer second = buffers.lend();

        assertThat(second).isSameAs(first);
        assertThat(second.remaining()).isEqualTo(LARGE);
        assertThat(asked).containsExactly(LARGE);
    }

    @Test
    void whoComesWhenAllAreLentGetsASmallOne() {
        LentBuffers buffers = new LentBuffers(this::allocate);
        List<ByteBuffer> lent = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            lent.add(buffers.lend());
        }

        ByteBuffer small = buffers.lend();

        assertThat(small.remaining()).isEqualTo(8 << 10);
        buffers.giveBack(small);
        buffers.giveBack(lent.get(3));
        assertThat(buffers.lend()).isSameAs(lent.get(3));
        assertThat(buffers.lend().remaining()).isEqualTo(8 << 10);
        assertThat(asked).hasSize(16);
    }

    @Test
    void memoryIsNotAskedForAgainOnceThereWasNone() {
        LentBuffers buffers = new LentBuffers(bytes -> {
            if (asked.size() == 1) {
                asked.add(0);
                throw new OutOfMemoryError("made to fail");
            }
            return allocate(bytes);
        });
        ByteBuffer first = buffers.lend();
        assertThat(first.remaining()).isEqualTo(LARGE);

        assertThat(buffers.lend().remaining()).isEqualTo(8 << 10);
        assertThat(buffers.lend().remaining()).isEqualTo(8 << 10);

        assertThat(asked).containsExactly(LARGE, 0);
        buffers.giveBack(first);
        assertThat(buffers.lend()).isSameAs(first);
    }

    @Test
    void recordsHaveRoomAlsoWhenAllLargeBuffersAreLent() {
        LentBuffers buffers = new LentBuffers(this::allocate);
        ByteBuffer large = buffers.lend(LentBuffers.RECORD_BYTES);
        for (int i = 1; i < 16; i++) {
            var unused = buffers.lend();
        }

        ByteBuffer other = buffers.lend(LentBuffers.RECORD_BYTES);

        assertThat(large.remaining()).isEqualTo(LARGE);
        assertThat(other.remaining()).isEqualTo(LentBuffers.RECORD_BYTES);
        assertThat(buffers.atOnce(large)).isEqualTo(LARGE);
        assertThat(buffers.atOnce(other))
                .as("the JDK keeps as much for the thread")
                .isEqualTo(8 << 10);
    }

    @Test
    void arrayForARecordThatWasGivenBackIsLentAgain() {
        LentBuffers buffers = new LentBuffers(this::allocate);
        ByteBuffer first = buffers.lendRecord();
        first.put(new byte[100]).flip();
        buffers.giveBack(first);

        ByteBuffer second = buffers.lendRecord();

        assertThat(second).isSameAs(first);
        assertThat(second.hasArray()).isTrue();
        assertThat(second.remaining()).isEqualTo(LentBuffers.RECORD_BYTES);
        assertThat(buffers.lendRecord()).isNotSameAs(first);
        assertThat(asked).isEmpty();
    }
}

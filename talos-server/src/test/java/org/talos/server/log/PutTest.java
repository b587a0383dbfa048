// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PutTest {
    private static Put put(Block... blocks) {
        return new Put("p#1", Put.Origin.UNIQUE, List.of(blocks));
    }

    private static Block block(ByteBuffer attributes, ByteBuffer bytes) {
        return new Block(1, 0, 0, attributes, bytes);
    }

    @ParameterizedTest
    @CsvSource({"1000, 1000, true", "875, 1000, true", "874, 1000, false", "9, 20000000, false", "1, 2, false"})
    void blockIsCopiedWhereItIsASmallPartOfWhatItWasReadFrom(int bytes, int of, boolean kept) {
        byte[] body = new byte[of];
        body[of - bytes] = 7;
        Block view = block(ByteBuffer.allocate(0), ByteBuffer.wrap(body, of - bytes, bytes));

        Block block = put(view).blocks().get(0);

        assertThat(block).isEqualTo(view);
        assertThat(block.bytes().array() == body).isEqualTo(kept);
        assertThat(block.memory()).isEqualTo(kept ? of : bytes);
    }

    @Test
    void attributesAreCopiedToo() {
        ByteBuffer frame = ByteBuffer.allocate(1_000);
        Block block =
                put(block(frame.slice(3, 5), frame.slice(8, 990))).blocks().get(0);
        Block without =
                put(block(frame.slice(3, 0), frame.slice(8, 990))).blocks().get(0);

        assertThat(block.memory()).isEqualTo(1_005);
        assertThat(without.memory()).isEqualTo(1_000);
    }

    @Test
    void bufferThatHidesItsArrayIsCopied() {
        ByteBuffer hidden = ByteBuffer.allocate(1 << 20).slice(7, 9).asReadOnlyBuffer();

        assertThat(put(block(ByteBuffer.allocate(0), hidden)).blocks().get(0).memory())
                .isEqualTo(9);
    }

    @Test
    void blocksOfOneBodyDoNotKeepEachOther() {
        ByteBuffer body = ByteBuffer.allocate(1_000);
        List<Block> halves = put(
                        block(ByteBuffer.allocate(0), body.slice(0, 500)),
                        block(ByteBuffer.allocate(0), body.slice(500, 500)))
                .blocks();

        assertThat(halves).allSatisfy(each -> assertThat(each.memory()).isEqualTo(500));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.talos.server.storage.LogId;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

class UnreadableBlocksTest {
    private static final LogId LOG = log(1, 0);

    private final UnreadableBlocks blocks = new UnreadableBlocks();

    private static LogId log(int topic, int partition) {
        return new LogId(Integer.toString(topic).repeat(32), partition);
    }

    private static MessageBlock block(long offset, int bytes) {
        return new MessageBlock(offset, 3, MessageCompressionType.GZIP, ByteBuffer.allocate(bytes));
    }

    @Test
    void blockIsKnownByItsLogPlaceTimeAndSize() {
        blocks.add(LOG, block(5, 10), "it is broken");

        assertThat(blocks.find(LOG, block(5, 10)).orElseThrow().sentence())
                .isEqualTo("partition 0: the block of offsets 5 to 7 cannot be read: it is broken; "
                        + "to leave it out, continue at 8");
        assertThat(blocks.find(log(2, 0), block(5, 10))).isEmpty();
        assertThat(blocks.find(log(1, 1), block(5, 10))).isEmpty();
        assertThat(blocks.find(LOG, block(6, 10))).isEmpty();
        assertThat(blocks.find(LOG, block(5, 11))).isEmpty();
        assertThat(blocks.find(LOG, block(5, 10).setAppendTimestamp(1))).isEmpty();
    }

    @Test
    void thoseThatAreAskedForStayWhenManyOthersCome() {
        blocks.add(LOG, block(0, 1), "asked for");
        blocks.add(LOG, block(1, 1), "not asked for");

        for (int i = 2; i < 5_000; i++) {
            blocks.add(LOG, block(i, 1), "others");
            assertThat(blocks.find(LOG, block(0, 1))).isPresent();
        }

        assertThat(blocks.find(LOG, block(1, 1))).isEmpty();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.message.Fetched;
import org.talos.server.storage.LogId;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** Tests the memory of blocks that wait for their client. */
class SubscriptionsTest {
    private static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 0);
    private static final int BLOCK_HEAD = 60;
    private static final int OBJECTS = 256;

    private final MemoryBudget budget = new MemoryBudget(1 << 20);
    private final Subscriptions subscriptions =
            new Subscriptions(100_000, ServerMessages.BINARY, new RequestMemory(budget.of("user")));

    private static MessageBlock block(long offset) {
        return new MessageBlock(offset, 1, MessageCompressionType.NONE, ByteBuffer.allocate(1));
    }

    @Test
    void smallBlocksThatNobodyReadsCountWithTheirObjects() throws Exception {
        subscriptions.subscribe(0, 0);
        StreamWork.Read read = (StreamWork.Read) Objects.requireNonNull(subscriptions.next());
        long before = budget.used();

        subscriptions.read(
                read.subscription(),
                Found.blocks(
                        0, new Fetched(LOG, 0, 9, List.of(block(0), block(1))), new RequestMemory(budget.of("user"))));

        assertThat(budget.used() - before).isEqualTo(2 * (BLOCK_HEAD + 1 + OBJECTS));
        subscriptions.written(Objects.requireNonNull(subscriptions.poll()));
        assertThat(budget.used() - before).isEqualTo(BLOCK_HEAD + 1 + OBJECTS);
        subscriptions.close();
        assertThat(budget.used()).isZero();
    }

    /** A client takes the block only if it follows what came before. */
    @Test
    void blockBehindAGapSaysWhereTheSubscriptionWas() throws Exception {
        long behind = 1L << 26;
        subscriptions.subscribe(0, 0);
        StreamWork.Read read = (StreamWork.Read) Objects.requireNonNull(subscriptions.next());

        subscriptions.read(
                read.subscription(),
                Found.blocks(
                        0,
                        new Fetched(LOG, 0, behind + 1, List.of(block(0), block(behind))),
                        new RequestMemory(budget.of("user"))));

        subscriptions.written(Objects.requireNonNull(subscriptions.poll()));
        ByteBuffer head = Objects.requireNonNull(subscriptions.poll()).parts().get(0);
        assertThat(head.getLong(8)).as("first offset of the block").isEqualTo(behind);
        assertThat(head.getLong(16)).as("first offset that was asked for").isEqualTo(1);
        subscriptions.close();
    }

    @Test
    void whatCostsNothingCountsToo() {
        subscriptions.send(ByteBuffer.allocate(100));
        subscriptions.send(ByteBuffer.allocate(50));
        assertThat(budget.used()).isEqualTo(150 + 2 * OBJECTS);
        assertThat(subscriptions.waiting()).isEqualTo(2);

        subscriptions.written(Objects.requireNonNull(subscriptions.poll()));

        assertThat(budget.used()).isEqualTo(50 + OBJECTS);
        assertThat(subscriptions.waiting()).isEqualTo(1);
        subscriptions.close();
        assertThat(budget.used()).isZero();
    }

    @Test
    void textsOfABlockAreReadForHalfOfTheWindowSinceItIsOpenedForEachReading() throws Exception {
        int window = 4 << 20;
        Subscriptions texts = new Subscriptions(window, JsonMessages.JSON, new RequestMemory(budget.of("user")));
        texts.subscribe(0, 0);

        StreamWork.Read read = (StreamWork.Read) Objects.requireNonNull(texts.next());

        assertThat(read.maxBytes()).isEqualTo(window / 2);
    }
}

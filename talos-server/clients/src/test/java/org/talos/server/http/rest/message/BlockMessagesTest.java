// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.message.MessageBlocks;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.message.Fetched;
import org.talos.server.storage.LogId;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

@Timeout(30)
class BlockMessagesTest {
    private static final LogId LOG = new LogId("1".repeat(32), 3);

    private final MemoryBudget budget = new MemoryBudget(1 << 20);
    private final RequestMemory memory = new RequestMemory(budget.of("ann"));
    private final BlockMessages blocks = new BlockMessages();

    private static MessageBlock block(long offset, String... texts) {
        List<Message> messages = List.of(texts).stream()
                .map(text -> new Message(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))))
                .toList();
        MessageBlock block = MessageBlocks.write(messages, MessageCompressionType.GZIP, 1);
        block.setStartMessageOffset(offset);
        return block;
    }

    private List<Long> read(MessageBlock... stored) {
        return blocks.of(new Fetched(LOG, 0, 100, List.of(stored)), 0, 1_000, memory.part(), memory).stream()
                .map(MessageAndOffset::getMessageOffset)
                .toList();
    }

    @Test
    void blockThatFailedOnceIsNotReadAgain() {
        MessageBlock sound = block(0, "a", "b");
        MessageBlock broken = sound.deepCopy();
        broken.getMessageBlock()[15] ^= -1;
        assertThatThrownBy(() -> read(broken)).isInstanceOf(ProblemException.class);

        // Of the same place, time and size: it would be read now, if it were.
        assertThatThrownBy(() -> read(sound))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("partition 3: the block of offsets 0 to 1")
                .hasMessageContaining("continue at 2");
        assertThat(new BlockMessages().of(new Fetched(LOG, 0, 100, List.of(sound)), 0, 10, memory.part(), memory))
                .hasSize(2);
    }

    @Test
    void blockThatCanNeverHaveItsMemoryIsUnreadableAndNotToBeAskedForAgain() {
        MessageBlock claiming = block(0, "a");
        claiming.setMessageNumber(Integer.MAX_VALUE); // 400 GB of objects

        assertThatThrownBy(() -> read(claiming)).isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> read(block(7, "x".repeat(2 << 20)))).isInstanceOf(ProblemException.class);
        assertThat(budget.used()).isZero();
    }

    @Test
    void headersCountWithTheirObjectsAndTextsWithTheirCharacters() throws Exception {
        Message tagged = new Message(ByteBuffer.allocate(1)).setTag("x".repeat(10_000));
        Message headed = new Message(ByteBuffer.allocate(1));
        headed.setHeaders(new HashMap<>());
        for (int i = 0; i < 1_000; i++) {
            headed.getHeaders().put(Integer.toString(i), ByteBuffer.allocate(0));
        }

        assertThat(read(MessageBlocks.write(List.of(tagged), MessageCompressionType.GZIP, 1)))
                .hasSize(1);
        assertThat(budget.used()).isGreaterThanOrEqualTo(10_000);
        memory.releaseAll();
        assertThat(read(MessageBlocks.write(List.of(headed), MessageCompressionType.GZIP, 1)))
                .hasSize(1);
        assertThat(budget.used()).isGreaterThanOrEqualTo(150_000);
    }

    @Test
    void manyHeadersOfFewBytesAreRefusedBeforeTheyFillTheHeap() {
        Message message = new Message(ByteBuffer.allocate(1));
        message.setHeaders(new HashMap<>());
        for (int i = 0; i < 60_000; i++) {
            message.getHeaders().put(Integer.toString(i, 36), ByteBuffer.allocate(0));
        }

        assertThatThrownBy(() -> read(MessageBlocks.write(List.of(message), MessageCompressionType.GZIP, 1)))
                .isInstanceOf(RequestMemory.ExhaustedException.class);
    }

    @Test
    void blocksThatWaitForTheirTurnStayReserved() {
        Fetched found = new Fetched(LOG, 0, 100, List.of(block(0, "x".repeat(200_000))));
        Queue<Runnable> heavy = new ArrayDeque<>();

        CompletionStage<Integer> answer = BlockMessages.decode(heavy::add, memory, List.of(found), waiting -> 1);

        assertThat(budget.used()).isEqualTo(found.bytes());
        heavy.remove().run();
        assertThat(answer).isCompletedWithValue(1);
        assertThat(budget.used()).isZero();
        budget.tryReserve(budget.limit());
        var unused = BlockMessages.decode(heavy::add, memory, List.of(found), waiting -> 1);
        assertThat(heavy).as("who read the blocks had memory for them").hasSize(1);
    }

    private static Fetched plain(int messages, int bytes) {
        List<Message> all = Collections.nCopies(messages, new Message(ByteBuffer.allocate(bytes / messages)));
        MessageBlock block = MessageBlocks.write(all, MessageCompressionType.NONE, 1);
        return new Fetched(LOG, 0, 100, List.of(block));
    }

    @Test
    void plainBlockIsCountedOnceBesideTheReaderThatHasNotYetLetGo() {
        Fetched found = plain(1, 300_000); // of 1 MiB: what a user holds counts twice, so a third copy does not fit
        RequestMemory reader = memory.part();
        reader.reserve(found.bytes());
        Queue<Runnable> heavy = new ArrayDeque<>();
        CompletionStage<Integer> answer = BlockMessages.decode(
                heavy::add,
                memory,
                List.of(found),
                waiting -> blocks.of(found, 0, 1, waiting, memory).size());

        heavy.remove().run();

        assertThat(answer).isCompletedWithValue(1);
        assertThat(budget.used()).isBetween(2L * 300_000, 2L * 300_000 + 1_000);
        reader.close();
        memory.close();
        assertThat(budget.used()).isZero();
    }

    @Test
    void plainBlockStaysCountedWhereItWaitsIfThereIsNoMemoryToOpenIt() {
        Fetched found = plain(10, 240_000);
        RequestMemory waiting = memory.part();
        waiting.reserve(found.bytes());
        budget.tryReserve(budget.limit() - budget.used());

        assertThatThrownBy(() -> blocks.of(found, 0, 1, waiting, memory))
                .isInstanceOf(RequestMemory.ExhaustedException.class);

        assertThat(budget.used()).isEqualTo(budget.limit());
        waiting.close();
        assertThat(budget.used()).isEqualTo(budget.limit() - found.bytes());
    }

    @Test
    void whatComesBeforeABlockWithoutMemoryForNowIsGiven() {
        MessageBlock large = block(1, "x".repeat(200_000));
        budget.tryReserve(700_000); // others': of 1 MiB there are not twice 200,000 left

        assertThat(read(block(0, "a"), large)).containsExactly(0L);
        assertThatThrownBy(() -> read(large)).isInstanceOf(RequestMemory.ExhaustedException.class);
        budget.release(700_000);
        assertThat(read(large)).containsExactly(1L);
    }
}

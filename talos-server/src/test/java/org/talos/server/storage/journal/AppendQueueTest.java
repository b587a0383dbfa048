// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;

/** Tests which appends are the next batch. */
class AppendQueueTest {
    private static final long MAX = 1 << 20;
    private static final String TOPIC = "0123456789abcdef0123456789abcdef";
    private static final String OTHER_TOPIC = "fedcba9876543210fedcba9876543210";

    private final AppendQueue queue = new AppendQueue();

    private static Append append(int log, long position, int length) {
        return append(TOPIC, log, position, length);
    }

    @SuppressWarnings("NullAway") // the queue asks the segment for its name only
    private static Append append(String topic, int log, long position, int length) {
        SegmentName name = new SegmentName(new LogId(topic, log), 0, 1);
        JournaledSegment segment = new JournaledSegment(name, null);
        return new Append(segment, position, List.of(), length, new CompletableFuture<>());
    }

    @Test
    void whatFitsIsOneBatchInItsOrder() {
        List<Append> appends = List.of(append(1, 0, 10), append(0, 0, 10), append(1, 10, 10));
        appends.forEach(queue::add);

        assertThat(queue.take(MAX)).isEqualTo(appends);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void whoPutsLittleIsInTheNextBatchHoweverMuchOthersHaveQueued() {
        for (int i = 0; i < 1_000; i++) {
            queue.add(append(i % 8, i, 100 << 10));
        }
        Append little = append(9, 0, 100);
        queue.add(little);

        assertThat(queue.take(MAX)).contains(little);
        assertThat(queue.size()).isLessThan(1_000);
    }

    @Test
    void topicWithManyPartitionsLeavesRoomToOthers() {
        for (int i = 0; i < 128; i++) {
            queue.add(append(i % 64, i, 60 << 10));
        }
        Append other = append(OTHER_TOPIC, 0, 0, 10 << 10);
        queue.add(other);

        assertThat(queue.take(MAX)).contains(other);
    }

    @Test
    void topicAloneFillsABatch() {
        for (int i = 0; i < 128; i++) {
            queue.add(append(i % 64, i, 60 << 10));
        }

        assertThat(queue.take(MAX).stream().mapToLong(JournalItem::itemBytes).sum())
                .isBetween(MAX - (64 << 10), MAX);
    }

    @Test
    void appendLargerThanABatchIsABatch() {
        Append large = append(0, 0, 2 << 20);
        queue.add(large);
        queue.add(append(1, 0, 10));

        assertThat(queue.take(MAX)).containsExactly(large);
        assertThat(queue.take(MAX)).hasSize(1);
    }

    @Test
    void whateverIsQueuedTheOrderOfALogIsKeptAndTheOldestGoesNext() {
        Random random = new Random(7);
        List<JournalItem> queued = new ArrayList<>();
        List<JournalItem> taken = new ArrayList<>();
        Set<Long> left = new TreeSet<>(); // by position, which is the order of their coming
        for (int round = 0; round < 1_000; round++) {
            for (int i = random.nextInt(4); i > 0; i--) {
                String topic = random.nextBoolean() ? TOPIC : OTHER_TOPIC;
                Append append = append(topic, random.nextInt(4), queued.size(), random.nextInt(1 << 19));
                queued.add(append);
                left.add(append.position());
                queue.add(append);
            }
            List<JournalItem> batch = queue.take(MAX);
            assertThat(batch.stream().map(JournalItem::position).limit(1))
                    .containsExactlyElementsOf(left.stream().limit(1).toList());
            assertThat(batch.stream().mapToLong(JournalItem::itemBytes).sum()).isLessThanOrEqualTo(MAX);
            batch.forEach(append -> left.remove(append.position()));
            taken.addAll(batch);
        }
        taken.addAll(queue.takeAll());

        assertThat(byLog(taken)).isEqualTo(byLog(queued));
    }

    private static Map<LogId, List<Long>> byLog(List<JournalItem> items) {
        return items.stream()
                .collect(Collectors.groupingBy(
                        item -> item.name().log(), Collectors.mapping(JournalItem::position, Collectors.toList())));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how a program seeks and pauses a consumer whose messages are processed in the background. */
@Timeout(60)
class ProcessorControlTest extends MemberFixture {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

    private final List<Long> processed = new CopyOnWriteArrayList<>();

    private void note(List<FetchedMessage> messages) {
        messages.forEach(each -> processed.add(each.offset()));
    }

    @Test
    void seekHasMessagesProcessedAgain() throws Exception {
        message = 4;
        try (TalosConsumer consumer = join(CONFIG, partition -> (messages, checkpoint) -> note(messages))) {
            me = consumer.member();
            await().until(() -> heard.contains("commit 4"));

            consumer.seek(ORDERS, 3);

            await().until(() -> processed.equals(List.of(4L, 4L)));
            await().until(() -> heard.contains("commit 2 from 4"));
            assertThatThrownBy(() -> consumer.seek(new TopicPartition("returns", 0), 3))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void callThatSeekOvertakesDoesNotCountAndCommitsNothing() throws Exception {
        message = 4;
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        try (TalosConsumer consumer =
                join(CONFIG.toBuilder().autoCommit(false).build(), partition -> (messages, checkpoint) -> {
                    inside.countDown();
                    gate.await();
                    note(messages);
                    checkpoint.commit();
                })) {
            me = consumer.member();
            inside.await();
            consumer.seek(ORDERS, 6);
            message = 7;

            gate.countDown();

            await().until(() -> processed.equals(List.of(4L, 7L)));
            await().until(() -> heard.contains("commit 7 from -1"));
            assertThat(heard).doesNotContain("commit 4", "commit 4 from -1");
        }
    }

    @Test
    void processorOfAPausedPartitionIsNotCalled() throws Exception {
        message = 4;
        try (TalosConsumer consumer = join(CONFIG, partition -> (messages, checkpoint) -> note(messages))) {
            me = consumer.member();
            await().until(() -> !processed.isEmpty());
            consumer.pause(List.of(ORDERS));
            message = 5;
            heard.clear();
            await().until(() -> heard.stream().filter("renewed [0]"::equals).count() > 2);
            assertThat(processed).containsExactly(4L);
            assertThat(consumer.snapshot().partitions())
                    .singleElement()
                    .extracting(ConsumerSnapshot.Partition::isPaused)
                    .isEqualTo(true);

            consumer.resume(List.of(ORDERS));

            await().until(() -> processed.equals(List.of(4L, 5L)));
        }
    }

    /** As a program does that cannot get on now: it is not called again and again in the meantime. */
    @Test
    void processorThatPausesAndFailsGetsTheSameWhenItIsResumed() throws Exception {
        message = 4;
        AtomicBoolean failed = new AtomicBoolean();
        CompletableFuture<TalosConsumer> itself = new CompletableFuture<>();
        try (TalosConsumer consumer = join(CONFIG, partition -> (messages, checkpoint) -> {
            if (failed.compareAndSet(false, true)) {
                itself.get().pause(List.of(partition));
                throw new IllegalStateException("made to fail");
            }
            note(messages);
        })) {
            me = consumer.member();
            itself.complete(consumer);
            await().until(() -> consumer.paused().equals(Set.of(ORDERS)));
            heard.clear();
            await().until(() -> heard.contains("renewed [0]"));
            assertThat(processed).isEmpty();

            consumer.resume(List.of(ORDERS));

            await().until(() -> processed.equals(List.of(4L)));
        }
    }

    @Test
    void pausedPartitionIsReleasedByClose() throws Exception {
        message = 4;
        TalosConsumer consumer = join(CONFIG, partition -> (messages, checkpoint) -> note(messages));
        me = consumer.member();
        await().until(() -> !processed.isEmpty());
        consumer.pause(List.of(ORDERS));

        consumer.close();

        assertThat(heard).contains("commit 4", "unlock");
    }
}

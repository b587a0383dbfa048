// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.talos.client.FatalException;
import org.talos.client.RetriableException;
import org.talos.client.TalosClientException;
import org.talos.client.transport.MachineRuntime;

/** One lane on the test's own thread. */
class PartitionQueueTest {
    private static final int PARTITION = 3;
    private static final OptionalLong UNKNOWN = OptionalLong.empty();

    private final ProducerConfig config =
            ProducerConfig.builder().maxBatchMessages(1).linger(Duration.ZERO).build();
    private final PutBuffer buffer = new PutBuffer(100, 1 << 20, new ReentrantLock());
    private final List<CompletableFuture<OptionalLong>> puts = new ArrayList<>();
    private final List<String> sent = new ArrayList<>();
    private final List<Throwable> thrownBySender = new ArrayList<>();
    private final AtomicLong nowNanos = new AtomicLong();
    private final PartitionQueue queue = queue(config);

    private PartitionQueue queue(ProducerConfig with) {
        return queue(with, Runnable::run);
    }

    private PartitionQueue queue(ProducerConfig with, Executor threads) {
        var engine = new PartitionQueue.Engine(new MachineRuntime(), threads, nowNanos::get);
        return new PartitionQueue(with, PARTITION, 1, this::send, buffer, engine);
    }

    private CompletableFuture<OptionalLong> send(PutContent content, Duration within) {
        String key = content.key().map(each -> " as " + each.value()).orElse("");
        sent.add(content.messages().size() + key + " within " + within);
        if (!thrownBySender.isEmpty() && thrownBySender.remove(0) instanceof Error thrown) {
            throw thrown;
        }
        CompletableFuture<OptionalLong> put = new CompletableFuture<>();
        puts.add(put);
        return put;
    }

    /** Completes with the offset. */
    private static final class Result extends CompletableFuture<Long> implements Waiting.Ending {
        @Override
        public void stored(int partition, long offset) {
            assertThat(partition).isEqualTo(PARTITION);
            complete(offset);
        }

        @Override
        public void failed(TalosClientException failure) {
            completeExceptionally(failure);
        }
    }

    private Result add() throws InterruptedException {
        return addAt(queue, Duration.ofNanos(nowNanos.get()));
    }

    private Result addAt(PartitionQueue to, Duration time) throws InterruptedException {
        nowNanos.set(time.toNanos());
        assertThat(buffer.acquire(1, 1, Duration.ZERO)).isTrue();
        Result result = new Result();
        to.add(new Waiting(OutgoingMessage.of("a"), 1, result));
        return result;
    }

    private static ProducerConfig.Builder tenSeconds() {
        return ProducerConfig.builder().linger(Duration.ZERO).deliveryTimeout(Duration.ofSeconds(10));
    }

    @Test
    void youngMessagesDoNotShareTheFateOfOldOnes() throws Exception {
        PartitionQueue outage = queue(tenSeconds().build());
        Result first = addAt(outage, Duration.ZERO);
        Result old = addAt(outage, Duration.ofSeconds(1));
        Result young = addAt(outage, Duration.ofMillis(9_700));

        nowNanos.set(Duration.ofSeconds(10).toNanos());
        puts.get(0).completeExceptionally(new IllegalStateException("out of order"));
        nowNanos.set(Duration.ofSeconds(11).toNanos());
        puts.get(1).completeExceptionally(new IllegalStateException("out of order"));
        puts.get(2).complete(UNKNOWN);

        assertThat(sent).containsExactly("1 within PT10S", "1 within PT1S", "1 within PT8.7S");
        assertThat(failure(first)).isNotNull();
        assertThat(failure(old)).isNotNull();
        assertThat(failure(young)).isNull();
    }

    @Test
    void messageWithTooLittleTimeForAPutFailsAsNeverSentAndNoOtherWithIt() throws Exception {
        PartitionQueue outage = queue(tenSeconds().build());
        Result first = addAt(outage, Duration.ZERO);
        Result late = addAt(outage, Duration.ofMillis(50));
        Result next = addAt(outage, Duration.ofMillis(400));

        nowNanos.set(Duration.ofSeconds(10).toNanos());
        puts.get(0).completeExceptionally(new IllegalStateException("out of order"));
        puts.get(1).complete(UNKNOWN);

        assertThat(failure(first)).isNotNull();
        assertThat(failure(late))
                .hasCauseInstanceOf(RetriableException.class)
                .hasMessageContaining("DELIVERY_TIMEOUT: it was never sent");
        assertThat(failure(next)).isNull();
        assertThat(sent).containsExactly("1 within PT10S", "1 within PT0.4S");
    }

    @Test
    void messagesThatArePutTogetherStandBehindEachOther() throws Exception {
        PartitionQueue together = queue(tenSeconds().build());
        Result alone = addAt(together, Duration.ZERO);
        List<Result> rest = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            rest.add(addAt(together, Duration.ZERO));
        }
        puts.get(0).complete(OptionalLong.of(40));
        puts.get(1).complete(OptionalLong.of(41));
        Result last = addAt(together, Duration.ZERO);
        puts.get(2).complete(UNKNOWN);

        assertThat(alone.get(5, TimeUnit.SECONDS)).isEqualTo(40);
        assertThat(rest).extracting(each -> each.get(5, TimeUnit.SECONDS)).containsExactly(41L, 42L, 43L);
        assertThat(last.get(5, TimeUnit.SECONDS)).isNegative();
    }

    private Result addTogether(PartitionQueue to, String key, int count) throws InterruptedException {
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(OutgoingMessage.of("a"));
        }
        Result result = new Result();
        Waiting together = new WaitingTogether(messages, new PutKey(key), result);
        assertThat(buffer.acquire(together.count(), together.size(), Duration.ZERO))
                .isTrue();
        to.add(together);
        return result;
    }

    @Test
    void messagesUnderAKeyAreAPutOfTheirOwnInTheirPlace() throws Exception {
        PartitionQueue together = queue(tenSeconds().build());
        Result first = addAt(together, Duration.ZERO);
        Result before = addAt(together, Duration.ZERO);
        Result keyed = addTogether(together, "row-17", 2);
        Result next = addTogether(together, "row-18", 1);
        Result behind = addAt(together, Duration.ZERO);
        for (int i = 0; i < 5; i++) {
            puts.get(i).complete(OptionalLong.of(10L * i));
        }

        assertThat(sent)
                .containsExactly(
                        "1 within PT10S",
                        "1 within PT10S",
                        "2 as row-17 within PT10S",
                        "1 as row-18 within PT10S",
                        "1 within PT10S");
        assertThat(List.of(first, before, keyed, next, behind))
                .extracting(each -> each.get(5, TimeUnit.SECONDS))
                .containsExactly(0L, 10L, 20L, 30L, 40L);
        assertThat(buffer.messages()).isZero();
        assertThat(buffer.bytes()).isZero();
    }

    @Test
    void whatIsBeforeAPutUnderAKeyDoesNotWaitForMore() throws Exception {
        PartitionQueue lingering = queue(ProducerConfig.builder()
                .linger(Duration.ofSeconds(30))
                .deliveryTimeout(Duration.ofSeconds(10))
                .build());
        Result before = addAt(lingering, Duration.ZERO);
        assertThat(sent).isEmpty();

        Result keyed = addTogether(lingering, "row-17", 2);
        puts.get(0).complete(UNKNOWN);

        assertThat(sent).containsExactly("1 within PT10S", "2 as row-17 within PT10S");
        assertThat(before).isCompleted();
        assertThat(keyed).isNotCompleted();
        assertThat(lingering.abort()).isEqualTo(new PartitionQueue.Aborted(0, 2));
    }

    @Test
    void messagesOfOnePutHaveTheTimeOfTheYoungest() throws Exception {
        PartitionQueue together = queue(tenSeconds().build());
        Result first = addAt(together, Duration.ZERO);
        for (int i = 1; i <= 3; i++) {
            var unused = addAt(together, Duration.ofMillis(100L * i));
        }

        puts.get(0).complete(UNKNOWN);

        assertThat(failure(first)).isNull();
        assertThat(sent).containsExactly("1 within PT10S", "3 within PT10S");
    }

    private static @Nullable Throwable failure(CompletableFuture<?> message) {
        return catchThrowable(() -> message.get(5, TimeUnit.SECONDS));
    }

    /** A failure that runs something while it is looked at, which is between the answer and the message's failing. */
    private static final class Hooked extends CompletionException {
        private final Runnable hook;

        Hooked(Runnable hook) {
            super("made to fail", null);
            this.hook = hook;
        }

        @Override
        public synchronized @Nullable Throwable getCause() {
            hook.run();
            return null;
        }
    }

    @Test
    void flushWaitsForAMessageThatFailsAtThatMoment() throws Exception {
        Result message = add();
        AtomicReference<Boolean> early = new AtomicReference<>(false);
        Hooked failure = new Hooked(() -> {
            boolean flushed = queue.flush().isDone();
            if (flushed && !message.isDone()) {
                early.set(true);
            }
        });

        puts.get(0).completeExceptionally(failure);

        assertThat(failure(message)).hasCauseInstanceOf(TalosClientException.class);
        assertThat(early.get()).isFalse();
    }

    @Test
    void errorOfASenderFailsItsMessageAndNoOther() throws Exception {
        thrownBySender.add(new UnsatisfiedLinkError("made to fail"));

        Result first = catchAdd();
        Result second = add();
        puts.get(0).complete(UNKNOWN);

        assertThat(failure(first)).hasCauseInstanceOf(FatalException.class);
        assertThat(failure(second)).isNull();
        assertThat(queue.flush()).isCompleted();
    }

    private Result catchAdd() throws InterruptedException {
        assertThat(buffer.acquire(1, 1, Duration.ZERO)).isTrue();
        Result result = new Result();
        var unused = catchThrowable(
                () -> queue.add(new Waiting(OutgoingMessage.of("a"), 1, result))); // it is the message that fails
        return result;
    }

    @Test
    void roomIsFreeOnlyWhenTheCallbacksHaveTheirTurn() throws Exception {
        List<Runnable> later = new ArrayList<>();
        Result result = addAt(queue(config, later::add), Duration.ZERO);

        puts.get(0).complete(UNKNOWN);
        assertThat(buffer.messages()).isEqualTo(1);
        later.remove(0).run();

        assertThat(result).isCompleted();
        assertThat(buffer.messages()).isZero();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.talos.client.FatalException;
import org.talos.client.RetriableException;
import org.talos.client.TalosClientException;
import org.talos.client.producer.PartitionQueue.Waiting;
import org.talos.client.transport.MachineRuntime;

/** One lane on the test's own thread. */
class PartitionQueueTest {
    private final ProducerConfig config =
            ProducerConfig.builder().maxBatchMessages(1).linger(Duration.ZERO).build();
    private final PutBuffer buffer = new PutBuffer(100, 1 << 20, new ReentrantLock());
    private final List<CompletableFuture<?>> puts = new ArrayList<>();
    private final List<String> sent = new ArrayList<>();
    private final List<Throwable> thrownBySender = new ArrayList<>();
    private final AtomicLong nowNanos = new AtomicLong();
    private final PartitionQueue queue = queue(config);

    private PartitionQueue queue(ProducerConfig with) {
        return new PartitionQueue(with, 1, this::send, buffer, Runnable::run, new MachineRuntime(), nowNanos::get);
    }

    private CompletableFuture<?> send(List<OutgoingMessage> messages, Duration within) {
        sent.add(messages.size() + " within " + within);
        if (!thrownBySender.isEmpty() && thrownBySender.remove(0) instanceof Error thrown) {
            throw thrown;
        }
        CompletableFuture<?> put = new CompletableFuture<>();
        puts.add(put);
        return put;
    }

    private CompletableFuture<@Nullable Void> add() throws InterruptedException {
        assertThat(buffer.acquire(1, Duration.ZERO)).isTrue();
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        queue.add(waiting(result));
        return result;
    }

    private static Waiting waiting(CompletableFuture<@Nullable Void> result) {
        return new Waiting(OutgoingMessage.of("a"), 1, 0, failure -> {
            if (failure == null) {
                result.complete(null);
            } else {
                result.completeExceptionally(failure);
            }
        });
    }

    private CompletableFuture<@Nullable Void> addAt(PartitionQueue to, Duration time) throws InterruptedException {
        nowNanos.set(time.toNanos());
        assertThat(buffer.acquire(1, Duration.ZERO)).isTrue();
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        to.add(new Waiting(OutgoingMessage.of("a"), 1, nowNanos.get(), failure -> {
            if (failure == null) {
                result.complete(null);
            } else {
                result.completeExceptionally(failure);
            }
        }));
        return result;
    }

    private static ProducerConfig.Builder tenSeconds() {
        return ProducerConfig.builder().linger(Duration.ZERO).deliveryTimeout(Duration.ofSeconds(10));
    }

    @Test
    void youngMessagesDoNotShareTheFateOfOldOnes() throws Exception {
        PartitionQueue outage = queue(tenSeconds().build());
        CompletableFuture<@Nullable Void> first = addAt(outage, Duration.ZERO);
        CompletableFuture<@Nullable Void> old = addAt(outage, Duration.ofSeconds(1));
        CompletableFuture<@Nullable Void> young = addAt(outage, Duration.ofMillis(9_700));

        nowNanos.set(Duration.ofSeconds(10).toNanos());
        puts.get(0).completeExceptionally(new IllegalStateException("out of order"));
        nowNanos.set(Duration.ofSeconds(11).toNanos());
        puts.get(1).completeExceptionally(new IllegalStateException("out of order"));
        puts.get(2).complete(null);

        assertThat(sent).containsExactly("1 within PT10S", "1 within PT1S", "1 within PT8.7S");
        assertThat(failure(first)).isNotNull();
        assertThat(failure(old)).isNotNull();
        assertThat(failure(young)).isNull();
    }

    @Test
    void messageWithTooLittleTimeForAPutFailsAsNeverSentAndNoOtherWithIt() throws Exception {
        PartitionQueue outage = queue(tenSeconds().build());
        CompletableFuture<@Nullable Void> first = addAt(outage, Duration.ZERO);
        CompletableFuture<@Nullable Void> late = addAt(outage, Duration.ofMillis(50));
        CompletableFuture<@Nullable Void> next = addAt(outage, Duration.ofMillis(400));

        nowNanos.set(Duration.ofSeconds(10).toNanos());
        puts.get(0).completeExceptionally(new IllegalStateException("out of order"));
        puts.get(1).complete(null);

        assertThat(failure(first)).isNotNull();
        assertThat(failure(late))
                .hasCauseInstanceOf(RetriableException.class)
                .hasMessageContaining("DELIVERY_TIMEOUT: it was never sent");
        assertThat(failure(next)).isNull();
        assertThat(sent).containsExactly("1 within PT10S", "1 within PT0.4S");
    }

    @Test
    void messagesOfOnePutHaveTheTimeOfTheYoungest() throws Exception {
        PartitionQueue together = queue(tenSeconds().build());
        CompletableFuture<@Nullable Void> first = addAt(together, Duration.ZERO);
        for (int i = 1; i <= 3; i++) {
            var unused = addAt(together, Duration.ofMillis(100L * i));
        }

        puts.get(0).complete(null);

        assertThat(failure(first)).isNull();
        assertThat(sent).containsExactly("1 within PT10S", "3 within PT10S");
    }

    private static @Nullable Throwable failure(CompletableFuture<@Nullable Void> message) {
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
        CompletableFuture<@Nullable Void> message = add();
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

        CompletableFuture<@Nullable Void> first = catchAdd();
        CompletableFuture<@Nullable Void> second = add();
        puts.get(0).complete(null);

        assertThat(failure(first)).hasCauseInstanceOf(FatalException.class);
        assertThat(failure(second)).isNull();
        assertThat(queue.flush()).isCompleted();
    }

    private CompletableFuture<@Nullable Void> catchAdd() throws InterruptedException {
        assertThat(buffer.acquire(1, Duration.ZERO)).isTrue();
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        var unused = catchThrowable(() -> queue.add(waiting(result))); // it is the message that fails
        return result;
    }

    @Test
    void roomIsFreeOnlyWhenTheCallbacksHaveTheirTurn() throws Exception {
        List<Runnable> later = new ArrayList<>();
        PartitionQueue slow =
                new PartitionQueue(config, 1, this::send, buffer, later::add, new MachineRuntime(), nowNanos::get);
        assertThat(buffer.acquire(1, Duration.ZERO)).isTrue();
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        slow.add(waiting(result));

        puts.get(0).complete(null);
        assertThat(buffer.messages()).isEqualTo(1);
        later.remove(0).run();

        assertThat(result).isCompleted();
        assertThat(buffer.messages()).isZero();
    }
}

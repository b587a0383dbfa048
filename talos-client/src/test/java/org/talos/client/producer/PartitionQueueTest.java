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
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.talos.client.FatalException;
import org.talos.client.TalosClientException;
import org.talos.client.producer.PartitionQueue.Waiting;
import org.talos.client.transport.MachineRuntime;

/** One lane on the test's own thread. */
class PartitionQueueTest {
    private final ProducerConfig config =
            ProducerConfig.builder().maxBatchMessages(1).linger(Duration.ZERO).build();
    private final PutBuffer buffer = new PutBuffer(100, 1 << 20, new ReentrantLock());
    private final List<CompletableFuture<?>> puts = new ArrayList<>();
    private final List<Throwable> thrownBySender = new ArrayList<>();
    private final PartitionQueue queue =
            new PartitionQueue(config, 1, this::send, buffer, Runnable::run, new MachineRuntime(), () -> 0);

    private CompletableFuture<?> send(List<OutgoingMessage> messages, Duration within) {
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
                new PartitionQueue(config, 1, this::send, buffer, later::add, new MachineRuntime(), () -> 0);
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

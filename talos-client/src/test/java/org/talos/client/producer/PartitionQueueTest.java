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
            new PartitionQueue(config, this::send, buffer, Runnable::run, new MachineRuntime(), () -> 0);

    private CompletableFuture<?> send(List<OutgoingMessage> messages, Duration within) {
        if (!thrownBySender.isEmpty() && thrownBySender.remove(0) instanceof Error thrown) {
            throw thrown;
        }
        CompletableFuture<?> put = new CompletableFuture<>();
        puts.add(put);
        return put;
    }

    private Waiting add() throws InterruptedException {
        assertThat(buffer.acquire(1, Duration.ZERO)).isTrue();
        Waiting waiting = new Waiting(OutgoingMessage.of("a"), 1, 0);
        queue.add(waiting);
        return waiting;
    }

    private static @Nullable Throwable failure(Waiting message) {
        return catchThrowable(() -> message.result().get(5, TimeUnit.SECONDS));
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
        Waiting message = add();
        AtomicReference<Boolean> early = new AtomicReference<>(false);
        Hooked failure = new Hooked(() -> {
            boolean flushed = queue.flush().isDone();
            if (flushed && !message.result().isDone()) {
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

        Waiting first = catchAdd();
        Waiting second = add();
        puts.get(0).complete(null);

        assertThat(failure(first)).hasCauseInstanceOf(FatalException.class);
        assertThat(failure(second)).isNull();
        assertThat(queue.flush()).isCompleted();
    }

    private Waiting catchAdd() throws InterruptedException {
        assertThat(buffer.acquire(1, Duration.ZERO)).isTrue();
        Waiting waiting = new Waiting(OutgoingMessage.of("a"), 1, 0);
        var unused = catchThrowable(() -> queue.add(waiting)); // it is the message that fails
        return waiting;
    }

    @Test
    void roomIsFreeOnlyWhenTheCallbacksHaveTheirTurn() throws Exception {
        List<Runnable> later = new ArrayList<>();
        PartitionQueue slow = new PartitionQueue(config, this::send, buffer, later::add, new MachineRuntime(), () -> 0);
        assertThat(buffer.acquire(1, Duration.ZERO)).isTrue();
        Waiting waiting = new Waiting(OutgoingMessage.of("a"), 1, 0);
        slow.add(waiting);

        puts.get(0).complete(null);
        assertThat(buffer.messages()).isEqualTo(1);
        later.remove(0).run();

        assertThat(waiting.result()).isCompleted();
        assertThat(buffer.messages()).isZero();
    }
}

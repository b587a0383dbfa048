// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.talos.client.ClientCalls;
import org.talos.client.RetriableException;
import org.talos.client.TalosClientException;
import org.talos.client.UnknownOutcomeException;

/**
 * The messages of one partition: those that wait, and those on their way. One put is on its way at a time, so the order
 * holds also when it has to be repeated; what comes meanwhile gathers behind it.
 *
 * <p>Thread-safe.
 */
final class PartitionLane {
    private final ProducerConfig config;
    private final Sender sender;
    private final PutBuffer buffer;
    private final Executor threads;
    private final LongSupplier nanos;

    @GuardedBy("this")
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private long waitingBytes;

    @GuardedBy("this")
    private List<Waiting> onItsWay = List.of();

    @GuardedBy("this")
    private boolean timerSet;

    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private @Nullable Waiting flushTo;

    /** The endings told so far: one after another, so that programs see them in order. */
    @GuardedBy("this")
    private CompletableFuture<Void> told = CompletableFuture.completedFuture(null);

    /** Sends one put and repeats it as long as that may help. */
    @FunctionalInterface
    interface Sender {
        /** @return completes when the messages are stored, or with what is known instead */
        CompletableFuture<?> send(List<OutgoingMessage> messages, Duration within);
    }

    /** A message on its way through. Confined: the lane, but for its result. */
    static final class Waiting {
        private final OutgoingMessage message;
        private final long size;
        private final long acceptedNanos;
        private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

        Waiting(OutgoingMessage message, long size, long acceptedNanos) {
            this.message = message;
            this.size = size;
            this.acceptedNanos = acceptedNanos;
        }

        /** Completes when the message is stored, or with a {@link TalosClientException}. */
        CompletableFuture<@Nullable Void> ended() {
            return ended;
        }
    }

    PartitionLane(ProducerConfig config, Sender sender, PutBuffer buffer, Executor threads, LongSupplier nanos) {
        this.config = config;
        this.sender = sender;
        this.buffer = buffer;
        this.threads = threads;
        this.nanos = nanos;
    }

    /** Takes a message in, whose room in the buffer is taken. */
    void add(Waiting added) {
        boolean refused;
        synchronized (this) {
            refused = closed;
            if (!refused) {
                waiting.add(added);
                waitingBytes += added.size;
            }
        }
        if (refused) {
            end(List.of(added), ClientCalls.closed("producer"));
        } else {
            pump();
        }
    }

    /** Sends the next put if there is one and it is time for it. */
    private void pump() {
        List<Waiting> batch = List.of();
        List<Waiting> expired;
        synchronized (this) {
            expired = onItsWay.isEmpty() ? takeExpired() : List.of();
            if (onItsWay.isEmpty() && !waiting.isEmpty()) {
                long untilLinger = config.linger().toNanos() - (nanos.getAsLong() - waiting.element().acceptedNanos);
                if (isFull() || flushTo != null || untilLinger <= 0) {
                    batch = takeBatch();
                    onItsWay = batch;
                } else {
                    setTimer(untilLinger);
                }
            }
        }
        if (!expired.isEmpty()) {
            end(expired, new RetriableException("DELIVERY_TIMEOUT", "DELIVERY_TIMEOUT: it was never sent", null));
        }
        if (!batch.isEmpty()) {
            send(batch);
        }
    }

    @GuardedBy("this")
    private boolean isFull() {
        return waiting.size() >= config.maxBatchMessages() || waitingBytes >= config.maxBatchBytes();
    }

    @GuardedBy("this")
    private List<Waiting> takeExpired() {
        List<Waiting> expired = new ArrayList<>();
        while (!waiting.isEmpty() && left(waiting.element()) <= 0) {
            expired.add(take());
        }
        return expired;
    }

    @GuardedBy("this")
    private List<Waiting> takeBatch() {
        List<Waiting> batch = new ArrayList<>();
        long bytes = 0;
        while (!waiting.isEmpty()
                && batch.size() < config.maxBatchMessages()
                && (batch.isEmpty() || bytes + waiting.element().size <= config.maxBatchBytes())) {
            bytes += waiting.element().size;
            batch.add(take());
        }
        return batch;
    }

    @GuardedBy("this")
    private Waiting take() {
        Waiting next = waiting.remove();
        waitingBytes -= next.size;
        if (next == flushTo) {
            flushTo = null;
        }
        return next;
    }

    private long left(Waiting message) {
        return config.deliveryTimeout().toNanos() - (nanos.getAsLong() - message.acceptedNanos);
    }

    @GuardedBy("this")
    private void setTimer(long afterNanos) {
        if (!timerSet) {
            timerSet = true;
            CompletableFuture.delayedExecutor(afterNanos, TimeUnit.NANOSECONDS, threads)
                    .execute(() -> {
                        synchronized (this) {
                            timerSet = false;
                        }
                        pump();
                    });
        }
    }

    private void send(List<Waiting> batch) {
        CompletableFuture<?> sent;
        try {
            sent = sender.send(batch.stream().map(each -> each.message).toList(), Duration.ofNanos(left(batch.get(0))));
        } catch (RuntimeException e) {
            sent = CompletableFuture.failedFuture(e);
        }
        var unused = sent.whenComplete((stored, thrown) -> sent(batch, thrown));
    }

    private void sent(List<Waiting> batch, @Nullable Throwable thrown) {
        synchronized (this) {
            if (onItsWay != batch) {
                return; // given up by abort()
            }
            onItsWay = List.of();
        }
        end(batch, thrown == null ? null : ClientCalls.failure(thrown));
        pump();
    }

    private void end(List<Waiting> ended, @Nullable TalosClientException failure) {
        buffer.give(ended.size(), ended.stream().mapToLong(each -> each.size).sum());
        synchronized (this) {
            told = told.thenRunAsync(
                    () -> ended.forEach(each -> {
                        if (failure == null) {
                            each.ended.complete(null);
                        } else {
                            each.ended.completeExceptionally(failure);
                        }
                    }),
                    threads);
        }
    }

    /** Sends what waits now without lingering; completes when all of it has ended and programs were told. */
    CompletableFuture<?> flush() {
        CompletableFuture<?> all;
        synchronized (this) {
            flushTo = waiting.peekLast();
            Waiting last = flushTo;
            if (last == null && !onItsWay.isEmpty()) {
                last = onItsWay.get(onItsWay.size() - 1);
            }
            // Its end comes before what the program has hung on it: that is over when the telling is.
            all = last == null
                    ? told
                    : last.ended.handle((stored, thrown) -> true).thenCompose(ended -> told());
        }
        pump();
        return all;
    }

    /** Completes when programs have been told of everything that has ended. */
    synchronized CompletableFuture<Void> told() {
        return told;
    }

    /** Ends everything at once: what was never sent surely did not happen, what is on its way may have. */
    int abort() {
        List<Waiting> sent;
        List<Waiting> unsent;
        synchronized (this) {
            closed = true;
            sent = onItsWay;
            onItsWay = List.of();
            unsent = new ArrayList<>(waiting);
            waiting.clear();
            waitingBytes = 0;
        }
        if (!sent.isEmpty()) {
            end(
                    sent,
                    new UnknownOutcomeException(
                            "CLOSED", true, "CLOSED: the producer was closed before it was answered", null));
        }
        if (!unsent.isEmpty()) {
            end(unsent, ClientCalls.closed("producer"));
        }
        return sent.size() + unsent.size();
    }
}

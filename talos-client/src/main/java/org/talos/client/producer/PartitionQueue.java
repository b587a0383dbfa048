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
 * Queues the messages of one partition and sends them in batches. One put is in flight at a time, so that the order
 * holds even if it has to be repeated; later messages queue behind it.
 *
 * <p>Thread-safe.
 */
final class PartitionQueue {
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
    private List<Waiting> inFlight = List.of();

    @GuardedBy("this")
    private boolean timerSet;

    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private @Nullable Waiting flushTo;

    /**
     * Completes when all completions so far have run; they run one after another, so that programs see them in order.
     */
    @GuardedBy("this")
    private CompletableFuture<Void> completions = CompletableFuture.completedFuture(null);

    /** Sends one put and repeats it until it is acknowledged, fails for good or its time is over. */
    @FunctionalInterface
    interface Sender {
        /**
         * Sends messages as one put.
         *
         * @return completes when they are acknowledged, or with their failure
         */
        CompletableFuture<?> send(List<OutgoingMessage> messages, Duration within);
    }

    /** A message that waits to be put, or is in flight, with the future of its result. Thread-safe. */
    static final class Waiting {
        private final OutgoingMessage message;
        private final long size;
        private final long acceptedNanos;
        private final CompletableFuture<@Nullable Void> result = new CompletableFuture<>();

        Waiting(OutgoingMessage message, long size, long acceptedNanos) {
            this.message = message;
            this.size = size;
            this.acceptedNanos = acceptedNanos;
        }

        /** Completes when the message is acknowledged, or with a {@link TalosClientException}. */
        CompletableFuture<@Nullable Void> result() {
            return result;
        }
    }

    PartitionQueue(ProducerConfig config, Sender sender, PutBuffer buffer, Executor threads, LongSupplier nanos) {
        this.config = config;
        this.sender = sender;
        this.buffer = buffer;
        this.threads = threads;
        this.nanos = nanos;
    }

    /** Queues a message whose room in the buffer is reserved, and sends the next put if it is due. */
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
            complete(List.of(added), ClientCalls.closed("producer"));
        } else {
            sendDue();
        }
    }

    /** Fails messages whose delivery time-out is over, and sends the next put if it is due. */
    private void sendDue() {
        List<Waiting> batch = List.of();
        List<Waiting> expired;
        synchronized (this) {
            expired = inFlight.isEmpty() ? takeExpired() : List.of();
            if (inFlight.isEmpty() && !waiting.isEmpty()) {
                long untilLinger = config.linger().toNanos() - (nanos.getAsLong() - waiting.element().acceptedNanos);
                if (isFull() || flushTo != null || untilLinger <= 0) {
                    batch = takeBatch();
                    inFlight = batch;
                } else {
                    setTimer(untilLinger);
                }
            }
        }
        if (!expired.isEmpty()) {
            complete(expired, new RetriableException("DELIVERY_TIMEOUT", "DELIVERY_TIMEOUT: it was never sent", null));
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
                        sendDue();
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
            if (inFlight != batch) {
                return; // abort() has failed them
            }
            inFlight = List.of();
        }
        complete(batch, thrown == null ? null : ClientCalls.failure(thrown));
        sendDue();
    }

    /** Completes messages in the background, after those that completed before, and frees their room. */
    private void complete(List<Waiting> done, @Nullable TalosClientException failure) {
        buffer.release(done.size(), done.stream().mapToLong(each -> each.size).sum());
        synchronized (this) {
            completions = completions.thenRunAsync(
                    () -> done.forEach(each -> {
                        if (failure == null) {
                            each.result.complete(null);
                        } else {
                            each.result.completeExceptionally(failure);
                        }
                    }),
                    threads);
        }
    }

    /** Sends the queued messages without lingering; completes when all have completed and their callbacks have run. */
    CompletableFuture<?> flush() {
        CompletableFuture<?> all;
        synchronized (this) {
            flushTo = waiting.peekLast();
            Waiting last = flushTo;
            if (last == null && !inFlight.isEmpty()) {
                last = inFlight.get(inFlight.size() - 1);
            }
            // A message's future completes before its callbacks have run; completions wait for those.
            all = last == null
                    ? completions
                    : last.result.handle((stored, thrown) -> true).thenCompose(done -> completions());
        }
        sendDue();
        return all;
    }

    /** Completes when the callbacks of all messages that have completed so far have run. */
    synchronized CompletableFuture<Void> completions() {
        return completions;
    }

    /** Fails all messages and returns how many: queued ones surely were not stored, those in flight may have been. */
    int abort() {
        List<Waiting> sent;
        List<Waiting> unsent;
        synchronized (this) {
            closed = true;
            sent = inFlight;
            inFlight = List.of();
            unsent = new ArrayList<>(waiting);
            waiting.clear();
            waitingBytes = 0;
        }
        if (!sent.isEmpty()) {
            complete(
                    sent,
                    new UnknownOutcomeException(
                            "CLOSED", true, "CLOSED: the producer was closed before it was answered", null));
        }
        if (!unsent.isEmpty()) {
            complete(unsent, ClientCalls.closed("producer"));
        }
        return sent.size() + unsent.size();
    }
}

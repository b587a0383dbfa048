// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.talos.client.ClientCalls;
import org.talos.client.FatalException;
import org.talos.client.RetriableException;
import org.talos.client.TalosClientException;
import org.talos.client.UnknownOutcomeException;
import org.talos.client.transport.ClientRuntime;
import org.talos.client.transport.RoutedCalls;

/**
 * Queues the messages of one partition and sends them in batches: by calls, one put at a time, so that the order holds
 * even if a put is repeated; where the sender keeps the order, a few puts at a time. Later messages queue behind them.
 *
 * <p>Thread-safe.
 */
final class PartitionQueue {
    private static final long FREED_BYTES = 64 << 10;
    /** The largest difference in age of messages in one put, as a part of the delivery timeout. */
    private static final int AGES = 20;
    /** The least remaining time for which a put is worth making, as a part of a short delivery timeout. */
    private static final int LEAST = 10;

    private static final long NO_OFFSET = -1;

    private final ProducerConfig config;
    private final int partition;
    private final int mostInFlight;
    private final Sender sender;
    private final PutBuffer buffer;
    private final Engine engine;

    @GuardedBy("this")
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private long waitingBytes;

    @GuardedBy("this")
    private int waitingAlone; // of these, the messages that are puts of their own

    @GuardedBy("this")
    private final Deque<Batch> inFlight = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean sending; // only one thread at a time: batches are sent in order

    @GuardedBy("this")
    private boolean timerSet;

    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private @Nullable Waiting flushTo;

    /**
     * Completes when all completions so far have run; completions run one after another, so that programs see them in
     * order.
     */
    @GuardedBy("this")
    private CompletableFuture<Void> completions = CompletableFuture.completedFuture(null);

    /** Messages that are sent as one put. Confined: the queue's lock. */
    private static final class Batch {
        private final List<Waiting> messages;
        private boolean ended;
        private long offset = NO_OFFSET; // of the first
        private @Nullable TalosClientException failure;

        Batch(List<Waiting> messages) {
            this.messages = messages;
        }
    }

    /**
     * Messages that complete, and their turn behind those that completed before. Immutable.
     *
     * @param before completes when it is their turn; never fails
     * @param turn completed when these messages have completed
     * @param offset of the first; negative if it is not known
     */
    private record Completion(
            CompletableFuture<Void> before,
            CompletableFuture<Void> turn,
            List<Waiting> messages,
            long offset,
            @Nullable TalosClientException failure) {}

    /** Sends one put and repeats it until it is acknowledged, fails for good, or expires. */
    @FunctionalInterface
    interface Sender {
        /**
         * Sends one put.
         *
         * @return completes when they are acknowledged, with the offset of the first if it is known; or with their
         *     failure
         */
        CompletableFuture<OptionalLong> send(PutContent content, Duration within);
    }

    /**
     * The threads, timers, and clock of a producer's queues. Thread-safe, as its parts are.
     *
     * @param threads run callbacks, and puts that become due
     * @param nanos the monotonic clock
     */
    record Engine(ClientRuntime runtime, Executor threads, LongSupplier nanos) {}

    /**
     * Creates the queue of a partition.
     *
     * @param partition its number
     * @param mostInFlight puts, of which the sender keeps the order if there are several
     */
    PartitionQueue(
            ProducerConfig config, int partition, int mostInFlight, Sender sender, PutBuffer buffer, Engine engine) {
        this.config = config;
        this.partition = partition;
        this.mostInFlight = mostInFlight;
        this.sender = sender;
        this.buffer = buffer;
        this.engine = engine;
    }

    /** Queues a message whose room in the buffer is reserved, and sends the next put if it is due. */
    void add(Waiting added) {
        Completion refused = null;
        synchronized (this) {
            if (closed) {
                refused = completing(List.of(added), NO_OFFSET, ClientCalls.closed("producer"));
            } else {
                added.queued(nowNanos());
                waiting.add(added);
                waitingBytes += added.putBytes();
                waitingAlone += added.isAlone() ? 1 : 0;
            }
        }
        if (refused != null) {
            complete(refused);
        } else {
            sendDue();
        }
    }

    /** Returns the time below which a put is not worth making, because its outcome would come too late. */
    static long leastNanos(ProducerConfig config) {
        return Math.min(RoutedCalls.LEAST_NANOS, config.deliveryTimeout().toNanos() / LEAST);
    }

    /** Fails messages for which no time is left, and sends the puts that are due. */
    private void sendDue() {
        while (sendNext()) {
            synchronized (this) {
                sending = false; // threads that came in the meantime have left their work to this one
            }
        }
    }

    /** Sends the next put; returns false if none is due, or another thread sends it. */
    private boolean sendNext() {
        Batch batch = null;
        Completion expired = null;
        synchronized (this) {
            if (sending) {
                return false;
            }
            List<Waiting> late = inFlight.isEmpty() ? takeExpired() : List.of();
            if (!late.isEmpty()) {
                expired = completing(late, NO_OFFSET, neverSent());
            }
            if (maySend() && isDue()) {
                batch = new Batch(takeBatch());
                inFlight.add(batch);
                sending = true;
            }
        }
        if (expired != null) {
            complete(expired);
        }
        if (batch != null) {
            send(batch);
        }
        return batch != null;
    }

    /** Returns the failure of a message whose turn came when too little time was left. */
    static RetriableException neverSent() {
        return new RetriableException("DELIVERY_TIMEOUT", "DELIVERY_TIMEOUT: it was never sent", null);
    }

    /** Fails late messages, but not before those in flight have ended, because programs see messages in order. */
    @GuardedBy("this")
    private boolean maySend() {
        return !waiting.isEmpty()
                && (inFlight.isEmpty() || (inFlight.size() < mostInFlight && !isLate(waiting.element())));
    }

    private boolean isLate(Waiting message) {
        return left(message) < leastNanos(config);
    }

    /** Returns whether the next put is due. If it is not, schedules another check for that time. */
    @GuardedBy("this")
    private boolean isDue() {
        long untilLinger =
                config.linger().toNanos() - (nowNanos() - waiting.element().acceptedNanos());
        if (isFull() || flushTo != null || untilLinger <= 0) {
            return true;
        }
        setTimer(untilLinger);
        return false;
    }

    @GuardedBy("this")
    private boolean isFull() {
        return waiting.size() >= config.maxBatchMessages()
                || waitingBytes >= config.maxBatchBytes()
                || waitingAlone > 0; // the puts in front of it have nothing to wait for
    }

    @GuardedBy("this")
    private List<Waiting> takeExpired() {
        List<Waiting> expired = new ArrayList<>();
        while (!waiting.isEmpty() && isLate(waiting.element())) {
            expired.add(take());
        }
        return expired;
    }

    /**
     * Takes messages for one put. They complete together, so they must have about the same age: after an outage,
     * messages with little time left go first.
     */
    @GuardedBy("this")
    private List<Waiting> takeBatch() {
        List<Waiting> batch = new ArrayList<>();
        long youngest =
                waiting.element().acceptedNanos() + config.deliveryTimeout().toNanos() / AGES;
        long bytes = 0;
        while (!waiting.isEmpty()
                && batch.size() < config.maxBatchMessages()
                && waiting.element().acceptedNanos() - youngest <= 0
                && (batch.isEmpty() || mayJoin(batch, bytes))) {
            bytes += waiting.element().putBytes();
            batch.add(take());
        }
        return batch;
    }

    /** Returns whether the next message may be put together with those of a batch. */
    @GuardedBy("this")
    private boolean mayJoin(List<Waiting> batch, long bytes) {
        Waiting next = waiting.element();
        return !next.isAlone() && !batch.get(0).isAlone() && bytes + next.putBytes() <= config.maxBatchBytes();
    }

    @GuardedBy("this")
    private Waiting take() {
        Waiting next = waiting.remove();
        waitingBytes -= next.putBytes();
        waitingAlone -= next.isAlone() ? 1 : 0;
        if (next == flushTo) {
            flushTo = null;
        }
        return next;
    }

    private long nowNanos() {
        return engine.nanos.getAsLong();
    }

    private long left(Waiting message) {
        return config.deliveryTimeout().toNanos() - (nowNanos() - message.acceptedNanos());
    }

    @GuardedBy("this")
    private void setTimer(long afterNanos) {
        if (!timerSet) {
            timerSet = true;
            engine.runtime.later(afterNanos, engine.threads).execute(() -> {
                synchronized (this) {
                    timerSet = false;
                }
                sendDue();
            });
        }
    }

    private void send(Batch batch) {
        List<Waiting> messages = batch.messages;
        CompletableFuture<OptionalLong> sent;
        try {
            // Ends with the youngest message's time: older messages must not make it fail early.
            long within = messages.stream().mapToLong(this::left).max().orElseThrow();
            sent = sender.send(content(messages), Duration.ofNanos(within));
        } catch (RuntimeException | Error e) { // Errors too: otherwise nothing would be sent behind this put
            sent = CompletableFuture.failedFuture(
                    new FatalException("CLIENT", "CLIENT: the put cannot be made: " + e, e));
        }
        var unused = sent.whenComplete((stored, thrown) -> sent(batch, stored, thrown));
    }

    private static PutContent content(List<Waiting> batch) {
        List<OutgoingMessage> messages = new ArrayList<>(batch.size());
        batch.forEach(each -> each.addTo(messages));
        return new PutContent(messages, batch.get(0).key());
    }

    private void sent(Batch batch, @Nullable OptionalLong stored, @Nullable Throwable thrown) {
        TalosClientException failure = thrown == null ? null : ClientCalls.failure(thrown);
        List<Completion> ended = new ArrayList<>();
        synchronized (this) {
            batch.ended = true; // if abort() has failed it, it is in flight no more
            batch.failure = failure;
            batch.offset = stored == null ? NO_OFFSET : stored.orElse(NO_OFFSET);
            for (Batch first = inFlight.peek(); first != null && first.ended; first = inFlight.peek()) {
                inFlight.remove();
                ended.add(completing(first.messages, first.offset, first.failure));
            }
        }
        ended.forEach(this::complete);
        sendDue();
    }

    /**
     * Queues messages for completion, in the same step that removes them from the queue or the flight, so that a flush
     * finds them in one place or the other.
     */
    @GuardedBy("this")
    private Completion completing(List<Waiting> messages, long offset, @Nullable TalosClientException failure) {
        if (messages.isEmpty()) {
            return new Completion(completions, completions, messages, offset, failure);
        }
        Completion completion = new Completion(completions, new CompletableFuture<>(), messages, offset, failure);
        completions = completion.turn;
        return completion;
    }

    /** Completes messages in the background, when it is their turn. */
    private void complete(Completion completion) {
        if (!completion.messages.isEmpty()) {
            var unused = completion.before.thenRun(() -> engine.threads.execute(() -> {
                try {
                    run(completion);
                } finally {
                    completion.turn.complete(null);
                }
            }));
        }
    }

    /**
     * Completes messages, which runs their callbacks. Until then, they keep their room in the buffer; otherwise an
     * unbounded number of messages could wait for slow callbacks. They do not keep it longer, because a callback may
     * send a message. Small messages release their room several at a time, so that a thread that waits for room is not
     * woken for each.
     */
    private void run(Completion completion) {
        List<Waiting> messages = completion.messages;
        int next = 0;
        while (next < messages.size()) {
            int begin = next;
            int count = 0;
            long bytes = 0;
            while (next < messages.size()
                    && (next == begin || bytes + messages.get(next).size() <= FREED_BYTES)) {
                bytes += messages.get(next).size();
                count += messages.get(next).count();
                next++;
            }
            buffer.release(count, bytes);
            for (int i = begin; i < next; i++) {
                long offset = completion.offset < 0 ? NO_OFFSET : completion.offset + i;
                messages.get(i).end(partition, offset, completion.failure);
            }
        }
    }

    /** Sends the queued messages without lingering; completes when all have completed and their callbacks have run. */
    CompletableFuture<?> flush() {
        CompletableFuture<?> all;
        synchronized (this) {
            flushTo = waiting.peekLast();
            Waiting last = flushTo;
            Batch sent = inFlight.peekLast();
            if (last == null && sent != null) {
                last = sent.messages.get(sent.messages.size() - 1);
            }
            // Messages that complete together with it have callbacks too.
            all = last == null ? completions : last.ended().thenCompose(done -> completions());
        }
        sendDue();
        return all;
    }

    /** Completes when the callbacks of all messages that have completed so far have run. */
    synchronized CompletableFuture<Void> completions() {
        return completions;
    }

    /**
     * The messages that had not completed when the producer was closed. Immutable.
     *
     * @param queued certainly not stored
     * @param inFlight possibly stored
     */
    record Aborted(int queued, int inFlight) {}

    /**
     * Fails all messages and returns their number: queued ones certainly were not stored, those in flight may have
     * been.
     */
    Aborted abort() {
        Completion sent;
        Completion unsent;
        synchronized (this) {
            closed = true;
            List<Waiting> unanswered = new ArrayList<>();
            inFlight.forEach(batch -> unanswered.addAll(batch.messages));
            sent = completing(
                    unanswered,
                    NO_OFFSET,
                    new UnknownOutcomeException(
                            "CLOSED", true, "CLOSED: the producer was closed before it was answered", null));
            inFlight.clear();
            unsent = completing(List.copyOf(waiting), NO_OFFSET, ClientCalls.closed("producer"));
            waiting.clear();
            waitingBytes = 0;
            waitingAlone = 0;
        }
        complete(sent);
        complete(unsent);
        return new Aborted(count(unsent.messages), count(sent.messages));
    }

    private static int count(List<Waiting> messages) {
        return messages.stream().mapToInt(Waiting::count).sum();
    }
}

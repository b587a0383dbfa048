// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.Closing;
import org.talos.client.FatalException;
import org.talos.client.LongestWait;
import org.talos.client.RetriableException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.UnknownOutcomeException;
import org.talos.thrift.MessageBlock;

/**
 * Puts messages in the background, many at once, in order for each partition.
 *
 * <p>A message with a key goes to the key's partition, as the topic's partitioner says; others go to one partition for
 * a while and then to the next, so that they are sent together. Each put has a unique identity and is repeated under it
 * as long as the outcome allows and the delivery timeout lasts, so a message is stored once. A program that may send a
 * message again after a restart gives the put a key of its own. Every message completes: acknowledged, or with a
 * {@link TalosClientException} that says whether it may have been stored. After a message of a partition has failed,
 * later messages are still sent.
 *
 * <p>Thread-safe.
 */
public final class TalosProducer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TalosProducer.class);
    private static final int MAX_MESSAGE_BYTES = 10 << 20;
    /** Far above any topic's number: a partition has a queue of its own for the producer's life. */
    private static final int MOST_PARTITIONS = 1 << 16;

    private static final int CALLBACK_SECONDS = 10;
    private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private final ClientCalls calls;
    private final String topic;
    private final ProducerConfig config;
    private final KnownTopic known;
    private final BlockPuts puts;
    private final PutBuffer buffer;
    private final RoundRobin roundRobin;
    private final Map<Integer, PartitionQueue> queues = new ConcurrentHashMap<>();
    private final Executor threads;
    private final Closing closing = Closing.ofProducer(this::closeWithClient);
    private final Outcomes outcomes;
    private volatile boolean closed;

    /**
     * Creates a producer for a topic.
     *
     * @throws TalosClientException the topic cannot be looked up
     */
    public TalosProducer(TalosClient client, String topic, ProducerConfig config) throws TalosClientException {
        calls = client.calls();
        String producerId = "talos-" + calls.runtime().uniqueName();
        roundRobin = new RoundRobin(producerId.hashCode());
        this.topic = topic;
        outcomes = new Outcomes(topic, calls::nowMillis);
        this.config = config;
        known = new KnownTopic(calls, config, outcomes);
        buffer = new PutBuffer(
                config.maxBufferedMessages(),
                config.maxBufferedBytes(),
                calls.runtime().lock());
        Executor executor = calls.executor("producer");
        threads = task -> executor.execute(() -> closing.callBack(task));
        puts = new BlockPuts(calls, known.resourceName(), producerId);
        calls.opened(closing);
    }

    /** Creates a producer for a topic with the default configuration. */
    public TalosProducer(TalosClient client, String topic) throws TalosClientException {
        this(client, topic, ProducerConfig.defaults());
    }

    /** Returns the number of the topic's partitions at the last look-up. */
    public int partitions() {
        return known.partitions();
    }

    /**
     * Sends a message in the background, to its key's partition; waits for room in the buffer, not for the server.
     *
     * @return completes when the message is acknowledged, or with a {@link TalosClientException}; on a thread of the
     *     producer, for the messages of a partition in the order in which they were sent
     */
    public CompletableFuture<PutResult> send(OutgoingMessage message) {
        SentMessage sent = new SentMessage(outcomes, 1);
        accept(new Waiting(message, sent), () -> partitionOf(message));
        return sent;
    }

    /**
     * Sends a message in the background to a partition of the caller's choice. A partition that the topic did not have
     * at the last lookup is looked up first, because it may be new.
     *
     * @return as of {@link #send(OutgoingMessage)}
     */
    public CompletableFuture<PutResult> send(int partition, OutgoingMessage message) {
        SentMessage sent = new SentMessage(outcomes, 1);
        accept(new Waiting(message, sent), partition);
        return sent;
    }

    /**
     * Sends a message in the background, to its key's partition, and calls back with its result or its failure. What
     * the callback throws is logged.
     *
     * @param callback called once, with one of the two; on a thread of the producer, for the messages of a partition in
     *     the order in which they were sent, or on the caller's if the message is refused at once
     */
    public void send(
            OutgoingMessage message, BiConsumer<@Nullable PutResult, @Nullable TalosClientException> callback) {
        accept(new Waiting(message, new CalledBack(outcomes, callback)), () -> partitionOf(message));
    }

    /**
     * Sends a message in the background to a partition of the caller's choice, as {@link #send(int, OutgoingMessage)},
     * and calls back as {@link #send(OutgoingMessage, BiConsumer)}.
     */
    public void send(
            int partition,
            OutgoingMessage message,
            BiConsumer<@Nullable PutResult, @Nullable TalosClientException> callback) {
        accept(new Waiting(message, new CalledBack(outcomes, callback)), partition);
    }

    /**
     * Sends a message in the background under a key of the program's own, to its key's partition, or without a key to a
     * partition that depends only on the idempotency key. The message is a put of its own, with the promises of
     * {@link #send(int, List, String)}. If the topic gets more partitions, a repetition may go to another partition and
     * be stored there: if that matters, choose the partition yourself.
     *
     * @param idempotencyKey 1 to 255 visible characters of ASCII
     * @throws IllegalArgumentException the idempotency key has other characters, or too many
     */
    public CompletableFuture<PutResult> send(OutgoingMessage message, String idempotencyKey) {
        PutKey identity = new PutKey(idempotencyKey);
        SentMessage sent = new SentMessage(outcomes, 1);
        accept(
                new WaitingTogether(List.of(message), identity, sent),
                () -> message.key().isPresent() ? partitionOf(message) : known.partitionOf(identity));
        return sent;
    }

    /**
     * Sends messages in the background, together and in order, under a key of the program's own. They are one put:
     * either all of them are stored or none. Sent again with the same key to the same partition, by any producer of the
     * same user, they are not stored again as long as the server remembers the key: for {@code log.dedupeAge}, 10
     * minutes by default, from when they were stored, as far as its memory reaches. They are sent by a call, even if
     * the client has streams, behind earlier messages to the partition and before later ones.
     *
     * @param messages one or more; a repetition has the same bodies, keys and headers
     * @param idempotencyKey 1 to 255 visible characters of ASCII
     * @return completes with the place of the first message; as of {@link #send(OutgoingMessage)}. Fails with a
     *     FatalException of code IDEMPOTENCY_KEY_REUSED if other messages were put under the key
     * @throws IllegalArgumentException no messages; or the key has other characters, or too many
     */
    public CompletableFuture<PutResult> send(int partition, List<OutgoingMessage> messages, String idempotencyKey) {
        if (messages.isEmpty()) {
            throw new IllegalArgumentException("messages: none (expected: 1 or more)");
        }
        SentMessage sent = new SentMessage(outcomes, messages.size());
        accept(new WaitingTogether(List.copyOf(messages), new PutKey(idempotencyKey), sent), partition);
        return sent;
    }

    private int partitionOf(OutgoingMessage message) throws FatalException {
        Optional<String> key = message.key();
        return key.isPresent() ? known.partitionOf(key.get()) : roundRobin.next(partitions(), calls.nanos());
    }

    /** The choice of the partition of messages. */
    @FunctionalInterface
    private interface Place {
        int partition() throws FatalException;
    }

    private void accept(Waiting added, Place place) {
        int partition;
        try {
            partition = place.partition();
        } catch (FatalException e) {
            added.refuse(e);
            return;
        }
        accept(added, partition);
    }

    /** Queues messages once there is room; ends them at once if they cannot be queued. */
    private void accept(Waiting added, int partition) {
        TalosClientException refusal = unfit(partition, added.largest());
        if (refusal == null) {
            refusal = reserve(added);
        }
        if (refusal != null) {
            added.refuse(refusal);
            return;
        }
        PartitionQueue queue = queue(partition);
        if (closed) { // checked again, because close() may have missed the new queue
            buffer.release(added.count(), added.size());
            added.refuse(ClientCalls.closed("producer"));
            return;
        }
        queue.add(added);
    }

    private @Nullable FatalException unfit(int partition, int bytes) {
        if (bytes > MAX_MESSAGE_BYTES) {
            return new FatalException(
                    "REQUEST_TOO_LARGE",
                    "a message of " + bytes + " bytes (expected: " + MAX_MESSAGE_BYTES + " at most)",
                    null);
        }
        return partition < 0 || partition >= MOST_PARTITIONS ? known.noPartition(partition) : null;
    }

    /** Waits for room; returns why there is none, or null. */
    private @Nullable TalosClientException reserve(Waiting added) {
        if (closed) {
            return ClientCalls.closed("producer");
        }
        known.check();
        try {
            if (buffer.acquire(added.count(), added.size(), config.maxBlock())) {
                return null;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new RetriableException("INTERRUPTED", "INTERRUPTED: while it waited for room", e);
        }
        return closed
                ? ClientCalls.closed("producer")
                : new RetriableException(
                        "BUFFER_FULL", "BUFFER_FULL: " + buffer.messages() + " messages wait already", null);
    }

    private PartitionQueue queue(int partition) {
        return queues.computeIfAbsent(
                partition,
                number -> new PartitionQueue(
                        config,
                        number,
                        number < partitions() ? puts.mostInFlight() : 1, // otherwise messages could overtake the lookup
                        (content, within) -> number < partitions()
                                ? put(number, content, within)
                                : putToUnknown(number, content, within),
                        buffer,
                        new PartitionQueue.Engine(calls.runtime(), threads, calls::nanos)));
    }

    /**
     * Puts to a partition that the topic did not have at the last look-up, once a lookup has shown that the topic has
     * it.
     */
    private CompletableFuture<OptionalLong> putToUnknown(int partition, PutContent content, Duration within) {
        long start = calls.nanos();
        return known.look(partition, within)
                .thenCompose(failure -> failure.isEmpty()
                        ? putInTime(partition, content, within.minusNanos(calls.nanos() - start))
                        : CompletableFuture.failedFuture(failure.get()));
    }

    private CompletableFuture<OptionalLong> putInTime(int partition, PutContent content, Duration left) {
        return left.toNanos() < PartitionQueue.leastNanos(config)
                ? CompletableFuture.failedFuture(PartitionQueue.neverSent())
                : put(partition, content, left);
    }

    private CompletableFuture<OptionalLong> put(int partition, PutContent content, Duration within) {
        MessageBlock block;
        Optional<String> identity;
        try {
            block = PutRequests.block(content.messages(), config.compression(), calls.nowMillis());
            identity = content.key().map(key -> key.sequenceId(content.messages()));
        } catch (RuntimeException | Error e) { // a codec that cannot be loaded is an Error
            return CompletableFuture.failedFuture(
                    new FatalException("CLIENT", "CLIENT: the put cannot be made: " + e, e));
        }
        CompletableFuture<OptionalLong> sent = puts.put(known.partition(partition), block, identity, within);
        long bytes = block.bufferForMessageBlock().remaining();
        long held = HeapBytes.array(block.bufferForMessageBlock().capacity());
        buffer.hold(held);
        outcomes.begun();
        return sent.whenComplete((offset, thrown) -> {
            buffer.release(0, held);
            outcomes.ended(content.messages().size(), bytes, thrown);
        });
    }

    /**
     * Returns the producer's current activity and its figures so far, also after it has been closed. Calls no server.
     * Thread-safe.
     */
    public ProducerSnapshot snapshot() {
        return outcomes.snapshot(
                closed ? ProducerSnapshot.State.CLOSED : ProducerSnapshot.State.OPEN, partitions(), buffer);
    }

    /**
     * Sends the queued messages without lingering, and waits until all that were sent before have completed and their
     * callbacks have run. Each completes within the delivery timeout.
     *
     * @throws TalosClientException the first failure since the last flush
     * @throws IllegalStateException a callback of this producer has called it, so it would wait for itself
     */
    public void flush() throws TalosClientException, InterruptedException {
        flush(FOREVER);
    }

    /**
     * Flushes like {@link #flush()}, for at most some time.
     *
     * @param within longest wait
     * @throws TalosClientException the first failure since the last flush; UnknownOutcomeException with code TIMEOUT if
     *     not all have completed in that time: they are sent nevertheless
     */
    public void flush(Duration within) throws TalosClientException, InterruptedException {
        if (closing.isCallingBack()) {
            throw new IllegalStateException("flush: called by a callback, for which it would wait (expected: another"
                    + " thread; in a callback, send is enough)");
        }
        long nanos = LongestWait.orShorter(within).toNanos();
        try {
            var unused = calls.runtime().get(flushAll(), nanos);
        } catch (ExecutionException e) {
            throw ClientCalls.failure(e);
        } catch (TimeoutException e) {
            throw new UnknownOutcomeException(
                    "TIMEOUT", true, "TIMEOUT: not all messages have completed within " + within, e);
        }
        var unused = outcomes.takeUnseen();
        TalosClientException failure = outcomes.takeFailure();
        if (failure != null) {
            throw failure;
        }
    }

    private CompletableFuture<Void> flushAll() {
        List<CompletableFuture<?>> flushed = new ArrayList<>();
        queues.values().forEach(queue -> flushed.add(queue.flush()));
        return CompletableFuture.allOf(flushed.toArray(CompletableFuture[]::new));
    }

    /** Closes the producer within the configured timeout: {@link #close(Duration)}. */
    @Override
    public void close() {
        var unused = close(config.closeTimeout());
    }

    private void closeWithClient(Optional<Duration> within) {
        var unused = close(within.orElse(config.closeTimeout()));
    }

    /**
     * Refuses further messages, sends the queued ones and waits for them. Messages that have not completed then fail,
     * with their known outcome. Unnoticed failures are logged. May be called twice; if a callback of this producer
     * calls it, it does not wait.
     *
     * @param within longest wait; with zero it does not wait. Callbacks have 10 s more
     * @return messages that were not stored, or may not have been, as far as is known
     */
    public CloseReport close(Duration within) {
        closed = true;
        buffer.close();
        boolean mayWait = !closing.isCallingBack();
        long nanos = LongestWait.orShorter(within).toNanos();
        boolean interrupted = mayWait && await(flushAll(), nanos);
        int notSent = 0;
        int unknown = 0;
        List<CompletableFuture<?>> completions = new ArrayList<>();
        long before = outcomes.takeUnseen();
        for (PartitionQueue each : queues.values()) {
            PartitionQueue.Aborted aborted = each.abort();
            notSent += aborted.queued();
            unknown += aborted.inFlight();
            completions.add(each.completions());
        }
        if (mayWait) {
            interrupted |= await(
                    CompletableFuture.allOf(completions.toArray(CompletableFuture[]::new)),
                    TimeUnit.SECONDS.toNanos(CALLBACK_SECONDS));
        }
        var unused = outcomes.takeUnseen(); // those that have failed just now are in the report
        CloseReport report = new CloseReport(notSent, unknown, before);
        if (!report.isClean()) {
            LOG.warn(
                    "messages failed topic={} notSent={} unknown={} unseen={}",
                    topic,
                    notSent,
                    unknown,
                    before,
                    outcomes.failure());
        }
        puts.close();
        calls.closed(closing);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return report;
    }

    /** Waits for a future and returns whether the thread was interrupted; its failure is logged. */
    private boolean await(CompletableFuture<?> what, long nanos) {
        try {
            var unused = calls.runtime().get(what, nanos);
        } catch (InterruptedException e) {
            return true;
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the producer is closed before all messages have completed topic={}", topic, e);
        }
        return false;
    }
}

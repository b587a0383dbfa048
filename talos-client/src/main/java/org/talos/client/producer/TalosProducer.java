// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
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
import org.talos.client.producer.PartitionQueue.Waiting;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.RemoteCall.Effect;
import org.talos.client.transport.Service;
import org.talos.common.name.Placement;
import org.talos.thrift.GetTopicAttributeRequest;
import org.talos.thrift.GetTopicAttributeResponse;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.TopicAttribute;

/**
 * Puts messages in the background, many at once, in order for each partition.
 *
 * <p>A message with a key goes to the key's partition, as the topic's partitioner says; others go to one partition for
 * a while and then to the next, so that they are sent together. Each put has a unique identity and is repeated under it
 * as long as the outcome allows and the delivery time-out lasts, so a message is stored once. Every message completes:
 * acknowledged, or with a {@link TalosClientException} that says whether it may have been stored. After a message of a
 * partition has failed the following ones are sent nevertheless.
 *
 * <p>Thread-safe.
 */
public final class TalosProducer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TalosProducer.class);
    private static final int MAX_MESSAGE_BYTES = 10 << 20;
    private static final int OVERHEAD_BYTES = 64;
    /** Far above what any topic has: a partition has a queue of its own for the producer's life. */
    private static final int MOST_PARTITIONS = 1 << 16;

    private static final int CALLBACK_SECONDS = 10;
    private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private final ClientCalls calls;
    private final String topic;
    private final ProducerConfig config;
    private final String resourceName;
    private final BlockPuts puts;
    private final PutBuffer buffer;
    private final RoundRobin roundRobin;
    private final Map<Integer, PartitionQueue> queues = new ConcurrentHashMap<>();
    private final Executor threads;
    private final Closing closing = Closing.ofProducer(this::closeWithClient);
    private final AtomicReference<@Nullable TalosClientException> firstFailure = new AtomicReference<>();
    private final AtomicLong unseen = new AtomicLong();
    private final AtomicLong checkedAtNanos;
    private volatile Placement placement;
    private volatile boolean closed;

    /**
     * A producer for a topic.
     *
     * @throws TalosClientException the topic can't be looked up
     */
    public TalosProducer(TalosClient client, String topic, ProducerConfig config) throws TalosClientException {
        calls = client.calls();
        String producerId = "talos-" + calls.runtime().uniqueName();
        roundRobin = new RoundRobin(producerId.hashCode());
        this.topic = topic;
        this.config = config;
        GetTopicAttributeResponse info = calls.result(describe(topic));
        resourceName = info.getTopicTalosResourceName().getTopicTalosResourceName();
        placement = placement(info.getTopicAttribute());
        checkedAtNanos = new AtomicLong(calls.nanos());
        buffer = new PutBuffer(
                config.maxBufferedMessages(),
                config.maxBufferedBytes(),
                calls.runtime().lock());
        Executor executor = calls.executor("producer");
        threads = task -> executor.execute(() -> closing.callBack(task));
        puts = new BlockPuts(calls, resourceName, producerId);
        calls.opened(closing);
    }

    /** A producer for a topic with the default configuration. */
    public TalosProducer(TalosClient client, String topic) throws TalosClientException {
        this(client, topic, ProducerConfig.defaults());
    }

    static RemoteCall<GetTopicAttributeResponse> describe(String topic) {
        return RemoteCall.of(
                Service.TOPIC,
                "getTopicAttribute",
                new GetTopicAttributeRequest(topic),
                GetTopicAttributeResponse::new,
                Effect.NONE);
    }

    private static Placement placement(TopicAttribute attribute) {
        return Placement.of(
                attribute.isSetAttributes() ? attribute.getAttributes() : Map.of(), attribute.getPartitionNumber());
    }

    /** The number of the topic's partitions at the last look-up. */
    public int partitions() {
        return placement.partitions();
    }

    /**
     * Sends a message in the background, to its key's partition; waits for room in the buffer, not for the server.
     *
     * @return completes when the message is acknowledged, or with a {@link TalosClientException}; on a thread of the
     *     producer, for the messages of a partition in the order in which they were sent
     */
    public CompletableFuture<PutResult> send(OutgoingMessage message) {
        Placement known = placement;
        int partition;
        try {
            partition = message.key()
                    .map(known::partition)
                    .orElseGet(() -> roundRobin.next(known.partitions(), calls.nanos()));
        } catch (IllegalArgumentException e) {
            return refused(new FatalException(
                    "UNKNOWN_PARTITIONER", "UNKNOWN_PARTITIONER: the key can't be placed: " + e.getMessage(), e));
        }
        return send(partition, message);
    }

    /**
     * Sends a message in the background to a partition of the caller's choice. A partition that the topic did not have
     * at the last look-up is looked up first: it may be a new one.
     */
    public CompletableFuture<PutResult> send(int partition, OutgoingMessage message) {
        FatalException unfit = unfit(partition, message);
        if (unfit != null) {
            return refused(unfit);
        }
        if (closed) {
            return refused(ClientCalls.closed("producer"));
        }
        checkPartitions();
        long size = (long) message.size() + OVERHEAD_BYTES;
        try {
            if (!buffer.acquire(size, config.maxBlock())) {
                return refused(
                        closed
                                ? ClientCalls.closed("producer")
                                : new RetriableException(
                                        "BUFFER_FULL",
                                        "BUFFER_FULL: " + buffer.messages() + " messages wait already",
                                        null));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return refused(new RetriableException("INTERRUPTED", "INTERRUPTED: while it waited for room", e));
        }
        PartitionQueue queue = queue(partition);
        if (closed) { // asked again now that close() knows the queue: it has closed it, or this sees that it closes
            buffer.release(1, size);
            return refused(ClientCalls.closed("producer"));
        }
        SentMessage sent = new SentMessage(unseen);
        queue.add(new Waiting(message, size, calls.nanos(), failure -> complete(sent, partition, failure)));
        return sent;
    }

    private void complete(SentMessage sent, int partition, @Nullable TalosClientException failure) {
        if (failure == null) {
            sent.complete(new PutResult(topic, partition));
        } else {
            fail(sent, failure);
        }
    }

    private void fail(SentMessage sent, TalosClientException failure) {
        firstFailure.compareAndSet(null, failure);
        sent.fail(failure);
    }

    /** Sends a message and calls back with its result or failure. What the callback throws is logged. */
    public void send(
            OutgoingMessage message, BiConsumer<@Nullable PutResult, @Nullable TalosClientException> callback) {
        var unused = send(message).whenComplete((stored, thrown) -> {
            try {
                callback.accept(stored, thrown == null ? null : ClientCalls.failure(thrown));
            } catch (RuntimeException | Error e) { // the future that would hold an Error is nobody's
                LOG.error("a callback failed topic={}", topic, e);
            }
        });
    }

    private @Nullable FatalException unfit(int partition, OutgoingMessage message) {
        int bytes = message.bodyLength();
        if (bytes > MAX_MESSAGE_BYTES) {
            return new FatalException(
                    "REQUEST_TOO_LARGE",
                    "a message of " + bytes + " bytes (expected: " + MAX_MESSAGE_BYTES + " at most)",
                    null);
        }
        return partition < 0 || partition >= MOST_PARTITIONS ? noPartition(partition) : null;
    }

    private FatalException noPartition(int partition) {
        return new FatalException(
                "PARTITION_NOT_EXIST", "partition: " + partition + " (expected: 0.." + (partitions() - 1) + ")", null);
    }

    private CompletableFuture<PutResult> refused(TalosClientException failure) {
        SentMessage sent = new SentMessage(unseen);
        fail(sent, failure);
        return sent;
    }

    private PartitionQueue queue(int partition) {
        return queues.computeIfAbsent(
                partition,
                number -> new PartitionQueue(
                        config,
                        number < partitions() ? puts.mostInFlight() : 1, // else the look-up would let some pass
                        (messages, within) -> number < partitions()
                                ? put(number, messages, within)
                                : putToUnknown(number, messages, within),
                        buffer,
                        threads,
                        calls.runtime(),
                        calls::nanos));
    }

    /** Puts to a partition that the topic did not have at the last look-up, once another has shown that it has it. */
    private CompletableFuture<?> putToUnknown(int partition, List<OutgoingMessage> messages, Duration within) {
        long start = calls.nanos();
        return lookUp(within)
                .handle((info, thrown) -> unknown(partition, thrown))
                .thenCompose(failure -> failure.isEmpty()
                        ? putInTime(partition, messages, within.minusNanos(calls.nanos() - start))
                        : CompletableFuture.failedFuture(failure.get()));
    }

    private CompletableFuture<?> putInTime(int partition, List<OutgoingMessage> messages, Duration left) {
        return left.toNanos() < PartitionQueue.leastNanos(config)
                ? CompletableFuture.failedFuture(PartitionQueue.neverSent())
                : put(partition, messages, left);
    }

    /** Why nothing can be put to a partition after a look-up; empty if the topic has it. */
    private Optional<TalosClientException> unknown(int partition, @Nullable Throwable thrown) {
        if (thrown == null) {
            return partition < partitions() ? Optional.empty() : Optional.of(noPartition(partition));
        }
        TalosClientException failure = ClientCalls.failure(thrown);
        return Optional.of(
                failure instanceof FatalException
                        ? failure
                        : new RetriableException( // of the put it is known that it did not happen
                                failure.code(), "the topic can't be looked up: " + failure.getMessage(), failure));
    }

    private CompletableFuture<?> put(int number, List<OutgoingMessage> messages, Duration within) {
        MessageBlock block;
        try {
            block = PutRequests.block(messages, config.compression(), calls.nowMillis());
        } catch (RuntimeException | Error e) { // a codec that can't be loaded is an Error
            return CompletableFuture.failedFuture(
                    new FatalException("CLIENT", "CLIENT: the put can't be made: " + e, e));
        }
        return puts.put(new PartitionRef(topic, resourceName, number), block, within);
    }

    /**
     * Looks up the topic in the background once an interval: it may have got more partitions, or have been replaced.
     */
    private void checkPartitions() {
        long now = calls.nanos();
        long before = checkedAtNanos.get();
        if (now - before < config.partitionCheckInterval().toNanos() || !checkedAtNanos.compareAndSet(before, now)) {
            return;
        }
        var unused = lookUp(config.deliveryTimeout());
    }

    private CompletableFuture<?> lookUp(Duration within) {
        return calls.send(describe(topic), within).whenComplete((info, thrown) -> {
            if (info == null || thrown != null) {
                LOG.warn("topic can't be looked up topic={}", topic, thrown);
            } else if (info.getTopicTalosResourceName()
                    .getTopicTalosResourceName()
                    .equals(resourceName)) {
                lookedUp(placement(info.getTopicAttribute()));
            } else {
                LOG.error("topic was deleted and made again: this producer's puts are refused topic={}", topic);
            }
        });
    }

    /** Takes over what a look-up found, unless a later one has found more partitions: their number never decreases. */
    private synchronized void lookedUp(Placement found) {
        if (found.partitions() >= placement.partitions()) {
            placement = found;
        }
    }

    /**
     * Sends the queued messages without lingering, and waits until all that were sent before have completed and their
     * callbacks have run. Each completes within the delivery time-out.
     *
     * @throws TalosClientException the first failure since the last flush
     * @throws IllegalStateException called by a callback of this producer, for which it would wait
     */
    public void flush() throws TalosClientException, InterruptedException {
        flush(FOREVER);
    }

    /**
     * Like {@link #flush()}, for some time at most.
     *
     * @param within how long to wait
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
        unseen.set(0);
        TalosClientException failure = firstFailure.getAndSet(null);
        if (failure != null) {
            throw failure;
        }
    }

    private CompletableFuture<Void> flushAll() {
        List<CompletableFuture<?>> flushed = new ArrayList<>();
        queues.values().forEach(queue -> flushed.add(queue.flush()));
        return CompletableFuture.allOf(flushed.toArray(CompletableFuture[]::new));
    }

    /** Closes the producer within the configured time-out: {@link #close(Duration)}. */
    @Override
    public void close() {
        var unused = close(config.closeTimeout());
    }

    private void closeWithClient(Optional<Duration> within) {
        var unused = close(within.orElse(config.closeTimeout()));
    }

    /**
     * Refuses further messages, sends the queued ones and waits for them. Messages that have not completed then fail,
     * with what is known of their outcome. What failed without anybody's looking is logged. May be called twice; called
     * by a callback of this producer it does not wait.
     *
     * @param within how long to wait; zero does not. Callbacks have 10 s more
     * @return what was not stored, or may not have been, as far as nobody knows yet
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
        long before = unseen.getAndSet(0);
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
        unseen.set(0); // those that have failed just now are in the report
        CloseReport report = new CloseReport(notSent, unknown, before);
        if (!report.isClean()) {
            LOG.warn(
                    "messages failed topic={} notSent={} unknown={} unseen={}",
                    topic,
                    notSent,
                    unknown,
                    before,
                    firstFailure.get());
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

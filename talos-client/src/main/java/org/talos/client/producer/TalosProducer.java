// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.FatalException;
import org.talos.client.RetriableException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.producer.PartitionLane.Waiting;
import org.talos.client.transport.Operation;
import org.talos.client.transport.Place;
import org.talos.client.transport.Service;
import org.talos.common.name.Partitioner;
import org.talos.thrift.GetDescribeInfoRequest;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.MessageBlock;

/**
 * Puts messages in the background, many at once, in order for each partition.
 *
 * <p>A message with a key goes to the key's partition; others go to one partition for a while and then to the next, so
 * that they travel together. Each put has an identity that is unique for ever and is repeated under it as long as the
 * outcome allows and the delivery time-out lasts, so a message lands once. Every message ends: stored, or with a
 * {@link TalosClientException} that says whether it may be stored all the same. After a message of a partition has
 * failed the following ones are sent nevertheless.
 *
 * <p>Thread-safe.
 */
public final class TalosProducer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TalosProducer.class);
    private static final int MAX_MESSAGE_BYTES = 10 << 20;
    private static final int OVERHEAD_BYTES = 64;
    private static final int IDLE_SECONDS = 10;

    private final ClientCalls calls;
    private final String topic;
    private final ProducerConfig config;
    private final String resourceName;
    private final String producerId = "talos-" + UUID.randomUUID();
    private final AtomicLong puts = new AtomicLong();
    private final PutBuffer buffer;
    private final RoundRobin turns = new RoundRobin(producerId.hashCode());
    private final Map<Integer, PartitionLane> lanes = new ConcurrentHashMap<>();
    private final Executor threads; // each ends when it has been idle for a while: there is nothing to shut down
    private final AtomicReference<@Nullable TalosClientException> firstFailure = new AtomicReference<>();
    private final AtomicLong checkedAtNanos;
    private volatile int partitions;
    private volatile boolean closed;

    /**
     * A producer for a topic.
     *
     * @throws TalosClientException the topic can't be looked up
     */
    public TalosProducer(TalosClient client, String topic, ProducerConfig config) throws TalosClientException {
        calls = client.calls();
        this.topic = topic;
        this.config = config;
        GetDescribeInfoResponse info = calls.result(describe(topic));
        resourceName = info.getTopicTalosResourceName().getTopicTalosResourceName();
        partitions = info.getPartitionNumber();
        checkedAtNanos = new AtomicLong(calls.nanos());
        buffer = new PutBuffer(config.maxBufferedMessages(), config.maxBufferedBytes());
        threads = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                calls.threads("producer"));
    }

    /** The same with defaults. */
    public TalosProducer(TalosClient client, String topic) throws TalosClientException {
        this(client, topic, ProducerConfig.defaults());
    }

    private static Operation<GetDescribeInfoResponse> describe(String topic) {
        return Operation.of(
                Service.TOPIC,
                "getDescribeInfo",
                new GetDescribeInfoRequest(topic),
                GetDescribeInfoResponse::new,
                true);
    }

    /** The topic's partitions, as far as this producer knows. */
    public int partitions() {
        return partitions;
    }

    /**
     * Accepts a message; waits for room in the buffer, not for the server.
     *
     * @return completes when the message is stored, or with a {@link TalosClientException}; on a thread of the
     *     producer, for the messages of a partition in the order in which they were sent
     */
    public CompletableFuture<PutResult> send(OutgoingMessage message) {
        int count = partitions;
        int partition = message.key()
                .map(key -> Partitioner.partition(key, count))
                .orElseGet(() -> turns.next(count, calls.nanos()));
        return send(partition, message);
    }

    /** The same, to a partition of the caller's choice. */
    public CompletableFuture<PutResult> send(int partition, OutgoingMessage message) {
        FatalException unfit = unfit(partition, message);
        if (unfit != null) {
            return refused(unfit);
        }
        if (closed) {
            return refused(ClientCalls.closed("producer"));
        }
        lookAtTopic();
        long size =
                (long) message.body().length + message.key().map(String::length).orElse(0) + OVERHEAD_BYTES;
        try {
            if (!buffer.take(size, config.maxBlock())) {
                return refused(new RetriableException(
                        "BUFFER_FULL", "BUFFER_FULL: " + buffer.messages() + " messages wait already", null));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return refused(new RetriableException("INTERRUPTED", "INTERRUPTED: while it waited for room", e));
        }
        Waiting waiting = new Waiting(message, size, calls.nanos());
        lane(partition).add(waiting);
        return waiting.ended()
                .thenApply(stored -> new PutResult(topic, partition))
                .whenComplete(this::remember);
    }

    /** The same; the callback is called with a result or a failure. What it throws is logged. */
    public void send(
            OutgoingMessage message, BiConsumer<@Nullable PutResult, @Nullable TalosClientException> callback) {
        var unused = send(message).whenComplete((stored, thrown) -> {
            try {
                callback.accept(stored, thrown == null ? null : ClientCalls.failure(thrown));
            } catch (RuntimeException e) {
                LOG.error("a callback failed topic={}", topic, e);
            }
        });
    }

    private @Nullable FatalException unfit(int partition, OutgoingMessage message) {
        int bytes = message.body().length;
        if (bytes == 0 || bytes > MAX_MESSAGE_BYTES) {
            return new FatalException(
                    "REQUEST_TOO_LARGE",
                    "a message of " + bytes + " bytes (expected: 1.." + MAX_MESSAGE_BYTES + ")",
                    null);
        }
        if (partition < 0 || partition >= partitions) {
            return new FatalException(
                    "PARTITION_NOT_EXIST",
                    "partition: " + partition + " (expected: 0.." + (partitions - 1) + ")",
                    null);
        }
        return null;
    }

    private CompletableFuture<PutResult> refused(TalosClientException failure) {
        remember(null, failure);
        return CompletableFuture.failedFuture(failure);
    }

    private void remember(@Nullable PutResult stored, @Nullable Throwable thrown) {
        if (thrown != null) {
            firstFailure.compareAndSet(null, ClientCalls.failure(thrown));
        }
    }

    private PartitionLane lane(int partition) {
        return lanes.computeIfAbsent(
                partition,
                number -> new PartitionLane(
                        config,
                        (messages, within) -> put(new Place(topic, resourceName, number), messages, within),
                        buffer,
                        threads,
                        calls::nanos));
    }

    private CompletableFuture<?> put(Place place, List<OutgoingMessage> messages, Duration within) {
        MessageBlock block = PutOperations.block(messages, config.compression(), calls.nowMillis());
        return calls.send(PutOperations.put(place, block, producerId + "#" + puts.incrementAndGet()), within);
    }

    /** Now and then, in the background: a topic may get more partitions. One that is gone refuses the puts. */
    private void lookAtTopic() {
        long now = calls.nanos();
        long before = checkedAtNanos.get();
        if (now - before < config.partitionCheckInterval().toNanos() || !checkedAtNanos.compareAndSet(before, now)) {
            return;
        }
        var unused = calls.send(describe(topic), calls.deadline()).whenComplete((info, thrown) -> {
            if (info == null || thrown != null) {
                LOG.warn("topic can't be looked up topic={}", topic, thrown);
            } else if (info.getTopicTalosResourceName()
                    .getTopicTalosResourceName()
                    .equals(resourceName)) {
                partitions = Math.max(partitions, info.getPartitionNumber());
            } else {
                LOG.error("topic was deleted and made again: this producer's puts are refused topic={}", topic);
            }
        });
    }

    /**
     * Sends what waits without lingering, and waits until everything that was sent before has ended.
     *
     * @throws TalosClientException the first failure since the last flush
     */
    public void flush() throws TalosClientException, InterruptedException {
        try {
            all().get();
        } catch (ExecutionException e) {
            throw ClientCalls.failure(e);
        }
        TalosClientException failure = firstFailure.getAndSet(null);
        if (failure != null) {
            throw failure;
        }
    }

    private CompletableFuture<Void> all() {
        List<CompletableFuture<?>> flushed = new ArrayList<>();
        lanes.values().forEach(lane -> flushed.add(lane.flush()));
        return CompletableFuture.allOf(flushed.toArray(CompletableFuture[]::new));
    }

    /**
     * Takes no more messages, sends what waits, and waits for it as long as is configured. What has not ended then ends
     * with a failure that says whether it may be stored; how many these were is logged. May be called twice.
     */
    @Override
    public void close() {
        closed = true;
        long end = calls.nanos() + config.closeTimeout().toNanos();
        boolean interrupted = await(all(), end - calls.nanos());
        int given = lanes.values().stream().mapToInt(PartitionLane::abort).sum();
        if (given > 0) {
            LOG.warn("messages were given up topic={} messages={}", topic, given);
        }
        List<CompletableFuture<?>> told = new ArrayList<>();
        lanes.values().forEach(lane -> told.add(lane.told()));
        interrupted |= await(
                CompletableFuture.allOf(told.toArray(CompletableFuture[]::new)),
                TimeUnit.SECONDS.toNanos(IDLE_SECONDS));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether it was interrupted. */
    private boolean await(CompletableFuture<?> what, long nanos) {
        try {
            what.get(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            return true;
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the producer is closed before everything has ended topic={}", topic, e);
        }
        return false;
    }
}

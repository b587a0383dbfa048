// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.run;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.Transport;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.client.stream.StreamPuts;
import org.talos.client.stream.Streams;
import org.talos.client.transport.PartitionRef;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Puts of one message each by the SDK over one connection: by calls, each waited for, or over a stream with as many in
 * flight as its window holds.
 *
 * <p>Confined: the main thread; answers come on the SDK's.
 */
final class TransportLoad implements AutoCloseable {
    private static final Duration WITHIN = Duration.ofSeconds(30);

    private final TalosClient client;
    private final TopicDescription topic;
    private final byte[] message;
    private final int inFlight;
    private final Histogram latency = new ConcurrentHistogram(3);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final @Nullable StreamPuts stream;
    private final SimpleProducer producer;
    private long number;

    /** One put. */
    @FunctionalInterface
    private interface Put {
        void make() throws TalosClientException, InterruptedException;
    }

    /** @param size of a message in bytes, which cannot be compressed */
    TransportLoad(ClientConfig config, Transport transport, TopicDescription topic, int size) {
        client = new TalosClient(config.withTransport(transport).withoutDirectRouting());
        this.topic = topic;
        message = new byte[size];
        new SplittableRandom(size).nextBytes(message);
        inFlight = Math.max(1, transport.window() / (size + 100));
        producer = new SimpleProducer(client, topic, Compression.NONE);
        stream = client.calls().streams().map(this::open).orElse(null);
    }

    private StreamPuts open(Streams streams) {
        return new StreamPuts(streams, topic.resourceName(), "bench-" + System.nanoTime(), (put, within) -> {
            throw new IllegalStateException("a put by a call, where a stream is measured");
        });
    }

    /**
     * Puts for some time.
     *
     * @return the latencies of the puts that have ended in it, in nanoseconds
     */
    Histogram run(Duration time) throws TalosClientException, InterruptedException {
        latency.reset();
        long end = System.nanoTime() + time.toNanos();
        StreamPuts over = stream;
        if (over == null) {
            while (System.nanoTime() < end) {
                waitFor(this::call);
            }
        } else {
            putOver(over, end);
        }
        Throwable first = failure.get();
        if (first != null) {
            throw new IllegalStateException("a put failed: " + first, first);
        }
        return latency.copy();
    }

    private void waitFor(Put put) throws TalosClientException, InterruptedException {
        long begin = System.nanoTime();
        put.make();
        latency.recordValue(System.nanoTime() - begin);
    }

    private void call() throws TalosClientException {
        producer.put(partition(), List.of(OutgoingMessage.of(message)));
    }

    private int partition() {
        return (int) (number++ % topic.partitions());
    }

    private void putOver(StreamPuts over, long end) throws InterruptedException {
        Semaphore room = new Semaphore(inFlight);
        while (System.nanoTime() < end) {
            room.acquire();
            long begin = System.nanoTime();
            PartitionRef partition = new PartitionRef(topic.name(), topic.resourceName(), partition());
            var unused = over.put(partition, block(), number, WITHIN).whenComplete((stored, thrown) -> {
                if (thrown != null) {
                    failure.compareAndSet(null, thrown);
                }
                latency.recordValue(System.nanoTime() - begin);
                room.release();
            });
        }
        if (!room.tryAcquire(inFlight, WITHIN.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("puts over a stream that are not answered");
        }
    }

    /** As a producer makes it, again for each put. */
    private MessageBlock block() {
        return MessageBlocks.write(
                List.of(new Message(ByteBuffer.wrap(message))),
                MessageCompressionType.NONE,
                System.currentTimeMillis());
    }

    @Override
    public void close() {
        if (stream != null) {
            stream.close();
        }
        client.close();
    }
}

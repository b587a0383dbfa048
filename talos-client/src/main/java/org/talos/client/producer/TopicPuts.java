// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.talos.client.ClientCalls;
import org.talos.client.Closing;
import org.talos.client.RetriableException;
import org.talos.client.UnknownOutcomeException;
import org.talos.client.admin.TopicDescription;
import org.talos.client.stream.NumberedPut;
import org.talos.client.stream.StreamPuts;
import org.talos.client.stream.Streams;
import org.talos.client.transport.PartitionRef;
import org.talos.thrift.MessageBlock;

/**
 * The puts of one producer into a topic that has been described, each with an identity of its own: over streams if the
 * client has them, otherwise by calls, and repeated as the client repeats calls.
 *
 * <p>Thread-safe.
 */
final class TopicPuts implements AutoCloseable {
    private final ClientCalls calls;
    private final TopicDescription topic;
    private final Compression compression;
    private final String producerId;
    private final AtomicLong puts = new AtomicLong();
    private final boolean gapless;
    private final Map<String, StreamPuts> streams = new ConcurrentHashMap<>(); // by the producer whose puts they send
    private final Closing closing = Closing.ofProducer(within -> close());
    private final AtomicBoolean opened = new AtomicBoolean();
    private volatile boolean closed;

    /** @param gapless whether nothing more is stored in a partition over streams behind a put that failed */
    TopicPuts(ClientCalls calls, TopicDescription topic, Compression compression, boolean gapless) {
        this.calls = calls;
        this.topic = topic;
        this.compression = compression;
        producerId = "talos-" + calls.runtime().uniqueName();
        this.gapless = gapless;
    }

    private CompletableFuture<OptionalLong> call(NumberedPut put) {
        return PutRequests.outcome(calls.send(PutRequests.put(put)));
    }

    /** Returns the result of a put that is stored. */
    PutResult result(int partition, OptionalLong offset) {
        return new PutResult(topic.name(), partition, offset);
    }

    /** Returns whether puts go over streams where there are any. */
    boolean hasStreams() {
        return calls.streams().isPresent();
    }

    /** Returns a put of messages with an identity of its own; nothing is sent. */
    NumberedPut next(int partition, List<OutgoingMessage> messages) {
        MessageBlock block = PutRequests.block(messages, compression, calls.nowMillis());
        return new NumberedPut(
                producerId,
                new PartitionRef(topic.name(), topic.resourceName(), partition),
                block,
                puts.incrementAndGet());
    }

    /** Returns a put of messages with the identity that its program has given it; nothing is sent. */
    NumberedPut next(int partition, List<OutgoingMessage> messages, PutKey key) {
        return next(partition, messages).named(key.sequenceId(messages));
    }

    /**
     * Registers streams that were opened for puts, to be closed with the client.
     *
     * @throws RetriableException the producer or the client is closed
     */
    void open() throws RetriableException {
        if (closed) {
            throw ClientCalls.closed("producer");
        }
        if (hasStreams() && opened.compareAndSet(false, true)) {
            calls.opened(closing);
        }
    }

    /**
     * Makes a put, which may be another producer's, and never waits. Over streams, the puts of a partition are stored
     * in the order of these calls.
     *
     * @return completes when it is stored, with the offset of its first message if that is known; or with a failure for
     *     {@link ClientCalls#failure}
     */
    CompletableFuture<OptionalLong> put(NumberedPut put) {
        if (calls.streams().isPresent()) {
            return streamFor(calls.streams().get(), put.producer()).put(put, calls.deadline());
        }
        if (closed) {
            return CompletableFuture.failedFuture(ClientCalls.closed("producer"));
        }
        if (put.isMaybeOnStream()) {
            return CompletableFuture.failedFuture(new UnknownOutcomeException(
                    "STREAM", true, "STREAM: a stream may have stored this put, so only one can repeat it", null));
        }
        put.called();
        return call(put);
    }

    /** Returns the streams of a producer: puts keep the identity of their producer, and a stream has only one. */
    private StreamPuts streamFor(Streams of, String producer) {
        StreamPuts stream = streams.computeIfAbsent(
                producer, name -> new StreamPuts(of, topic.resourceName(), name, gapless, (put, within) -> call(put)));
        if (closed) {
            stream.close();
        }
        return stream;
    }

    /** Ends the streams; later puts fail. */
    @Override
    public void close() {
        closed = true;
        streams.values().forEach(StreamPuts::close);
        calls.closed(closing);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.talos.client.ClientCalls;
import org.talos.client.stream.NumberedPut;
import org.talos.client.stream.StreamPuts;
import org.talos.client.transport.PartitionRef;
import org.talos.thrift.MessageBlock;

/**
 * Puts the blocks of one producer, each with an identity of its own: over streams if the client has them, otherwise by
 * calls.
 *
 * <p>Thread-safe.
 */
final class BlockPuts implements AutoCloseable {
    /** The puts of a partition on a stream, where the server keeps their order: enough to cover the round trip. */
    private static final int MOST_ON_STREAM = 8;

    private final ClientCalls calls;
    private final String producerId;
    private final AtomicLong puts = new AtomicLong();
    private final @Nullable StreamPuts stream;

    /**
     * Creates the puts of a producer.
     *
     * @param topic resource name of its topic
     * @param producerId unique name of the producer
     */
    BlockPuts(ClientCalls calls, String topic, String producerId) {
        this.calls = calls;
        this.producerId = producerId;
        stream = calls.streams()
                .map(streams -> new StreamPuts(streams, topic, producerId, this::call))
                .orElse(null);
    }

    /** Returns the number of puts of a partition that may be in flight. */
    int mostInFlight() {
        return stream == null ? 1 : MOST_ON_STREAM;
    }

    /**
     * Puts a block; those of a partition are stored in the order in which this is called.
     *
     * @param sequenceId its identity, if the program has given it one
     * @return completes when it is stored, with the offset of its first message if that is known; or with a failure for
     *     {@link ClientCalls#failure}
     */
    CompletableFuture<OptionalLong> put(
            PartitionRef partition, MessageBlock block, Optional<String> sequenceId, Duration within) {
        NumberedPut numbered = new NumberedPut(producerId, partition, block, puts.incrementAndGet());
        NumberedPut put = sequenceId.map(numbered::named).orElse(numbered);
        return stream == null ? call(put, within) : stream.putWithin(put, within);
    }

    private CompletableFuture<OptionalLong> call(NumberedPut put, Duration within) {
        return PutRequests.outcome(calls.send(PutRequests.put(put), within));
    }

    /** Ends its streams. */
    @Override
    public void close() {
        if (stream != null) {
            stream.close();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.talos.client.ClientCalls;
import org.talos.client.FatalException;
import org.talos.client.RetriableException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.client.stream.NumberedPut;

/**
 * Puts batches of messages to the partitions of one topic without waiting for them. Over streams, several batches of a
 * partition are in flight at once; by calls, one after another.
 *
 * <p>Invariant: batches of a partition are stored in the order in which they were put and without a gap. Behind a
 * failed batch, nothing more is stored in its partition: later puts fail, too, and each failure says whether the batch
 * may have been stored.
 *
 * <p>Thread-safe.
 */
public final class PipelinedProducer implements AutoCloseable {
    private final TopicPuts puts;

    @GuardedBy("this")
    private final Map<Integer, CompletableFuture<OptionalLong>> called = new HashMap<>();

    /**
     * Creates a producer for a topic.
     *
     * @throws TalosClientException the client is closed
     */
    public PipelinedProducer(TalosClient client, TopicDescription topic, Compression compression)
            throws TalosClientException {
        puts = new TopicPuts(client.calls(), topic, compression, true);
        puts.open();
    }

    /**
     * Puts messages, together and in order, and never waits. The caller bounds the number of messages in flight.
     *
     * @param messages one or more
     * @return completes when they are stored, with their place, or with a {@link TalosClientException}; on a thread of
     *     the client, which dependents must not block, because it receives other answers, too
     */
    public CompletableFuture<PutResult> put(int partition, List<OutgoingMessage> messages) {
        CompletableFuture<PutResult> done = new CompletableFuture<>();
        var unused = sent(partition, messages).whenComplete((stored, thrown) -> {
            if (thrown == null) {
                done.complete(puts.result(partition, stored));
            } else {
                done.completeExceptionally(ClientCalls.failure(thrown));
            }
        });
        return done;
    }

    private CompletableFuture<OptionalLong> sent(int partition, List<OutgoingMessage> messages) {
        NumberedPut put;
        try {
            put = puts.next(partition, messages);
        } catch (RuntimeException | Error e) { // a codec that cannot be loaded is an Error
            return CompletableFuture.failedFuture(
                    new FatalException("CLIENT", "CLIENT: the put cannot be made: " + e, e));
        }
        if (puts.hasStreams()) {
            return puts.put(put);
        }
        return inTurn(partition, put);
    }

    /** Puts by a call, once the puts in front of it in its partition are stored. */
    private synchronized CompletableFuture<OptionalLong> inTurn(int partition, NumberedPut put) {
        CompletableFuture<OptionalLong> now = called.getOrDefault(
                        partition, CompletableFuture.completedFuture(OptionalLong.empty()))
                .exceptionallyCompose(failed -> behindAFailed())
                .thenCompose(before -> puts.put(put));
        called.put(partition, now);
        return now;
    }

    private static CompletableFuture<OptionalLong> behindAFailed() {
        return CompletableFuture.failedFuture(new RetriableException(
                "PUT_BEFORE_FAILED", "PUT_BEFORE_FAILED: a put in front of it into this partition has failed", null));
    }

    /** Ends puts in progress over streams, fails puts that wait for a call, and refuses later puts. */
    @Override
    public void close() {
        puts.close();
    }
}

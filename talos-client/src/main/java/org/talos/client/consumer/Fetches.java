// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.talos.client.ClientCalls;
import org.talos.client.TalosClientException;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.thrift.GetMessageResponse;

/**
 * Fetches the messages of one partition, one fetch at a time: when the messages are wanted, or earlier, while the
 * previous ones are processed and memory is available.
 *
 * <p>Confined: the thread of the partition's reader, except {@link #bytes}.
 */
final class Fetches {
    private final ClientCalls calls;
    private final PartitionRef partition;
    private final ConsumerConfig config;
    private final Semaphore memory;
    private final Runnable onAnswer;
    private long begun;
    private volatile @Nullable Fetch current; // changed by the reader's thread alone

    /**
     * A fetch that was sent. Immutable.
     *
     * @param reserved bytes of memory for messages that are fetched ahead
     * @param bytes of the answer's blocks, once it has come
     */
    private record Fetch(
            long offset,
            RemoteCall<GetMessageResponse> call,
            CompletableFuture<@Nullable GetMessageResponse> answer,
            int reserved,
            AtomicLong bytes) {}

    /**
     * Creates the fetches of a reader.
     *
     * @param memory bytes that all readers of the member may fetch ahead
     * @param onAnswer runs when a fetch has been answered, on a thread of the client
     */
    Fetches(ClientCalls calls, PartitionRef partition, ConsumerConfig config, Semaphore memory, Runnable onAnswer) {
        this.calls = calls;
        this.partition = partition;
        this.config = config;
        this.memory = memory;
        this.onAnswer = onAnswer;
    }

    /** Fetches from an offset on, unless this fetch is already in progress. */
    void begin(long offset) {
        if (!isFrom(offset)) {
            close();
            current = send(offset, 0);
        }
    }

    /**
     * Fetches from an offset on, if there is memory to keep it until it is wanted. No other fetch may be in progress.
     */
    void beginAhead(long offset) {
        int bytes = config.maxFetchBytes();
        if (memory.tryAcquire(bytes)) {
            current = send(offset, bytes);
        }
    }

    private Fetch send(long offset, int reserved) {
        RemoteCall<GetMessageResponse> call =
                GetRequests.get(partition, offset, config.maxFetchMessages(), config.maxFetchBytes(), "get#" + ++begun);
        CompletableFuture<@Nullable GetMessageResponse> answer = calls.send(call);
        AtomicLong bytes = new AtomicLong();
        var unused = answer.whenComplete((done, thrown) -> {
            if (done != null) {
                bytes.set(GetRequests.bytes(done));
            }
            onAnswer.run();
        });
        return new Fetch(offset, call, answer, reserved, bytes);
    }

    /** Returns the stored bytes of messages that have arrived and were not taken. Thread-safe. */
    long bytes() {
        Fetch fetch = current;
        return fetch == null ? 0 : fetch.bytes.get();
    }

    /** Returns whether the fetch in progress begins at this offset. */
    boolean isFrom(long offset) {
        Fetch fetch = current;
        return fetch != null && fetch.offset == offset;
    }

    /** Returns whether a fetch is in progress without an answer yet. */
    boolean isAwaited() {
        Fetch fetch = current;
        return fetch != null && !fetch.answer.isDone();
    }

    /** Ends the fetch in progress and returns its messages, or none. */
    List<FetchedMessage> take() throws TalosClientException {
        Fetch taken = current;
        if (taken == null) {
            return List.of();
        }
        try {
            GetMessageResponse answer = calls.result(taken.call, taken.answer);
            return GetRequests.messages(partition, answer.getMessageBlocks(), taken.offset);
        } finally {
            close();
        }
    }

    /** Forgets fetches in progress. */
    void close() {
        Fetch fetch = current;
        if (fetch != null) {
            memory.release(fetch.reserved);
            current = null;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.talos.client.ClientCalls;
import org.talos.client.TalosClientException;
import org.talos.client.transport.CallFailure;

/**
 * The outcomes of a producer's puts and messages: figures, the first failure since the last flush, and the number of
 * unnoticed failures.
 *
 * <p>Thread-safe.
 */
final class Outcomes {
    /** Codes of failures that are not answers of a server. */
    private static final Set<String> UNANSWERED = Set.of(CallFailure.CONNECTION, "CLIENT", "CLOSED");

    private final String topic;
    private final LongSupplier nowMillis;
    private final AtomicReference<@Nullable TalosClientException> firstFailure = new AtomicReference<>();
    private final AtomicLong unseen = new AtomicLong();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final LongAdder storedMessages = new LongAdder();
    private final LongAdder storedPuts = new LongAdder();
    private final LongAdder storedBytes = new LongAdder();
    private final LongAdder failedMessages = new LongAdder();
    private volatile long answeredMillis;
    private volatile ProducerSnapshot.@Nullable Failure lastFailure;

    /** @param nowMillis the wall clock, ms since 1970 */
    Outcomes(String topic, LongSupplier nowMillis) {
        this.topic = topic;
        this.nowMillis = nowMillis;
        answeredMillis = nowMillis.getAsLong();
    }

    String topic() {
        return topic;
    }

    /** Records that a server has answered. */
    void answered() {
        answeredMillis = nowMillis.getAsLong();
    }

    /** Counts a put that begins. */
    void begun() {
        inFlight.incrementAndGet();
    }

    /** Counts a put that ends: stored, or failed. */
    void ended(int messages, long bytes, @Nullable Throwable thrown) {
        inFlight.decrementAndGet();
        if (thrown == null) {
            storedMessages.add(messages);
            storedPuts.increment();
            storedBytes.add(bytes);
        }
        if (thrown == null || !UNANSWERED.contains(ClientCalls.failure(thrown).code())) {
            answered();
        }
    }

    /**
     * Returns the result of a message.
     *
     * @param offset in the partition; negative if it is not known
     */
    PutResult stored(int partition, long offset) {
        return new PutResult(topic, partition, offset < 0 ? OptionalLong.empty() : OptionalLong.of(offset));
    }

    /** Counts messages that have failed together. */
    void failed(int messages, TalosClientException failure) {
        firstFailure.compareAndSet(null, failure);
        failedMessages.add(messages);
        lastFailure = new ProducerSnapshot.Failure(
                failure.code(), failure.outcome(), Instant.ofEpochMilli(nowMillis.getAsLong()));
    }

    /** Returns and clears the first failure since the previous call; null if there is none. */
    @Nullable
    TalosClientException takeFailure() {
        return firstFailure.getAndSet(null);
    }

    /** Returns this failure without clearing it. */
    @Nullable
    TalosClientException failure() {
        return firstFailure.get();
    }

    /** Counts a failed message whose failure seems to go unnoticed. */
    void unseen() {
        unseen.incrementAndGet();
    }

    /** Uncounts a failure that the program has noticed after all. */
    void seen() {
        var unused = unseen.updateAndGet(count -> Math.max(0, count - 1)); // a flush may have set it to 0
    }

    /** Returns the number of unnoticed failures since the last call of this. */
    long takeUnseen() {
        return unseen.getAndSet(0);
    }

    ProducerSnapshot snapshot(ProducerSnapshot.State state, int partitions, PutBuffer buffer) {
        return new ProducerSnapshot(
                topic,
                state,
                partitions,
                Instant.ofEpochMilli(answeredMillis),
                buffer.messages(),
                buffer.bytes(),
                inFlight.get(),
                storedMessages.sum(),
                storedPuts.sum(),
                storedBytes.sum(),
                failedMessages.sum(),
                Optional.ofNullable(lastFailure));
    }
}

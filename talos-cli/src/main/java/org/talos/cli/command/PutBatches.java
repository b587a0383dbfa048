// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.talos.client.ClientCalls;
import org.talos.client.TalosClientException;
import org.talos.client.TalosClientException.Outcome;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.PipelinedProducer;

/**
 * Puts messages in batches, in order within a partition, and counts the acknowledged ones. Batches of messages without
 * a partition go to one partition after another. After a failed batch, nothing more is put.
 *
 * <p>Confined: the main thread. {@link #byPartition}, {@link #total}, and {@link #unanswered} are for any thread.
 */
final class PutBatches {
    private static final int FULL_MESSAGES = 1_000;
    private static final long FULL_BYTES = 1 << 20;
    private static final long MOST_BYTES_IN_FLIGHT = 8 << 20;

    private final PipelinedProducer producer;
    private final int partitions;
    private final int mostInFlight;
    private final PutProgress progress = new PutProgress();
    private final SortedMap<Integer, List<Waiting>> waiting = new TreeMap<>();
    private final Deque<Sent> inFlight = new ArrayDeque<>();
    private final AtomicLong unanswered = new AtomicLong();
    private volatile SortedMap<Integer, Long> put = new TreeMap<>(); // replaced, never changed
    private long bytesInFlight;
    private int turn;
    private int messages;
    private long bytes;

    /** A message that is not put yet. Immutable. */
    private record Waiting(OutgoingMessage message, PutProgress.Range range) {}

    /** A batch whose outcome was not read yet. Immutable. */
    private record Sent(int partition, List<PutProgress.Range> ranges, long bytes, CompletableFuture<?> done) {}

    /**
     * Creates batches without a put.
     *
     * @param partitions of the topic
     * @param firstTurn partition of the first batch of messages without a partition, from 0
     * @param mostInFlight batches; with 1 each is waited for
     */
    PutBatches(PipelinedProducer producer, int partitions, int firstTurn, int mostInFlight) {
        this.producer = producer;
        this.partitions = partitions;
        this.turn = firstTurn;
        this.mostInFlight = mostInFlight;
    }

    /**
     * Adds a message. A full batch is put; its failure is thrown here or later.
     *
     * @param partition empty if any will do
     * @param number of the message in the input, above those before
     */
    void add(OptionalInt partition, OutgoingMessage message, long number) throws TalosClientException {
        if (bytes + message.bodyLength() > FULL_BYTES) {
            send(); // a large message is a batch of its own
        }
        waiting.computeIfAbsent(partition.orElse(turn), each -> new ArrayList<>())
                .add(new Waiting(message, progress.next(number)));
        messages++;
        bytes += message.bodyLength();
        if (messages == FULL_MESSAGES || bytes >= FULL_BYTES) { // before reading more into memory
            send();
        }
    }

    /** Puts the added messages and waits for all batches in flight, up to the first one that fails. */
    void flush() throws TalosClientException {
        send();
        settle(0);
    }

    private void send() throws TalosClientException {
        if (waiting.isEmpty()) {
            return;
        }
        for (Map.Entry<Integer, List<Waiting>> each : waiting.entrySet()) {
            put(each.getKey(), each.getValue());
        }
        waiting.clear();
        messages = 0;
        bytes = 0;
        turn = (turn + 1) % partitions;
    }

    private void put(int partition, List<Waiting> batch) throws TalosClientException {
        List<OutgoingMessage> sent = batch.stream().map(Waiting::message).toList();
        long size = sent.stream().mapToLong(each -> each.bodyLength()).sum();
        unanswered.addAndGet(batch.size());
        inFlight.add(
                new Sent(partition, batch.stream().map(Waiting::range).toList(), size, producer.put(partition, sent)));
        bytesInFlight += size;
        settle(mostInFlight - 1);
    }

    /**
     * Waits until at most this number of batches is in flight, and not too many bytes; waits for all if one has failed.
     */
    private void settle(int most) throws TalosClientException {
        boolean failed = inFlight.stream().anyMatch(each -> each.done.isCompletedExceptionally());
        while (!inFlight.isEmpty()
                && (failed
                        || inFlight.size() > most
                        || bytesInFlight > MOST_BYTES_IN_FLIGHT
                        || inFlight.element().done.isDone())) {
            TalosClientException failure = settleFirst();
            if (failure != null) {
                settleAll();
                throw failure;
            }
        }
    }

    private void settleAll() {
        while (!inFlight.isEmpty()) {
            var unused = settleFirst(); // only the first failure is reported; the progress has all
        }
    }

    /** Waits for the oldest batch in flight, notes its outcome, and returns the reason of its failure, if any. */
    private @Nullable TalosClientException settleFirst() {
        Sent first = inFlight.remove();
        bytesInFlight -= first.bytes;
        try {
            first.done.join();
        } catch (CompletionException e) {
            TalosClientException failure = ClientCalls.failure(e);
            if (failure.outcome() == Outcome.DID_NOT_HAPPEN) {
                unanswered.addAndGet(-first.ranges.size());
            } else {
                progress.mayBeStored(first.ranges);
            }
            return failure;
        }
        progress.stored(first.ranges);
        SortedMap<Integer, Long> more = new TreeMap<>(put);
        more.merge(first.partition, (long) first.ranges.size(), Long::sum);
        put = more;
        unanswered.addAndGet(-first.ranges.size());
        return null;
    }

    /** Returns the outcome of the input so far, once all requests in flight are answered. */
    PutProgress progress() {
        settleAll();
        return progress;
    }

    /** Returns the number of acknowledged messages by partition. */
    SortedMap<Integer, Long> byPartition() {
        return new TreeMap<>(put);
    }

    /** Returns the number of messages that were sent and may be stored: their answers are missing. */
    long unanswered() {
        return unanswered.get();
    }

    /** Returns the number of acknowledged messages. */
    long total() {
        return put.values().stream().mapToLong(Long::longValue).sum();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.client.TalosClientException;
import org.talos.client.TalosClientException.Outcome;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;

/**
 * Puts messages in batches, in order within a partition, and counts the acknowledged ones. Those that are for no
 * partition go round: one batch of them to one partition, the next to the next.
 *
 * <p>Confined: the main thread.
 */
final class PutBatches {
    private static final int FULL_MESSAGES = 1_000;
    private static final long FULL_BYTES = 1 << 20;

    private final SimpleProducer producer;
    private final int partitions;
    private final PutProgress progress = new PutProgress();
    private final SortedMap<Integer, List<Waiting>> waiting = new TreeMap<>();
    private final SortedMap<Integer, Long> put = new TreeMap<>();
    private int turn;
    private int messages;
    private long bytes;

    /** A message that is not put yet. Immutable. */
    private record Waiting(OutgoingMessage message, PutProgress.Range range) {}

    /**
     * Nothing is put yet.
     *
     * @param partitions of the topic
     * @param firstTurn partition of the first batch of messages that are for none, from 0
     */
    PutBatches(SimpleProducer producer, int partitions, int firstTurn) {
        this.producer = producer;
        this.partitions = partitions;
        this.turn = firstTurn;
    }

    /**
     * Adds a message; a full batch is put.
     *
     * @param partition empty if any will do
     * @param number of the message in the input, above those before
     */
    void add(OptionalInt partition, OutgoingMessage message, long number) throws TalosClientException {
        if (bytes + message.body().length > FULL_BYTES) {
            flush(); // a large message is a batch of its own
        }
        waiting.computeIfAbsent(partition.orElse(turn), each -> new ArrayList<>())
                .add(new Waiting(message, progress.next(number)));
        messages++;
        bytes += message.body().length;
        if (messages == FULL_MESSAGES) {
            flush();
        }
    }

    /** Puts the messages that were added since the last flush, up to the first put that fails. */
    void flush() throws TalosClientException {
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
        List<PutProgress.Range> ranges = batch.stream().map(Waiting::range).toList();
        SimpleProducer.Prepared prepared =
                producer.prepare(partition, batch.stream().map(Waiting::message).toList());
        try {
            producer.repeat(prepared);
        } catch (TalosClientException | RuntimeException e) {
            if (!(e instanceof TalosClientException failure && failure.outcome() == Outcome.DID_NOT_HAPPEN)) {
                progress.mayBeStored(ranges);
            }
            throw e;
        }
        progress.stored(ranges);
        put.merge(partition, (long) batch.size(), Long::sum);
    }

    /** What became of the input so far. */
    PutProgress progress() {
        return progress;
    }

    /** The number of acknowledged messages by partition. */
    SortedMap<Integer, Long> byPartition() {
        return new TreeMap<>(put);
    }

    /** The number of acknowledged messages. */
    long total() {
        return put.values().stream().mapToLong(Long::longValue).sum();
    }
}

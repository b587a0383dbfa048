// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import org.talos.client.TalosClientException.Outcome;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;

/**
 * Puts messages in batches, in order within a partition, and counts the acknowledged ones.
 *
 * <p>Confined: the main thread.
 */
final class PutBatches {
    private static final int FULL_MESSAGES = 1_000;
    private static final long FULL_BYTES = 1 << 20;

    private final SimpleProducer producer;
    private final SortedMap<Integer, List<OutgoingMessage>> waiting = new TreeMap<>();
    private final SortedMap<Integer, Long> put = new TreeMap<>();
    private int messages;
    private long bytes;

    PutBatches(SimpleProducer producer) {
        this.producer = producer;
    }

    /** Adds a message; a full batch is put. */
    void add(int partition, OutgoingMessage message) throws TalosClientException, CommandException {
        if (bytes + message.body().length > FULL_BYTES) {
            flush(); // a large message is a batch of its own
        }
        waiting.computeIfAbsent(partition, each -> new ArrayList<>()).add(message);
        messages++;
        bytes += message.body().length;
        if (messages == FULL_MESSAGES) {
            flush();
        }
    }

    /** Puts the messages that were added since the last flush. */
    void flush() throws TalosClientException, CommandException {
        for (Map.Entry<Integer, List<OutgoingMessage>> each : waiting.entrySet()) {
            put(each.getKey(), each.getValue());
        }
        waiting.clear();
        messages = 0;
        bytes = 0;
    }

    private void put(int partition, List<OutgoingMessage> batch) throws TalosClientException, CommandException {
        try {
            producer.put(partition, batch);
            put.merge(partition, (long) batch.size(), Long::sum);
        } catch (TalosClientException e) {
            if (put.isEmpty()) {
                throw e;
            }
            String rest =
                    e.outcome() == Outcome.UNKNOWN ? "; the next " + batch.size() + " may have been put" : "; no more";
            throw new CommandException(e.getMessage() + " (" + total() + " messages were put" + rest + ")", e);
        }
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

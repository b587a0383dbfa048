// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kills;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.talos.client.FatalException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;

/** Reads a partition from its first offset on, dense, across kills. Confined: its thread. */
final class PartitionReading {
    private static final int MOST_MESSAGES = 2_000;
    private static final int PAUSE_MILLIS = 50;
    private static final Duration LONGEST = Duration.ofMinutes(3);

    private final SimpleConsumer consumer;
    private final int partition;
    private final WriterMessages texts;
    private final Found found;
    private final Ledger ledger;
    private long next;

    /** Receives messages. */
    interface Found {
        void message(WriterMessages.Name name, int partition, long offset);
    }

    PartitionReading(
            TalosClient client, TopicDescription topic, int partition, WriterMessages texts, Ledger ledger, Found to) {
        consumer = new SimpleConsumer(client, topic, partition);
        this.partition = partition;
        this.texts = texts;
        this.ledger = ledger;
        found = to;
    }

    /** Reads until it is asked to end. Returns the number of messages. */
    long until(BooleanSupplier ending) throws InterruptedException, TalosClientException, IOException {
        while (!ending.getAsBoolean()) {
            if (round() == 0) {
                Thread.sleep(PAUSE_MILLIS);
            }
        }
        return next;
    }

    /** Reads until there is no more. Returns how many messages there were. */
    long toTheEnd() throws InterruptedException, TalosClientException, IOException {
        int messages;
        do {
            messages = round();
        } while (messages > 0);
        return next;
    }

    private int round() throws InterruptedException, TalosClientException, IOException {
        List<FetchedMessage> messages = fetched();
        for (FetchedMessage each : messages) {
            if (each.offset() != next) {
                ledger.wrong("not dense: after " + (next - 1) + " partition " + partition + " gave " + each.offset());
            }
            next = each.offset() + 1;
            found.message(texts.read(each.body()), partition, each.offset());
        }
        return messages.size();
    }

    private List<FetchedMessage> fetched() throws InterruptedException, TalosClientException, IOException {
        for (long begun = System.nanoTime(); System.nanoTime() - begun < LONGEST.toNanos(); ) {
            try {
                return consumer.fetch(next, MOST_MESSAGES);
            } catch (FatalException e) {
                throw e;
            } catch (TalosClientException e) {
                Thread.sleep(PAUSE_MILLIS); // the server is being killed or started
            }
        }
        throw new IOException("partition " + partition + " was not read for " + LONGEST.toMinutes() + " min");
    }
}

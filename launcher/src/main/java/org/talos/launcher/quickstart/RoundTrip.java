// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.quickstart;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/**
 * Puts a workload to a topic of its own, gets it back, and reports differences.
 *
 * <p>Thread-safe: each thread puts and gets only its own partition.
 */
final class RoundTrip {
    private static final Ticker CLOCK = SystemTime.ticker();
    private static final int FETCH_MESSAGES = 500;

    private final TalosClient client;
    private final TopicDescription topic;
    private final Workload workload;
    private final long[] bases;
    private final Queue<String> differences = new ConcurrentLinkedQueue<>();

    /** Creates a round trip that begins where the topic's partitions end now. */
    RoundTrip(TalosClient client, TopicDescription topic, Workload workload) throws TalosClientException {
        this.client = client;
        this.topic = topic;
        this.workload = workload;
        bases = new long[topic.partitions()];
        for (PartitionOffsets each : new TalosAdmin(client).offsets(topic)) {
            bases[each.partition()] = each.endExclusive();
        }
    }

    /** Puts all messages. */
    void put(Phase phase) throws TalosClientException, InterruptedException {
        Map<Compression, SimpleProducer> producers = new EnumMap<>(Compression.class);
        for (Compression each : Compression.values()) {
            producers.put(each, new SimpleProducer(client, topic, each));
        }
        phase.run(workload.partitions(), partition -> {
            for (Workload.Batch batch : workload.batches(partition)) {
                put(batch, Objects.requireNonNull(producers.get(batch.compression())), phase);
            }
        });
    }

    private void put(Workload.Batch batch, SimpleProducer producer, Phase phase) throws TalosClientException {
        List<OutgoingMessage> messages = new ArrayList<>(batch.count());
        long bytes = 0;
        for (int i = 0; i < batch.count(); i++) {
            byte[] body = workload.body(batch.partition(), batch.first() + i);
            bytes += body.length;
            messages.add(OutgoingMessage.of(body));
        }
        long start = CLOCK.nanos();
        producer.put(batch.partition(), messages);
        phase.called(start, batch.count(), bytes);
    }

    /** Gets all messages and compares each: bytes, order, offset. */
    void get(Phase phase) throws TalosClientException, InterruptedException {
        phase.run(workload.partitions(), partition -> {
            SimpleConsumer consumer = new SimpleConsumer(client, topic, partition);
            int expected = workload.count(partition);
            int got = 0;
            while (got < expected) {
                long start = CLOCK.nanos();
                List<FetchedMessage> messages = consumer.fetch(bases[partition] + got, FETCH_MESSAGES);
                long bytes = 0;
                for (FetchedMessage message : messages) {
                    bytes += message.body().length;
                    compare(partition, got, message);
                    got++;
                }
                phase.called(start, messages.size(), bytes);
                if (messages.isEmpty()) {
                    differences.add("partition " + partition + " ends after " + got + " of " + expected + " messages");
                    return;
                }
            }
            if (got > expected) {
                differences.add("partition " + partition + " has " + (got - expected) + " messages too many");
            }
        });
    }

    private void compare(int partition, int number, FetchedMessage message) {
        long offset = bases[partition] + number;
        if (message.offset() != offset) {
            differences.add(
                    "partition " + partition + ": offset " + message.offset() + " where " + offset + " belongs");
        }
        if (number < workload.count(partition) && !Arrays.equals(message.body(), workload.body(partition, number))) {
            differences.add("partition " + partition + ": other bytes at offset " + message.offset());
        }
    }

    /** Offset of the first message in a partition. */
    long base(int partition) {
        return bases[partition];
    }

    /** Records another difference. Thread-safe. */
    void differs(String what) {
        differences.add(what);
    }

    /** Returns the messages that came back changed; empty if there are none. */
    List<String> differences() {
        return List.copyOf(differences);
    }
}

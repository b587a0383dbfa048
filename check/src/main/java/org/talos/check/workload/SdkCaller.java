// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.talos.check.history.Entry;
import org.talos.check.history.Outcome;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;

/** A client by the Java SDK, with its retries: by calls, or over streams. Confined: one process. */
final class SdkCaller implements Caller {
    private static final int MOST_MESSAGES = 500;
    private static final AtomicLong MADE = new AtomicLong();

    private final String means;
    private final TalosClient client;
    private final TopicDescription topic;
    private final String key;
    private final SimpleProducer producer;
    private List<SimpleConsumer> consumers; // by partition: over a stream each reads on where it left off
    private final String name;
    private long puts;

    /**
     * A client of a topic.
     *
     * @param means how it reaches the servers
     * @param key what partitions are called by in the history, without their number
     */
    SdkCaller(String means, TalosClient client, TopicDescription topic, String key) {
        this.means = means;
        this.client = client;
        this.topic = topic;
        this.key = key;
        name = means + "-" + MADE.incrementAndGet() + "#";
        producer = new SimpleProducer(client, topic, Compression.SNAPPY);
        consumers = consumers();
    }

    private List<SimpleConsumer> consumers() {
        return IntStream.range(0, topic.partitions())
                .mapToObj(partition -> new SimpleConsumer(client, topic, partition))
                .toList();
    }

    /** Forgets what has come over streams and was not read: from here on an answer is a server's of now. */
    void readAnew() {
        consumers = consumers();
    }

    @Override
    public String means() {
        return means;
    }

    @Override
    public Put prepare(int partition, List<String> values) {
        SimpleProducer.Prepared prepared = producer.prepare(
                partition,
                values.stream().map(Values::body).map(OutgoingMessage::of).toList());
        String identity = name + ++puts;
        List<Entry> entries =
                values.stream().map(value -> Entry.of(key + partition, value)).toList();
        return new Put() {
            @Override
            public String identity() {
                return identity;
            }

            @Override
            public Answer send() {
                try {
                    producer.repeat(prepared);
                    return Answer.ok(entries);
                } catch (TalosClientException e) {
                    return failed(e, entries);
                }
            }
        };
    }

    @Override
    public Answer read(int partition, long from) {
        try {
            return Answer.ok(consumers.get(partition).fetch(from, MOST_MESSAGES).stream()
                    .map(each -> new Entry(key + partition, each.offset(), Values.value(each.text())))
                    .toList());
        } catch (TalosClientException e) {
            return failed(e, List.of());
        }
    }

    @Override
    public void close() {
        client.close();
    }

    /** Distinguishes failures that certainly had no effect from those whose effect is unknown. */
    static Answer failed(TalosClientException e, List<Entry> entries) {
        Outcome outcome = switch (e.outcome()) {
            case DID_NOT_HAPPEN -> Outcome.FAIL;
            case UNKNOWN -> Outcome.INFO;
        };
        return new Answer(outcome, entries, e.code());
    }
}

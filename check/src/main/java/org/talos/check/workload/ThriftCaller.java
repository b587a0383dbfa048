// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.talos.check.history.Entry;
import org.talos.check.history.Outcome;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;

/** A client by Thrift: the Java SDK, with its retries. Confined: one process. */
final class ThriftCaller implements Caller {
    private static final int MOST_MESSAGES = 500;
    private static final AtomicLong MADE = new AtomicLong();

    private final TalosClient client;
    private final TopicDescription topic;
    private final String key;
    private final SimpleProducer producer;
    private final String name = "thrift-" + MADE.incrementAndGet() + "#";
    private long puts;

    /** @param key what partitions are called by in the history, without their number */
    ThriftCaller(TalosClient client, TopicDescription topic, String key) {
        this.client = client;
        this.topic = topic;
        this.key = key;
        producer = new SimpleProducer(client, topic, Compression.SNAPPY);
    }

    @Override
    public String means() {
        return "thrift";
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
            return Answer.ok(new SimpleConsumer(client, topic, partition)
                    .fetch(from, MOST_MESSAGES).stream()
                            .map(each -> new Entry(key + partition, each.offset(), Values.value(each.text())))
                            .toList());
        } catch (TalosClientException e) {
            return failed(e, List.of());
        }
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

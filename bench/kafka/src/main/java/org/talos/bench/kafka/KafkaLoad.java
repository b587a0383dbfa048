// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.talos.bench.client.ClientLoad;
import org.talos.bench.client.LoadSettings;
import org.talos.bench.client.MeasuredClient;

/** Kafka's client with its defaults, which acknowledge by all replicas: one. Thread-safe. */
public final class KafkaLoad implements MeasuredClient {
    private static final short REPLICAS = 1;

    private final String server;
    private final KafkaProducer<byte[], byte[]> producer;

    private KafkaLoad(String server, Map<String, Object> settings) {
        this.server = server;
        Map<String, Object> all = new HashMap<>(settings);
        all.put("bootstrap.servers", server);
        all.put("acks", "all");
        producer = new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * Makes the topic and runs the load.
     *
     * @param arguments {@link LoadSettings}, then settings of the producer: KEY=VALUE
     */
    public static void main(String[] arguments) throws Exception {
        LoadSettings settings = LoadSettings.of(List.of(arguments));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", settings.server()))) {
            var unused = admin.createTopics(List.of(new NewTopic(LoadSettings.TOPIC, settings.partitions(), REPLICAS)))
                    .all()
                    .get();
        }
        Map<String, Object> ofProducer = new HashMap<>();
        for (int i = LoadSettings.ARGUMENTS; i < arguments.length; i++) {
            String[] parts = arguments[i].split("=", 2);
            ofProducer.put(parts[0], parts[1]);
        }
        try (KafkaLoad client = new KafkaLoad(settings.server(), ofProducer)) {
            ClientLoad.run(client, settings);
        }
    }

    @Override
    public void send(byte[] message, Acknowledged acknowledged) {
        var unused = producer.send(
                new ProducerRecord<>(LoadSettings.TOPIC, message), (stored, failure) -> acknowledged.by(failure));
    }

    @Override
    public void flush() {
        producer.flush();
    }

    @Override
    public Reader join() {
        return new Member(server);
    }

    @Override
    public void close() {
        producer.close();
    }

    /** A member of the group. Confined: one thread at a time. */
    private static final class Member implements Reader {
        private final KafkaConsumer<byte[], byte[]> consumer;

        Member(String server) {
            Map<String, Object> settings = Map.of(
                    "bootstrap.servers", server, "group.id", LoadSettings.GROUP, "auto.offset.reset", "earliest");
            consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            consumer.subscribe(List.of(LoadSettings.TOPIC));
        }

        @Override
        public int partitions() {
            return consumer.assignment().size();
        }

        @Override
        public int poll(Duration within, Consumer<byte[]> messages) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(within);
            for (ConsumerRecord<byte[], byte[]> each : records) {
                messages.accept(each.value());
            }
            return records.count();
        }

        @Override
        public void close() {
            consumer.close();
        }
    }
}

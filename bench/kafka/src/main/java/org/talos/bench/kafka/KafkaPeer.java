// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.talos.bench.synchronous.SynchronousClient;
import org.talos.bench.synchronous.SynchronousLoad;
import org.talos.bench.synchronous.SynchronousSettings;

/**
 * Kafka's client for threads that wait. One producer for all, as its documentation advises, which sends at once: with
 * its default, linger.ms 5, each put would wait for others that never come. It acknowledges by all replicas: one. A
 * consumer for each thread, as it is not thread-safe.
 *
 * <p>Thread-safe.
 */
public final class KafkaPeer implements SynchronousClient {
    private static final short REPLICAS = 1;

    private final String server;
    private final int partitions;
    private final KafkaProducer<byte[], byte[]> producer;

    private KafkaPeer(String server, int partitions, Map<String, Object> tuning) {
        this.server = server;
        this.partitions = partitions;
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", server);
        settings.put("acks", "all");
        settings.put("linger.ms", 0);
        settings.putAll(tuning);
        producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * Makes the topic and runs the load.
     *
     * @param arguments {@link SynchronousSettings}, then settings of the producer: KEY=VALUE
     */
    public static void main(String[] arguments) {
        Map<String, Object> tuning = new HashMap<>();
        for (int i = SynchronousSettings.ARGUMENTS; i < arguments.length; i++) {
            String[] parts = arguments[i].split("=", 2);
            tuning.put(parts[0], parts[1]);
        }
        SynchronousLoad.main(arguments, settings -> open(settings, tuning));
    }

    /** Makes the topic. */
    static void createTopic(SynchronousSettings settings) throws ExecutionException, InterruptedException {
        NewTopic topic = new NewTopic(SynchronousSettings.TOPIC, settings.partitions(), REPLICAS);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", settings.server()))) {
            var unused = admin.createTopics(List.of(topic)).all().get();
        }
    }

    private static SynchronousClient open(SynchronousSettings settings, Map<String, Object> tuning) throws Exception {
        createTopic(settings);
        return new KafkaPeer(settings.server(), settings.partitions(), tuning);
    }

    @Override
    public Putter putter(int partition) {
        return message -> {
            var unused = producer.send(new ProducerRecord<>(SynchronousSettings.TOPIC, partition, null, message))
                    .get();
        };
    }

    @Override
    public Getter getter(int partition) {
        return new OnePartition(consumer(), partition);
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", server, "enable.auto.commit", false, "auto.offset.reset", "earliest");
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public long stored() {
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(each -> new TopicPartition(SynchronousSettings.TOPIC, each))
                .toList();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            return consumer.endOffsets(all).values().stream()
                    .mapToLong(each -> each)
                    .sum();
        }
    }

    @Override
    public void close() {
        producer.close();
    }

    /** Reads a partition without a group. Confined: one thread at a time. */
    private static final class OnePartition implements Getter {
        private final KafkaConsumer<byte[], byte[]> consumer;

        OnePartition(KafkaConsumer<byte[], byte[]> consumer, int partition) {
            this.consumer = consumer;
            List<TopicPartition> one = List.of(new TopicPartition(SynchronousSettings.TOPIC, partition));
            consumer.assign(one);
            consumer.seekToBeginning(one);
        }

        @Override
        public int get(Duration within, Consumer<byte[]> messages) {
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

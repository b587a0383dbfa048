// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kafka;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.talos.bench.synchronous.FramedServer;
import org.talos.bench.synchronous.LeanClient;
import org.talos.bench.synchronous.LeanLoad;
import org.talos.bench.synchronous.SynchronousSettings;

/**
 * Kafka's protocol for a lean load: the puts and gets of {@link KafkaPeer}, with the same promise and with the identity
 * of a producer. Each put is a request of its own. Only the topic is made, and counted, through Kafka's client.
 *
 * <p>Confined: the main thread, but for putters and getters.
 */
public final class LeanKafkaPeer implements LeanClient {
    private final FramedServer broker;
    private final String server;
    private final int partitions;
    private final ProducerIdentity producer;

    private LeanKafkaPeer(String server, int partitions) throws IOException, InterruptedException {
        this.server = server;
        this.partitions = partitions;
        broker = FramedServer.of(server);
        producer = ProducerIdentity.next(broker);
    }

    /**
     * Makes the topic and runs the load.
     *
     * @param arguments {@link SynchronousSettings}
     */
    public static void main(String[] arguments) {
        LeanLoad.main(arguments, LeanKafkaPeer::open);
    }

    private static LeanClient open(SynchronousSettings settings) throws Exception {
        KafkaPeer.createTopic(settings);
        LeanKafkaPeer client = new LeanKafkaPeer(settings.server(), settings.partitions());
        var unused = client.stored(); // waits until the broker serves all partitions: nothing is tried twice later
        return client;
    }

    @Override
    public Connected<Putter> putter(int partition, byte[] message) throws IOException {
        ProduceFrame frame = new ProduceFrame(SynchronousSettings.TOPIC, partition, producer, message);
        return new Connected<>(broker.connect(), frame);
    }

    @Override
    public Connected<Getter> getter(int partition, byte[] message) throws IOException {
        return new Connected<>(broker.connect(), new FetchFrame(SynchronousSettings.TOPIC, partition));
    }

    @Override
    public long stored() throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> ends = IntStream.range(0, partitions)
                .mapToObj(each -> new TopicPartition(SynchronousSettings.TOPIC, each))
                .collect(Collectors.toMap(Function.identity(), each -> OffsetSpec.latest()));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server))) {
            return admin.listOffsets(ends).all().get().values().stream()
                    .mapToLong(each -> each.offset())
                    .sum();
        }
    }

    @Override
    public void close() {}
}

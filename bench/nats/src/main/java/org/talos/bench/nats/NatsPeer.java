// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.nats;

import io.nats.client.Connection;
import io.nats.client.IterableConsumer;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.OrderedConsumerConfiguration;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import org.talos.bench.synchronous.SynchronousClient;
import org.talos.bench.synchronous.SynchronousLoad;
import org.talos.bench.synchronous.SynchronousSettings;

/**
 * The client of NATS for threads that wait: a stream of JetStream for each partition, in files, one connection for all,
 * and an ordered consumer for each getting thread.
 *
 * <p>Thread-safe.
 */
public final class NatsPeer implements SynchronousClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Connection connection;
    private final JetStream stream;
    private final JetStreamManagement management;
    private final int partitions;

    private NatsPeer(Connection connection, int partitions) throws IOException {
        this.connection = connection;
        this.partitions = partitions;
        stream = connection.jetStream();
        management = connection.jetStreamManagement();
    }

    /**
     * Makes the streams and runs the load.
     *
     * @param arguments {@link SynchronousSettings}
     */
    public static void main(String[] arguments) {
        SynchronousLoad.main(arguments, NatsPeer::open);
    }

    private static SynchronousClient open(SynchronousSettings settings) throws Exception {
        Options options = Options.builder()
                .server("nats://" + settings.server())
                .connectionTimeout(TIMEOUT)
                .build();
        NatsPeer client = new NatsPeer(Nats.connect(options), settings.partitions());
        for (int partition = 0; partition < settings.partitions(); partition++) {
            StreamConfiguration one = StreamConfiguration.builder()
                    .name(name(partition))
                    .subjects(name(partition))
                    .storageType(StorageType.File)
                    .build();
            var unused = client.management.addStream(one);
        }
        return client;
    }

    private static String name(int partition) {
        return SynchronousSettings.TOPIC + "-" + partition;
    }

    @Override
    public Putter putter(int partition) {
        String subject = name(partition);
        return message -> {
            var unused = stream.publish(subject, message);
        };
    }

    @Override
    public Getter getter(int partition) throws IOException, JetStreamApiException {
        return new OneStream(connection
                .getStreamContext(name(partition))
                .createOrderedConsumer(new OrderedConsumerConfiguration())
                .iterate());
    }

    @Override
    public long stored() throws IOException, JetStreamApiException {
        long messages = 0;
        for (int partition = 0; partition < partitions; partition++) {
            messages +=
                    management.getStreamInfo(name(partition)).getStreamState().getMsgCount();
        }
        return messages;
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads a stream from its beginning. Confined: one thread at a time. */
    private static final class OneStream implements Getter {
        private final IterableConsumer consumer;

        OneStream(IterableConsumer consumer) {
            this.consumer = consumer;
        }

        @Override
        public int get(Duration within, Consumer<byte[]> messages) throws Exception {
            Message message = consumer.nextMessage(within);
            if (message == null) {
                return 0;
            }
            messages.accept(message.getData());
            return 1;
        }

        @Override
        public void close() {
            consumer.stop();
        }
    }
}

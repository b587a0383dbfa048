// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.sdk;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.talos.bench.client.ClientLoad;
import org.talos.bench.client.LoadSettings;
import org.talos.bench.client.MeasuredClient;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.PollingConsumer;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.TalosProducer;

/** The SDK with its defaults, in a process of its own. Thread-safe. */
public final class TalosLoad implements MeasuredClient {
    /** Only how soon the members share the partitions, which is before anything is measured. */
    private static final ConsumerConfig CONSUMER =
            ConsumerConfig.builder().balanceInterval(Duration.ofSeconds(1)).build();

    private final TalosClient client;
    private final TalosProducer producer;

    private TalosLoad(TalosClient client) throws TalosClientException {
        this.client = client;
        producer = new TalosProducer(client, LoadSettings.TOPIC);
    }

    /**
     * Makes the topic and runs the load.
     *
     * @param arguments {@link LoadSettings}, then the file with the key
     */
    public static void main(String[] arguments) throws Exception {
        LoadSettings settings = LoadSettings.of(List.of(arguments));
        Path credentials = Path.of(arguments[LoadSettings.ARGUMENTS]);
        try (TalosClient client = new TalosClient(ClientConfig.of(URI.create(settings.server()), credentials))) {
            var unused = new TalosAdmin(client).createTopic(NewTopic.of(LoadSettings.TOPIC, settings.partitions()));
            try (TalosLoad load = new TalosLoad(client)) {
                ClientLoad.run(load, settings);
            }
        }
    }

    @Override
    public void send(byte[] message, Acknowledged acknowledged) {
        producer.send(OutgoingMessage.of(message), (stored, failure) -> acknowledged.by(failure));
    }

    @Override
    public void flush() throws TalosClientException, InterruptedException {
        producer.flush();
    }

    @Override
    public Reader join() throws TalosClientException {
        return new Member(TalosConsumer.builder(client, LoadSettings.GROUP)
                .topics(LoadSettings.TOPIC)
                .config(CONSUMER)
                .buildPolling()
                .start());
    }

    @Override
    public void close() {
        producer.close();
    }

    /** A member of the group. Confined: one thread at a time. */
    private static final class Member implements Reader {
        private final PollingConsumer consumer;

        Member(PollingConsumer consumer) {
            this.consumer = consumer;
        }

        @Override
        public int partitions() {
            return consumer.partitions().size();
        }

        @Override
        public int poll(Duration within, Consumer<byte[]> messages) throws TalosClientException, InterruptedException {
            List<FetchedMessage> fetched = consumer.poll(within);
            for (FetchedMessage each : fetched) {
                messages.accept(each.body());
            }
            return fetched.size();
        }

        @Override
        public void close() {
            consumer.close();
        }
    }
}

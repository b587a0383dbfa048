// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.talos.bench.synchronous.SynchronousClient;
import org.talos.bench.synchronous.SynchronousLoad;
import org.talos.bench.synchronous.SynchronousSettings;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.Transport;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.PartitionOffsets;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;

/**
 * The SDK for threads that wait: one producer for all, a consumer for each partition. Puts are not compressed: these
 * messages cannot be.
 *
 * <p>Thread-safe.
 */
public final class TalosPeer implements SynchronousClient {
    private static final int CREDENTIALS = SynchronousSettings.ARGUMENTS;
    private static final int PUTS = CREDENTIALS + 1;
    private static final int GETS = PUTS + 1;
    private static final int MAX_MESSAGES = 1_000;

    /** The argument for streams; any other is for calls. */
    static final String STREAMS = "streams";

    private final TalosClient puts;
    private final TalosClient gets;
    private final TopicDescription topic;
    private final SimpleProducer producer;

    private TalosPeer(TalosClient puts, TalosClient gets, TopicDescription topic) {
        this.puts = puts;
        this.gets = gets;
        this.topic = topic;
        producer = new SimpleProducer(puts, topic, Compression.NONE);
    }

    /**
     * Makes the topic and runs the load.
     *
     * @param arguments {@link SynchronousSettings}, the file with the key, and how puts and gets reach the server
     */
    public static void main(String[] arguments) {
        SynchronousLoad.main(arguments, settings -> {
            ClientConfig config = ClientConfig.of(URI.create(settings.server()), Path.of(arguments[CREDENTIALS]));
            TalosClient puts = new TalosClient(config.withTransport(transport(arguments[PUTS])));
            TalosClient gets = new TalosClient(config.withTransport(transport(arguments[GETS])));
            NewTopic topic = NewTopic.of(SynchronousSettings.TOPIC, settings.partitions());
            return new TalosPeer(puts, gets, new TalosAdmin(puts).createTopic(topic));
        });
    }

    private static Transport transport(String argument) {
        return argument.equals(STREAMS) ? Transport.STREAM : Transport.CALLS;
    }

    @Override
    public Putter putter(int partition) {
        return message -> producer.put(partition, List.of(OutgoingMessage.of(message)));
    }

    @Override
    public Getter getter(int partition) {
        return new OnePartition(new SimpleConsumer(gets, topic, partition));
    }

    @Override
    public long stored() throws TalosClientException {
        return new TalosAdmin(puts)
                .offsets(topic).stream().mapToLong(PartitionOffsets::messages).sum();
    }

    @Override
    public void close() {
        producer.close();
        gets.close();
        puts.close();
    }

    /** Reads a partition from its beginning. Confined: one thread at a time. */
    private static final class OnePartition implements Getter {
        private final SimpleConsumer consumer;
        private long next;

        OnePartition(SimpleConsumer consumer) {
            this.consumer = consumer;
        }

        @Override
        public int get(Duration within, Consumer<byte[]> messages) throws TalosClientException {
            List<FetchedMessage> fetched = consumer.fetch(next, MAX_MESSAGES);
            for (FetchedMessage each : fetched) {
                messages.accept(each.body());
                next = each.offset() + 1;
            }
            return fetched.size();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.dist.container;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.PollingConsumer;
import org.talos.client.consumer.StartPosition;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.TalosProducer;

/**
 * A program with the client as it is set by itself. It puts a message to each partition of a topic and reads all of
 * them, twice: the second time each partition has been asked and waits.
 */
final class ManyPartitions {
    private static final Duration LONGEST = Duration.ofSeconds(20);
    private static final int ROUNDS = 2;

    private ManyPartitions() {}

    /** Arguments: the server, the file with the key, the topic. Says after each round how many messages it has read. */
    public static void main(String[] arguments) throws Exception {
        String topic = arguments[2];
        ConsumerConfig fromTheBeginning =
                ConsumerConfig.builder().start(StartPosition.EARLIEST).build();
        try (TalosClient client = new TalosClient(ClientConfig.of(URI.create(arguments[0]), Path.of(arguments[1])));
                TalosProducer producer = new TalosProducer(client, topic);
                PollingConsumer consumer = TalosConsumer.builder(client, "readers")
                        .topics(topic)
                        .config(fromTheBeginning)
                        .buildPolling()) {
            consumer.start();
            Set<String> read = new HashSet<>();
            for (int round = 1; round <= ROUNDS; round++) {
                put(producer, round);
                read(consumer, read, round * producer.partitions());
                System.out.println("read " + read.size() + " messages");
            }
        }
    }

    private static void put(TalosProducer producer, int round) throws TalosClientException, InterruptedException {
        for (int each = 0; each < producer.partitions(); each++) {
            var unused = producer.send(each, OutgoingMessage.of(each + "/" + round));
        }
        producer.flush();
    }

    /** Polls until there are so many, or nothing comes any more. */
    private static void read(PollingConsumer consumer, Set<String> read, int wanted)
            throws TalosClientException, InterruptedException {
        List<FetchedMessage> polled;
        do {
            polled = consumer.poll(LONGEST);
            polled.forEach(each -> read.add(each.text()));
        } while (read.size() < wanted && !polled.isEmpty());
    }
}

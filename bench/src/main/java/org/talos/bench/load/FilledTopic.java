// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.time.Duration;
import java.util.SplittableRandom;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.ProducerConfig;
import org.talos.client.producer.TalosProducer;

/** A topic filled with messages to read. Immutable. */
public final class FilledTopic {

    private FilledTopic() {}

    /**
     * Creates the topic and puts its messages.
     *
     * @param kept messages of each partition, each put by itself
     * @param size of a message in bytes, which cannot be compressed
     */
    public static TopicDescription make(TalosClient client, String name, int partitions, int kept, int size)
            throws TalosClientException, InterruptedException {
        TopicDescription topic = new TalosAdmin(client).createTopic(NewTopic.of(name, partitions));
        byte[] message = new byte[size];
        new SplittableRandom(1).nextBytes(message);
        ProducerConfig config = ProducerConfig.builder()
                .compression(Compression.NONE)
                .maxBatchMessages(1)
                .maxBatchBytes(10 << 20)
                .linger(Duration.ZERO)
                .build();
        try (TalosProducer producer = new TalosProducer(client, name, config)) {
            for (int number = 0; number < kept; number++) {
                for (int partition = 0; partition < partitions; partition++) {
                    var unused = producer.send(partition, OutgoingMessage.of(message));
                }
            }
            producer.flush();
        }
        return topic;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.talos.check.history.Operation;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.PipelinedProducer;
import org.talos.client.producer.ProducerConfig;
import org.talos.client.producer.TalosProducer;

/** The SDK's producers that have many puts under way, for {@link Pipeline}. Immutable. */
final class Producers {
    private static final int MOST_VALUES = 3;

    private Producers() {}

    /** One behind whose failed put nothing more is stored. It closes its client. */
    static Pipeline.Producer pipelined(TalosClient client, TopicDescription topic) throws TalosClientException {
        PipelinedProducer producer = new PipelinedProducer(client, topic, Compression.LZ4);
        return new Pipeline.Producer() {
            @Override
            public String means() {
                return Operation.PIPELINED;
            }

            @Override
            public int mostValues() {
                return MOST_VALUES;
            }

            @Override
            public CompletableFuture<?> put(int partition, List<String> values) {
                return producer.put(
                        partition,
                        values.stream()
                                .map(Values::body)
                                .map(OutgoingMessage::of)
                                .toList());
            }

            @Override
            public void close() {
                producer.close();
                client.close();
            }
        };
    }

    /**
     * One that collects messages, and continues behind what failed. It closes its client.
     *
     * @param within how long it tries to put a message
     */
    static Pipeline.Producer collecting(TalosClient client, TopicDescription topic, Duration within)
            throws TalosClientException {
        TalosProducer producer = new TalosProducer(
                client,
                topic.name(),
                ProducerConfig.builder()
                        .deliveryTimeout(within)
                        .closeTimeout(within)
                        .build());
        return new Pipeline.Producer() {
            @Override
            public String means() {
                return "producer";
            }

            @Override
            public int mostValues() {
                return 1;
            }

            @Override
            public CompletableFuture<?> put(int partition, List<String> values) {
                return producer.send(partition, OutgoingMessage.of(Values.body(values.get(0))));
            }

            @Override
            public void close() {
                producer.close();
                client.close();
            }
        };
    }
}

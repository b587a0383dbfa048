// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.talos.client.ClientCalls;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.client.transport.Place;
import org.talos.thrift.MessageBlock;

/**
 * Puts messages to the partitions of one topic, one put at a time for each caller.
 *
 * <p>Each put has an identity of its own, so that it is stored once however often it is sent: by the client itself, or
 * by {@link #repeat}.
 *
 * <p>Thread-safe.
 */
public final class SimpleProducer {
    private final ClientCalls calls;
    private final TopicDescription topic;
    private final Compression compression;
    private final String producerId = "talos-" + UUID.randomUUID();
    private final AtomicLong puts = new AtomicLong();

    /** A producer for a topic, with a client of its own, which makes each call once. */
    public SimpleProducer(TalosEndpoint endpoint, TopicDescription topic, Compression compression) {
        this(TalosClient.once(endpoint), topic, compression);
    }

    /** A producer for a topic. */
    public SimpleProducer(TalosClient client, TopicDescription topic, Compression compression) {
        calls = client.calls();
        this.topic = topic;
        this.compression = compression;
    }

    /** A put that may be sent again without being stored twice. Immutable. */
    public static final class Prepared {
        private final int partition;
        private final String sequenceId;
        private final MessageBlock block;

        private Prepared(int partition, String sequenceId, MessageBlock block) {
            this.partition = partition;
            this.sequenceId = sequenceId;
            this.block = block;
        }
    }

    /**
     * Puts messages, together and in order, and waits until they are stored.
     *
     * @param messages one or more
     * @throws TalosClientException its outcome says whether they may be stored all the same
     */
    public void put(int partition, List<OutgoingMessage> messages) throws TalosClientException {
        repeat(prepare(partition, messages));
    }

    /** Gives a put its identity; nothing is sent yet. */
    public Prepared prepare(int partition, List<OutgoingMessage> messages) {
        MessageBlock block = PutOperations.block(messages, compression, calls.nowMillis());
        return new Prepared(partition, producerId + "#" + puts.incrementAndGet(), block);
    }

    /** Sends a put; as often as is needed, it is stored once, as long as the server remembers it. */
    public void repeat(Prepared put) throws TalosClientException {
        Place place = new Place(topic.name(), topic.resourceName(), put.partition);
        var unused = calls.await(PutOperations.put(place, put.block, put.sequenceId));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.talos.client.ClientCalls;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.client.transport.PartitionRef;
import org.talos.thrift.MessageBlock;

/**
 * Puts messages to the partitions of one topic and waits for each put.
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

    /** A producer for a topic. */
    public SimpleProducer(TalosClient client, TopicDescription topic, Compression compression) {
        calls = client.calls();
        this.topic = topic;
        this.compression = compression;
    }

    /** A put with its identity, which may be sent several times and is stored once. Immutable. */
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
     * @throws TalosClientException its outcome says whether they may have been stored
     */
    public void put(int partition, List<OutgoingMessage> messages) throws TalosClientException {
        repeat(prepare(partition, messages));
    }

    /** Prepares a put with an identity of its own; nothing is sent yet. */
    public Prepared prepare(int partition, List<OutgoingMessage> messages) {
        MessageBlock block = PutRequests.block(messages, compression, calls.nowMillis());
        return new Prepared(partition, producerId + "#" + puts.incrementAndGet(), block);
    }

    /** Sends a prepared put. Sent again, it is not stored again as long as it is in the server's dedupe window. */
    public void repeat(Prepared put) throws TalosClientException {
        PartitionRef partition = new PartitionRef(topic.name(), topic.resourceName(), put.partition);
        var unused = calls.await(PutRequests.put(partition, put.block, put.sequenceId));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.Service;
import org.talos.client.transport.SignedCalls;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Puts messages to the partitions of one topic, one put at a time for each caller.
 *
 * <p>Each put has an identity of its own, so that a repetition by {@link #repeat} is stored once.
 *
 * <p>Thread-safe.
 */
public final class SimpleProducer {
    private final SignedCalls calls;
    private final TopicDescription topic;
    private final Compression compression;
    private final String producerId = "talos-" + UUID.randomUUID();
    private final AtomicLong puts = new AtomicLong();

    /** A producer for a topic. */
    public SimpleProducer(TalosEndpoint endpoint, TopicDescription topic, Compression compression) {
        calls = TalosAdmin.calls(endpoint);
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
        List<Message> wired = new ArrayList<>(messages.size());
        for (OutgoingMessage each : messages) {
            Message message = new Message(ByteBuffer.wrap(each.body()));
            each.key().ifPresent(message::setPartitionKey);
            wired.add(message);
        }
        MessageBlock block =
                MessageBlocks.write(wired, MessageCompressionType.valueOf(compression.name()), calls.nowMillis());
        return new Prepared(partition, producerId + "#" + puts.incrementAndGet(), block);
    }

    /** Sends a put; as often as is needed, it is stored once, as long as the server remembers it. */
    public void repeat(Prepared put) throws TalosClientException {
        PutMessageRequest request = new PutMessageRequest(
                new TopicAndPartition(topic.name(), new TopicTalosResourceName(topic.resourceName()), put.partition),
                List.of(put.block),
                put.block.getMessageNumber(),
                put.sequenceId);
        request.setTimeoutTimestamp(calls.deadlineMillis());
        try {
            calls.call(Service.MESSAGE, "putMessage", request, new PutMessageResponse());
        } catch (CallFailure e) {
            throw Failures.told(e);
        }
    }
}

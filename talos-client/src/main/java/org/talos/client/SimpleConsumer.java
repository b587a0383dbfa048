// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.Service;
import org.talos.client.transport.SignedCalls;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Gets messages from one partition, from whatever offset is asked for; keeps no place of its own.
 *
 * <p>Thread-safe.
 */
public final class SimpleConsumer {
    /** Asks for the oldest messages there are. */
    public static final long EARLIEST = -1;
    /** Asks for the last message, with those that were put together with it. */
    public static final long LATEST = -2;

    private static final long MAX_BLOCK_BYTES = 256L << 20;

    private final SignedCalls calls;
    private final TopicDescription topic;
    private final int partition;
    private final AtomicLong gets = new AtomicLong();

    /** A consumer of a partition. */
    public SimpleConsumer(TalosEndpoint endpoint, TopicDescription topic, int partition) {
        calls = TalosAdmin.calls(endpoint);
        this.topic = topic;
        this.partition = partition;
    }

    /**
     * Messages from an offset on; waits up to about a second for one at the end.
     *
     * @param offset 0 or more, {@link #EARLIEST} or {@link #LATEST}
     * @param maxMessages at least; a few more may come, as messages that were put together come together
     * @return in order; empty if there is none yet
     */
    public List<FetchedMessage> fetch(long offset, int maxMessages) throws TalosClientException {
        GetMessageRequest request = new GetMessageRequest(
                new TopicAndPartition(topic.name(), new TopicTalosResourceName(topic.resourceName()), partition),
                offset,
                "get#" + gets.incrementAndGet());
        request.setMaxGetMessageNumber(maxMessages);
        request.setTimeoutTimestamp(calls.deadlineMillis());
        GetMessageResponse answer = new GetMessageResponse();
        try {
            calls.call(Service.MESSAGE, "getMessage", request, answer);
            return messages(answer, offset);
        } catch (CallFailure e) {
            throw Failures.told(e);
        } catch (MalformedBlockException e) {
            throw new TalosClientException(
                    "MALFORMED", TalosClientException.Outcome.DID_NOT_HAPPEN, false, e.getMessage(), e);
        }
    }

    private static List<FetchedMessage> messages(GetMessageResponse answer, long offset)
            throws MalformedBlockException {
        List<FetchedMessage> messages = new ArrayList<>();
        for (MessageBlock block : answer.getMessageBlocks()) {
            for (MessageAndOffset each : MessageBlocks.read(block, MAX_BLOCK_BYTES)) {
                if (each.getMessageOffset() >= offset) { // a block may begin before what was asked for
                    messages.add(fetched(each));
                }
            }
        }
        return messages;
    }

    private static FetchedMessage fetched(MessageAndOffset from) {
        Message message = from.getMessage();
        ByteBuffer view = message.bufferForMessage().duplicate();
        byte[] body = new byte[view.remaining()];
        view.get(body);
        return new FetchedMessage(
                from.getMessageOffset(),
                body,
                Optional.ofNullable(message.getPartitionKey()),
                message.getCreateTimestamp(),
                message.getAppendTimestamp());
    }
}

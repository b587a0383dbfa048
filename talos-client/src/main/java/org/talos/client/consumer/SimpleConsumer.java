// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.talos.client.ClientCalls;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.client.transport.PartitionRef;
import org.talos.thrift.GetMessageResponse;

/**
 * Gets messages of one partition from any offset. It keeps no position.
 *
 * <p>Thread-safe.
 */
public final class SimpleConsumer {
    /** The value for the offset of the oldest message. */
    public static final long EARLIEST = -1;
    /** Stands for the offset of the newest message, or of the first message of its put. */
    public static final long LATEST = -2;

    private static final int MAX_BYTES = 10 << 20;

    private final ClientCalls calls;
    private final PartitionRef partition;
    private final AtomicLong gets = new AtomicLong();
    private final Optional<ReadOn> stream;

    /** Creates a consumer of a partition. */
    public SimpleConsumer(TalosClient client, TopicDescription topic, int partition) {
        calls = client.calls();
        this.partition = new PartitionRef(topic.name(), topic.resourceName(), partition);
        stream = calls.streams().map(streams -> new ReadOn(calls.runtime(), streams, this.partition));
    }

    /**
     * Gets messages from an offset on; at the end of the partition, waits about a second for a message. Over a stream
     * it waits two seconds, because only the answer to a call shows that there is none.
     *
     * @param offset 0 or more, {@link #EARLIEST} or {@link #LATEST}
     * @param maxMessages limit of the number; a few more may come, because messages that were put together are not
     *     split
     * @return the messages in order; empty if there is none yet
     * @throws org.talos.client.UnreadableBlockException the block at the offset cannot be read; messages before such a
     *     block are returned first
     */
    public List<FetchedMessage> fetch(long offset, int maxMessages) throws TalosClientException {
        return fetch(offset, maxMessages, MAX_BYTES);
    }

    /**
     * Gets messages from an offset on, with a bound in bytes.
     *
     * @param maxBytes bound of the blocks' bytes as they are stored; the first block is not split, however large
     */
    public List<FetchedMessage> fetch(long offset, int maxMessages, int maxBytes) throws TalosClientException {
        if (stream.isPresent()) {
            Optional<List<FetchedMessage>> come = stream.get().fetch(offset, maxMessages, maxBytes);
            if (come.isPresent()) {
                return come.get();
            }
        }
        GetMessageResponse answer = calls.result(
                GetRequests.get(partition, offset, maxMessages, maxBytes, "get#" + gets.incrementAndGet()));
        List<FetchedMessage> messages = GetRequests.messages(partition, answer.getMessageBlocks(), offset);
        stream.ifPresent(each -> each.called(messages.isEmpty() ? offset : end(messages)));
        return messages;
    }

    /** One past the last of some messages. */
    static long end(List<FetchedMessage> messages) {
        return messages.get(messages.size() - 1).offset() + 1;
    }
}

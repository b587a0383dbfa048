// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.talos.client.ClientCalls;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.client.transport.Place;
import org.talos.common.message.MalformedBlockException;
import org.talos.thrift.GetMessageResponse;

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

    private static final int MAX_BYTES = 10 << 20;

    private final ClientCalls calls;
    private final Place place;
    private final AtomicLong gets = new AtomicLong();

    /** A consumer of a partition, with a client of its own, which makes each call once. */
    public SimpleConsumer(TalosEndpoint endpoint, TopicDescription topic, int partition) {
        this(TalosClient.once(endpoint), topic, partition);
    }

    /** A consumer of a partition. */
    public SimpleConsumer(TalosClient client, TopicDescription topic, int partition) {
        calls = client.calls();
        place = new Place(topic.name(), topic.resourceName(), partition);
    }

    /**
     * Messages from an offset on; waits up to about a second for one at the end.
     *
     * @param offset 0 or more, {@link #EARLIEST} or {@link #LATEST}
     * @param maxMessages at least; a few more may come, as messages that were put together come together
     * @return in order; empty if there is none yet
     */
    public List<FetchedMessage> fetch(long offset, int maxMessages) throws TalosClientException {
        return fetch(offset, maxMessages, MAX_BYTES);
    }

    /**
     * The same, with a bound in bytes.
     *
     * @param maxBytes of blocks as they are stored; the first block comes whole, however large
     */
    public List<FetchedMessage> fetch(long offset, int maxMessages, int maxBytes) throws TalosClientException {
        GetMessageResponse answer =
                calls.result(GetOperations.get(place, offset, maxMessages, maxBytes, "get#" + gets.incrementAndGet()));
        try {
            return GetOperations.read(answer, offset);
        } catch (MalformedBlockException e) {
            throw ClientCalls.failure(e);
        }
    }
}

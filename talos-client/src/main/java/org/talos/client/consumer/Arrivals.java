// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.List;
import java.util.Optional;
import org.talos.client.TalosClientException;
import org.talos.client.stream.StreamReads;
import org.talos.client.transport.PartitionRef;

/**
 * The arriving messages of one partition, over a stream if there is one, otherwise by fetches. If a stream cannot bring
 * a message, a fetch gets it or fails, and the stream continues behind it.
 *
 * <p>Confined: the thread of the partition's reader, except {@link #bytes}.
 */
final class Arrivals {
    private final PartitionRef partition;
    private final ConsumerConfig config;
    private final Fetches fetches;
    private final Optional<StreamReads.Reader> stream;
    private long offset;
    private boolean isStreamed; // a fetch that was begun comes over the stream

    /** @param stream empty if the client has none */
    Arrivals(PartitionRef partition, ConsumerConfig config, Fetches fetches, Optional<StreamReads.Reader> stream) {
        this.partition = partition;
        this.config = config;
        this.fetches = fetches;
        this.stream = stream;
    }

    /** Requests the messages from an offset on, unless they are on their way. */
    void begin(long from) {
        offset = from;
        isStreamed = !fetches.isFrom(from) && stream.isPresent() && stream.get().read(from);
        if (isStreamed) {
            fetches.close();
        } else {
            fetches.begin(from);
        }
    }

    /** Requests them before they are wanted, if there is memory to keep them until then. */
    void beginAhead(long from) {
        if (stream.isEmpty() || !stream.get().readAhead(from)) {
            fetches.beginAhead(from);
        }
    }

    /** Returns whether the answer to a fetch is outstanding. */
    boolean isAwaited() {
        return isStreamed ? stream.orElseThrow().isAwaited() : fetches.isAwaited();
    }

    /** Returns the messages of the fetch in progress; none if there are none, or if they now come another way. */
    List<FetchedMessage> take() throws TalosClientException {
        if (!isStreamed) {
            List<FetchedMessage> messages = fetches.take();
            stream.ifPresent(StreamReads.Reader::called);
            return messages;
        }
        return take(stream.orElseThrow(), partition, offset, config.maxFetchMessages(), config.maxFetchBytes());
    }

    /** Takes the messages from an offset on that a stream has brought. */
    static List<FetchedMessage> take(
            StreamReads.Reader from, PartitionRef partition, long offset, int maxMessages, int maxBytes)
            throws TalosClientException {
        List<FetchedMessage> messages = GetRequests.messages(partition, from.blocks(maxMessages, maxBytes), offset);
        from.taken(messages.isEmpty() ? offset : SimpleConsumer.end(messages));
        return messages;
    }

    /** Returns the stored bytes of messages that have arrived and were not taken. Thread-safe. */
    long bytes() {
        return fetches.bytes() + stream.map(StreamReads.Reader::bytes).orElse(0L);
    }

    /** Forgets the fetch in progress. */
    void close() {
        fetches.close();
        stream.ifPresent(StreamReads.Reader::close);
    }
}

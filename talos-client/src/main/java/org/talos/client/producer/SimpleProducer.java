// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import java.util.List;
import org.talos.client.ClientCalls;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TopicDescription;
import org.talos.client.stream.NumberedPut;

/**
 * Puts messages to the partitions of one topic and waits for each put.
 *
 * <p>Each put has an identity of its own, so that it is stored once, even if the client or {@link #repeat} sends it
 * several times.
 *
 * <p>If the client has streams, a producer holds one to each server of its topic, from the first put until the producer
 * or the client is closed. Without streams there is nothing to close.
 *
 * <p>Thread-safe.
 */
public final class SimpleProducer implements AutoCloseable {
    private final ClientCalls calls;
    private final TopicPuts puts;

    /** Creates a producer for a topic. */
    public SimpleProducer(TalosClient client, TopicDescription topic, Compression compression) {
        calls = client.calls();
        puts = new TopicPuts(calls, topic, compression, false);
    }

    /** A put with its identity, which may be sent several times and is stored once. Thread-safe. */
    public static final class Prepared {
        private final NumberedPut put;

        private Prepared(NumberedPut put) {
            this.put = put;
        }
    }

    /**
     * Puts messages, together and in order, and waits until they are stored.
     *
     * @param messages one or more
     * @return where they are
     * @throws TalosClientException its outcome says whether they may have been stored
     */
    public PutResult put(int partition, List<OutgoingMessage> messages) throws TalosClientException {
        return repeat(prepare(partition, messages));
    }

    /**
     * Puts messages, together and in order, under a key of the program's own, and waits until they are stored. Put
     * again with the same key into the same partition, by any producer of the same user, they are not stored again as
     * long as the server remembers the key: {@code log.dedupeAge}, 10 minutes by default, from when they were stored,
     * as far as its memory reaches. Uses calls, even if the client has streams.
     *
     * @param messages one or more; a repetition has the same bodies, keys and headers
     * @param idempotencyKey 1 to 255 visible characters of ASCII
     * @return where they are, without an offset
     * @throws TalosClientException its outcome says whether they may have been stored; FatalException with code
     *     IDEMPOTENCY_KEY_REUSED: other messages were put under the key
     * @throws IllegalArgumentException the key has other characters, or too many
     */
    public PutResult put(int partition, List<OutgoingMessage> messages, String idempotencyKey)
            throws TalosClientException {
        return repeat(new Prepared(puts.next(partition, messages, new PutKey(idempotencyKey))));
    }

    /** Prepares a put with an identity of its own; nothing is sent yet. */
    public Prepared prepare(int partition, List<OutgoingMessage> messages) {
        return new Prepared(puts.next(partition, messages));
    }

    /**
     * Sends a prepared put and waits until it is stored. A repetition is not stored again as long as the put is in the
     * server's dedupe window.
     *
     * @return where its messages are: the same each time
     * @throws TalosClientException its outcome says whether they may have been stored
     */
    public PutResult repeat(Prepared put) throws TalosClientException {
        puts.open();
        return puts.result(put.put.partition().number(), calls.await(puts.put(put.put)));
    }

    /** Ends the streams of this producer; puts in progress and later puts fail. */
    @Override
    public void close() {
        puts.close();
    }
}

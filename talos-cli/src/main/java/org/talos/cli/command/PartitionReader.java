// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.List;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;

/**
 * Goes through a partition from one offset to another.
 *
 * <p>Confined: one thread at a time.
 */
final class PartitionReader {
    private static final int FETCH_MESSAGES = 1_000;

    private final SimpleConsumer consumer;
    private final int partition;
    private final long until;
    private long next;

    /**
     * A reader at its beginning.
     *
     * @param from an offset, or one of {@link SimpleConsumer}'s places
     * @param until the first offset that is not read any more
     */
    PartitionReader(SimpleConsumer consumer, int partition, long from, long until) {
        this.consumer = consumer;
        this.partition = partition;
        this.next = from;
        this.until = until;
    }

    int partition() {
        return partition;
    }

    /** Messages that follow, at most so many; waits about a second if there are none. */
    List<FetchedMessage> read(long most) throws TalosClientException {
        List<FetchedMessage> messages = consumer.fetch(next, (int) Math.min(most, FETCH_MESSAGES)).stream()
                .filter(each -> each.offset() < until)
                .limit(most)
                .toList();
        if (!messages.isEmpty()) {
            next = messages.get(messages.size() - 1).offset() + 1;
        }
        return messages;
    }

    /** Whether there is nothing left to read. */
    boolean atEnd() {
        return next >= until;
    }
}

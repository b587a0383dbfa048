// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.List;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;

/**
 * Reads a partition from one offset up to another.
 *
 * <p>Confined: one thread at a time.
 */
final class PartitionCursor {
    private static final int FETCH_MESSAGES = 1_000;

    private final SimpleConsumer consumer;
    private final int partition;
    private final long until;
    private long next;

    /**
     * A cursor at its first offset.
     *
     * @param from first offset, or one of {@link SimpleConsumer}'s constants
     * @param until first offset that is not read
     */
    PartitionCursor(SimpleConsumer consumer, int partition, long from, long until) {
        this.consumer = consumer;
        this.partition = partition;
        this.next = from;
        this.until = until;
    }

    /** The partition that is read. */
    int partition() {
        return partition;
    }

    /** The next messages, at most so many; waits about a second if there are none. */
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

    /** Whether all messages have been read. */
    boolean atEnd() {
        return next >= until;
    }
}

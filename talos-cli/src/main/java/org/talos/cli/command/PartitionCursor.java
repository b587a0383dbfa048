// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.util.List;
import org.talos.client.TalosClientException;
import org.talos.client.UnreadableBlockException;
import org.talos.client.admin.PartitionOffsets;
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
    private final SimpleConsumer once;
    private final int partition;
    private final long until;
    private final Unreadable unreadable;
    private long next;

    /** The handling of blocks that cannot be read. */
    interface Unreadable {
        /** Returns to skip the block, or fails. */
        void found(UnreadableBlockException block) throws UnreadableBlockException;
    }

    /**
     * Creates a cursor at its first offset.
     *
     * @param consumer reads, also while a server restarts
     * @param once reads the same partition without retries
     * @param from first offset, or one of {@link SimpleConsumer}'s constants
     * @param until first offset that is not read
     */
    PartitionCursor(
            SimpleConsumer consumer, SimpleConsumer once, int partition, long from, long until, Unreadable unreadable) {
        this.consumer = consumer;
        this.once = once;
        this.partition = partition;
        this.next = from;
        this.until = until;
        this.unreadable = unreadable;
    }

    /** Returns the partition that is read. */
    int partition() {
        return partition;
    }

    /** Returns the next messages, at most this number; waits about a second if there are none. */
    List<FetchedMessage> read(long most) throws TalosClientException {
        return read(consumer, most);
    }

    /** Returns the same, but without retries: fails retriably instead. */
    List<FetchedMessage> readOnce(long most) throws TalosClientException {
        return read(once, most);
    }

    private List<FetchedMessage> read(SimpleConsumer by, long most) throws TalosClientException {
        do {
            try {
                return fetch(by, most);
            } catch (UnreadableBlockException e) {
                unreadable.found(e);
                next = e.lastOffset() + 1;
            }
        } while (!atEnd());
        return List.of();
    }

    private List<FetchedMessage> fetch(SimpleConsumer by, long most) throws TalosClientException {
        List<FetchedMessage> messages = by.fetch(next, (int) Math.min(most, FETCH_MESSAGES)).stream()
                .filter(each -> each.offset() < until)
                .limit(most)
                .toList();
        if (!messages.isEmpty()) {
            next = messages.get(messages.size() - 1).offset() + 1;
        }
        return messages;
    }

    /** Returns whether the partition has unread messages, by its last known contents. */
    boolean isBehind(PartitionOffsets holds) {
        return holds.messages() > 0 && next < holds.endExclusive();
    }

    /** Returns whether all messages have been read. */
    boolean atEnd() {
        return next >= until;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import org.talos.client.ClientCalls;
import org.talos.client.LongestWait;
import org.talos.client.TalosClientException;

/**
 * A member of a consumer group that is asked for messages in a loop. It is built by {@link TalosConsumer#builder}, and
 * is a member like a {@link TalosConsumer}: the same locks, order, starts and commits.
 *
 * <p>The messages of a poll count as processed with the next poll, and are committed from then on as configured, or at
 * once by {@link #commit}, which covers all polls so far. What was polled last before {@link #close} and not committed
 * is read again by the next member: nothing is skipped. Heartbeats go on between polls, however long the program takes;
 * a partition that another member is to have is handed over at the next poll.
 *
 * <p>Confined: {@link #poll} and the commits belong to one thread at a time. All else is thread-safe.
 */
public final class PollingConsumer implements AutoCloseable {
    private final GroupMember member;
    private final Polls polls;

    PollingConsumer(GroupMember member, Polls polls) {
        this.member = member;
        this.polls = polls;
        var unused = member.ended().whenComplete((done, thrown) -> polls.close());
    }

    /**
     * Joins the group. To be called once; again only after a failure.
     *
     * @return this consumer
     * @throws TalosClientException a topic can't be looked up, or the group is full
     * @throws IllegalStateException it was started or closed before
     */
    public PollingConsumer start() throws TalosClientException {
        member.join();
        return this;
    }

    /**
     * The next messages of all partitions that this member reads: at most {@code maxFetchMessages} of each, those of a
     * partition in order. Waits for the first of them.
     *
     * @param within how long to wait; zero does not
     * @return empty if there was none in that time
     * @throws TalosClientException reading has ended: all topics were deleted, or (code CLOSED) the consumer was closed
     * @throws IllegalStateException the consumer is not started: there would never be any message
     */
    public List<FetchedMessage> poll(Duration within) throws TalosClientException, InterruptedException {
        member.requireStarted("poll");
        long nanos = LongestWait.orShorter(within).toNanos();
        List<FetchedMessage> messages = new ArrayList<>();
        polls.next(nanos).forEach(each -> messages.addAll(each.messages()));
        if (messages.isEmpty() && polls.isClosed()) {
            Optional<TalosClientException> failure = member.failure();
            throw failure.isPresent() ? failure.get() : ClientCalls.closed("consumer");
        }
        return messages;
    }

    /**
     * Commits all messages that polls have returned so far, those of the last one included. Waits for the server. What
     * is committed already is no error.
     *
     * @throws TalosClientException the first failure; FatalException with code LOCK_LOST if a partition of them has
     *     been handed over, or another member has it now: its messages that were not committed are read again there.
     *     That is said once. The other partitions are committed nevertheless
     */
    public void commit() throws TalosClientException {
        TalosClientException first = null;
        for (Polls.Delivered each : polls.delivered()) {
            try {
                each.checkpoint().commit();
            } catch (TalosClientException e) {
                first = first == null ? e : first;
                if (e.code().equals(GroupCalls.LOCK_LOST)) {
                    polls.forget(each);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /**
     * Commits a message that a poll has returned, this one or an earlier one, and all before it in its partition. Waits
     * for the server. What is committed already is no error.
     *
     * @throws TalosClientException as {@link #commit()}
     * @throws IllegalArgumentException no poll has returned the message, or this member has taken its partition anew
     *     since
     */
    public void commit(FetchedMessage last) throws TalosClientException {
        Polls.Delivered of = polls.delivered(last)
                .orElseThrow(() -> new IllegalArgumentException("last: offset " + last.offset() + " of " + last.topic()
                        + "/" + last.partition() + " (expected: a message that was polled of a partition that this"
                        + " member still has)"));
        of.checkpoint().commitBefore(last.offset() + 1);
    }

    /** This member's name in the group. */
    public String member() {
        return member.name();
    }

    /** The partitions that this member reads now. */
    public SortedSet<TopicPartition> partitions() {
        return TalosConsumer.partitions(member);
    }

    /**
     * Leaves off reading, commits what counts as processed and releases all partitions. A poll that waits, in another
     * thread, fails with code CLOSED. May be called twice, and before {@link #start}.
     */
    @Override
    public void close() {
        close(Optional.empty());
    }

    /**
     * Like {@link #close()}, for another time than the configured one.
     *
     * @param within how long to wait for the servers
     */
    public void close(Duration within) {
        close(Optional.of(within.isNegative() ? Duration.ZERO : LongestWait.orShorter(within)));
    }

    private void close(Optional<Duration> within) {
        polls.close(); // also before it has joined
        member.close(within);
    }
}

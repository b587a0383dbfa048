// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.talos.client.ClientCalls;
import org.talos.client.LongestWait;
import org.talos.client.TalosClientException;

/**
 * A member of a consumer group that is asked for messages in a loop. It is built by {@link TalosConsumer#builder}, and
 * is a member like a {@link TalosConsumer}, with the same locks, order, starts, and commits. Alternatively it is not a
 * member, and reads for the group the partitions that {@link TalosConsumer.Builder#assign} and {@link #assign} name.
 *
 * <p>The messages of a poll count as processed with the next poll. From then on they are committed as configured, or at
 * once by {@link #commit}, which covers all polls so far. If the messages of the last poll before {@link #close} are
 * not committed, the next member reads them again: nothing is skipped. Heartbeats continue between polls, however long
 * the program takes. A partition that another member should get is handed over at the next poll.
 *
 * <p>Confined: {@link #poll}, the commits, {@link #assign} and the seeks belong to one thread at a time. All else is
 * thread-safe.
 */
public final class PollingConsumer implements AutoCloseable {
    private final ClientCalls calls;
    private final GroupMember member;
    private final Polls polls;
    private final AsyncCommits commits;

    PollingConsumer(ClientCalls calls, GroupMember member, Polls polls) {
        this.calls = calls;
        this.member = member;
        this.polls = polls;
        Executor threads = calls.executor("commit");
        commits = new AsyncCommits(
                polls, task -> threads.execute(() -> member.closing().callBack(task)));
        var unused = member.ended().whenComplete((done, thrown) -> polls.close());
    }

    /**
     * Joins the group; partitions that were assigned are read when this returns. To be called once; again only after a
     * failure.
     *
     * @return this consumer
     * @throws TalosClientException a topic cannot be looked up, or the group is full
     * @throws IllegalStateException it was started or closed before
     * @throws IllegalArgumentException a partition that was assigned does not exist
     */
    public PollingConsumer start() throws TalosClientException {
        member.join();
        return this;
    }

    /**
     * Reads exactly these partitions from now on, as Kafka's {@code assign} does. Those that it reads already continue
     * where they are. The others begin at the group's committed offset, or at the configured start. Polled messages of
     * partitions that are no longer named count as processed with the next poll. Waits for the server.
     *
     * @param partitions may be empty, and of any topics
     * @throws TalosClientException a topic cannot be looked up; nothing has changed
     * @throws IllegalArgumentException one of the partitions does not exist; nothing has changed
     * @throws IllegalStateException the consumer was not built with {@link TalosConsumer.Builder#assign}, or is not
     *     started
     */
    public void assign(Collection<TopicPartition> partitions) throws TalosClientException {
        member.assign(TalosConsumer.chosen(calls, partitions));
    }

    /**
     * Returns the next messages of all partitions that this consumer reads and that are not paused: at most
     * {@code maxFetchMessages} of each, those of a partition in order. Waits for the first of them.
     *
     * @param within longest wait; with zero it does not wait
     * @return empty if there was none in that time
     * @throws TalosClientException reading has ended: all topics were deleted, or (code CLOSED) the consumer was closed
     * @throws IllegalStateException the consumer is not started: there would never be any message
     * @throws org.talos.client.WakeupException another thread has called {@link #wakeup}. Messages that were polled
     *     before count as processed; none is lost
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
     * Ends the poll that waits now with a {@link org.talos.client.WakeupException}; if none waits, the next poll ends
     * in this way, once. Other calls do not end: commits, seeks, and the start.
     */
    public void wakeup() {
        polls.wakeup();
    }

    /**
     * Moves a partition to an offset, from which the next poll continues. Messages that were read ahead are dropped,
     * and those of the last poll do not count as processed by the next poll. The group continues there with the next
     * commit, even if the offset is an earlier one: at once if commits are automatic, otherwise by {@link #commit}. An
     * offset without a message is treated as one whose messages have expired, by {@code outOfRange}. Does not wait.
     *
     * @param offset 0 or more
     * @throws IllegalStateException this consumer does not read the partition now
     * @throws IllegalArgumentException the offset is negative
     */
    public void seek(TopicPartition partition, long offset) {
        TalosConsumer.requireOffset(offset);
        polls.sought(partition, member.readers().seek(partition, offset));
    }

    /**
     * Like {@link #seek(TopicPartition, long)}, for the oldest message, the end as it is now, or a time. Waits for the
     * server.
     *
     * @throws TalosClientException the offset cannot be looked up; nothing has changed
     * @throws IllegalStateException this consumer does not read the partition now
     */
    public void seek(TopicPartition partition, StartPosition position) throws TalosClientException {
        polls.sought(partition, member.seek(partition, position));
    }

    /**
     * Pauses these partitions: polls return none of their messages until they are resumed. The partitions stay this
     * consumer's, and their locks are renewed, as long as it polls. A partition that is handed over, or lost, and taken
     * again is no longer paused. May be repeated.
     *
     * @throws IllegalStateException this consumer does not read one of them now; nothing has changed
     */
    public void pause(Collection<TopicPartition> partitions) {
        member.readers().pause(partitions, true);
    }

    /**
     * Resumes these partitions: polls return their messages again. Partitions that are not paused stay as they are.
     *
     * @throws IllegalStateException this consumer does not read one of them now; nothing has changed
     */
    public void resume(Collection<TopicPartition> partitions) {
        member.readers().pause(partitions, false);
        polls.resumed();
    }

    /** Returns the partitions that are paused. */
    public SortedSet<TopicPartition> paused() {
        return member.readers().paused();
    }

    /**
     * Commits all messages that polls have returned so far, including the last poll. Where the program has called seek
     * since, it commits that offset, or the messages polled behind it. Waits for the server. It is not an error if they
     * are already committed.
     *
     * @throws TalosClientException the first failure; FatalException with code LOCK_LOST if a partition of them has
     *     been handed over, or another member has it now: its uncommitted messages are read again by the other member.
     *     This is reported once; if the partitions are assigned, as long as a member of the group has one. The other
     *     partitions are committed nevertheless
     */
    public void commit() throws TalosClientException {
        TalosClientException first = null;
        for (AsyncCommits.Part each : all()) {
            try {
                polls.commit(each.of(), each.before(), each.isAll());
            } catch (TalosClientException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private List<AsyncCommits.Part> all() {
        return polls.delivered().stream()
                .map(each -> new AsyncCommits.Part(each, each.checkpoint().end(), true))
                .toList();
    }

    /**
     * Commits a message that a poll has returned, this one or an earlier one, and all messages before it in its
     * partition. Waits for the server. It is not an error if they are already committed. After a seek an earlier
     * message may be committed, too: the group continues behind it, wherever this consumer reads.
     *
     * @throws TalosClientException as {@link #commit()}
     * @throws IllegalArgumentException no poll has returned the message, or this consumer has since lost its partition
     *     and taken it again
     */
    public void commit(FetchedMessage last) throws TalosClientException {
        polls.commit(polled(last), last.offset() + 1, false);
    }

    private Polls.Delivered polled(FetchedMessage last) {
        return polls.delivered(last)
                .orElseThrow(() -> new IllegalArgumentException("last: offset " + last.offset() + " of " + last.topic()
                        + "/" + last.partition() + " (expected: a message that was polled of a partition that this"
                        + " member still has)"));
    }

    /**
     * Commits as {@link #commit()} does, in the background: the messages polled by now. Such commits are made in the
     * order of the calls; the last of several waiting ones covers all of them. A partition is not handed over before
     * they have ended, and {@link #close} waits for them.
     *
     * @return completes when all is committed, or with the {@link TalosClientException} that {@link #commit()} would
     *     have thrown, once; on a thread of the consumer, which makes the next commit afterwards
     */
    public CompletableFuture<@Nullable Void> commitAsync() {
        return commits.add(all());
    }

    /**
     * Commits as {@link #commit(FetchedMessage)} does, in the background.
     *
     * @return as of {@link #commitAsync()}
     * @throws IllegalArgumentException as {@link #commit(FetchedMessage)}
     */
    public CompletableFuture<@Nullable Void> commitAsync(FetchedMessage last) {
        return commits.add(List.of(new AsyncCommits.Part(polled(last), last.offset() + 1, false)));
    }

    /** Returns this consumer's name in the group. */
    public String member() {
        return member.name();
    }

    /** Returns the partitions that this consumer reads now. */
    public SortedSet<TopicPartition> partitions() {
        return member.readers().names();
    }

    /**
     * Returns the partitions of this consumer with their figures, as it knows them. Asks no server and waits for none.
     */
    public ConsumerSnapshot snapshot() {
        return member.snapshot(polls::waitingBytes);
    }

    /**
     * Stops reading, commits the messages that count as processed, and releases all partitions. A poll that waits in
     * another thread fails with code CLOSED. Waits for commits in progress. May be called twice, and before
     * {@link #start}.
     */
    @Override
    public void close() {
        close(Optional.empty());
    }

    /**
     * Closes like {@link #close()}, with another time than the configured one.
     *
     * @param within longest wait for the servers
     */
    public void close(Duration within) {
        close(Optional.of(within.isNegative() ? Duration.ZERO : LongestWait.orShorter(within)));
    }

    private void close(Optional<Duration> within) {
        polls.close(); // even before it has joined
        member.close(within);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.LongestWait;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.group.Subscription;

/**
 * A member of a consumer group that processes its messages in the background. It reads its share of the topics'
 * partitions, and hands partitions over when members join and leave. The members may use any SDK. A program that
 * prefers to ask for messages in a loop takes a {@link PollingConsumer}. With {@link Builder#assign} it is not a
 * member: it reads the partitions that the program names, and commits for the group.
 *
 * <p>One member at a time reads a partition: it holds a lock and renews it. The messages of a partition are processed
 * in order, each at least once: those processed after the last commit are read again after a crash. When the lock may
 * have expired, because the servers could not be reached for that long, nothing more is processed.
 *
 * <p>Thread-safe.
 */
public final class TalosConsumer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TalosConsumer.class);

    private final GroupMember member;

    private TalosConsumer(GroupMember member, @Nullable Consumer<Optional<TalosClientException>> onEnd) {
        this.member = member;
        if (onEnd != null) {
            var unused = member.ended().whenComplete((done, thrown) -> ended(onEnd));
        }
    }

    private void ended(Consumer<Optional<TalosClientException>> onEnd) {
        try {
            onEnd.accept(member.failure());
        } catch (RuntimeException | Error e) { // the future that would hold an Error is never read
            LOG.error("a callback failed member={}", member.name(), e);
        }
    }

    /**
     * Builds a consumer, which needs topics and a processor.
     *
     * @param group name of its group: 1 to 80 letters, digits, hyphens and underscores
     */
    public static Builder builder(TalosClient client, String group) {
        return new Builder(client.calls(), group);
    }

    /** Sets a consumer's partitions and their processing. Confined: the caller. */
    public static final class Builder {
        private final ClientCalls calls;
        private final String group;
        private List<String> topics = List.of();
        private Optional<String> topicGroup = Optional.empty();
        private @Nullable List<TopicPartition> assigned;
        private ConsumerConfig config = ConsumerConfig.defaults();
        private MessageProcessor.@Nullable Factory factory;
        private @Nullable Consumer<Optional<TalosClientException>> onEnd;

        private Builder(ClientCalls calls, String group) {
            this.calls = calls;
            this.group = group;
        }

        /**
         * Sets the topics to read. The members of a group should all name the same ones: they share the partitions of
         * all topics. A deleted topic is no longer read, even if it is created again.
         */
        public Builder topics(String... names) {
            topics = List.of(names);
            topicGroup = Optional.empty();
            assigned = null;
            return this;
        }

        /**
         * Reads the topics of a topic group ({@link org.talos.client.admin.TopicGroup}), by its pattern or its list:
         * present and future ones.
         */
        public Builder topicGroup(String name) {
            topicGroup = Optional.of(name);
            topics = List.of();
            assigned = null;
            return this;
        }

        /**
         * Reads these partitions and no others, as Kafka's {@code assign} does: without membership, locks and
         * heartbeats. The group's members do not count this consumer and read the same partitions, too, if they are
         * subscribed to them. It begins where the group has committed, and commits for the group; while a member has a
         * partition, a commit of it fails with code LOCK_LOST, and an automatic one is tried again later.
         *
         * @param partitions of any topics; may be empty
         */
        public Builder assign(Collection<TopicPartition> partitions) {
            assigned = List.copyOf(partitions);
            topics = List.of();
            topicGroup = Optional.empty();
            return this;
        }

        /** Sets the options; by default {@link ConsumerConfig#defaults}. */
        public Builder config(ConsumerConfig options) {
            config = options;
            return this;
        }

        /** Sets one processor for all partitions. Several threads call it at once, one for each partition. */
        public Builder processor(MessageProcessor processor) {
            factory = partition -> processor;
            return this;
        }

        /** Sets a processor of its own for each partition that the consumer takes. */
        public Builder processors(MessageProcessor.Factory processors) {
            factory = processors;
            return this;
        }

        /**
         * Sets a callback for the end of reading. It is called once: with the failure if all topics were deleted, with
         * nothing after {@link TalosConsumer#close}. It runs on a thread of the consumer, or on the thread that closes
         * it. Its exceptions are logged.
         */
        public Builder onEnd(Consumer<Optional<TalosClientException>> callback) {
            onEnd = callback;
            return this;
        }

        /**
         * Returns a consumer that does nothing until it is started.
         *
         * @throws IllegalArgumentException there are no topics, or no processor
         */
        public TalosConsumer build() {
            if (factory == null) {
                throw new IllegalArgumentException("processor: none (expected: processor or processors)");
            }
            return new TalosConsumer(member(factory, () -> {}), onEnd);
        }

        /**
         * Returns a consumer for a polling loop, with these topics and options. It has no processor, and does nothing
         * until it is started.
         *
         * @throws IllegalArgumentException there are no topics, or there is a processor or a callback for the end
         */
        public PollingConsumer buildPolling() {
            if (factory != null || onEnd != null) {
                throw new IllegalArgumentException("processor, onEnd: given (expected: none, poll says both)");
            }
            Polls polls = new Polls(calls.runtime());
            return new PollingConsumer(calls, member(partition -> polls, polls::close), polls);
        }

        private GroupMember member(MessageProcessor.Factory processors, Runnable leaving) {
            if (assigned != null) {
                return new GroupMember(calls, group, chosen(calls, assigned), false, config, processors, leaving);
            }
            if (topics.isEmpty() && topicGroup.isEmpty()) {
                throw new IllegalArgumentException("topics: none (expected: topics, a topicGroup, or assign)");
            }
            Subscription subscription = new Subscription(calls, topics, topicGroup);
            return new GroupMember(calls, group, subscription, true, config, processors, leaving);
        }
    }

    /** Single partitions, as they are looked up. */
    static Subscription chosen(ClientCalls calls, Collection<TopicPartition> partitions) {
        return Subscription.toPartitions(
                calls,
                partitions.stream()
                        .collect(Collectors.groupingBy(
                                TopicPartition::topic,
                                Collectors.mapping(TopicPartition::partition, Collectors.toSet()))));
    }

    static void requireOffset(long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException(
                    "offset: " + offset + " (expected: 0 or more; StartPosition for the oldest and the end)");
        }
    }

    /**
     * Joins the group, and reads in the background from then on; partitions that were assigned are read when this
     * returns. To be called once; again only after a failure.
     *
     * @return this consumer
     * @throws TalosClientException a topic cannot be looked up, or the group is full
     * @throws IllegalStateException it was started or closed before
     * @throws IllegalArgumentException a partition that was assigned does not exist
     */
    public TalosConsumer start() throws TalosClientException {
        member.join();
        return this;
    }

    /** Returns this member's name in the group. */
    public String member() {
        return member.name();
    }

    /** Returns the partitions that this member reads now. */
    public SortedSet<TopicPartition> partitions() {
        return member.readers().names();
    }

    /**
     * Moves a partition to an offset. Its processor may be in a call: messages that it is processing do not count, and
     * later commits by its checkpoint are ignored. The group continues there with the next commit, even if the offset
     * is an earlier one: at once if commits are automatic. An offset without a message is treated as one whose messages
     * have expired, by {@code outOfRange}. Does not wait.
     *
     * @param offset 0 or more
     * @throws IllegalStateException this consumer does not read the partition now
     * @throws IllegalArgumentException the offset is negative
     */
    public void seek(TopicPartition partition, long offset) {
        requireOffset(offset);
        var unused = member.readers().seek(partition, offset);
    }

    /**
     * Like {@link #seek(TopicPartition, long)}, for the oldest message, the end as it is now, or a time. Waits for the
     * server.
     *
     * @throws TalosClientException the offset cannot be looked up; nothing has changed
     * @throws IllegalStateException this consumer does not read the partition now
     */
    public void seek(TopicPartition partition, StartPosition position) throws TalosClientException {
        var unused = member.seek(partition, position);
    }

    /**
     * Pauses these partitions: once calls in progress have returned, their processors are not called until the
     * partitions are resumed. They stay this consumer's, and their locks are renewed. A partition that is handed over,
     * or lost, and taken again is no longer paused. May be repeated.
     *
     * @throws IllegalStateException this consumer does not read one of them now; nothing has changed
     */
    public void pause(Collection<TopicPartition> partitions) {
        member.readers().pause(partitions, true);
    }

    /**
     * Resumes these partitions. Partitions that are not paused stay as they are.
     *
     * @throws IllegalStateException this consumer does not read one of them now; nothing has changed
     */
    public void resume(Collection<TopicPartition> partitions) {
        member.readers().pause(partitions, false);
    }

    /** Returns the partitions that are paused. */
    public SortedSet<TopicPartition> paused() {
        return member.readers().paused();
    }

    /**
     * Returns the partitions of this consumer with their figures, as it knows them. Asks no server and waits for none.
     */
    public ConsumerSnapshot snapshot() {
        return member.snapshot(partition -> 0);
    }

    /** Returns the failure that has ended reading: all topics were deleted. Empty while the consumer reads. */
    public Optional<TalosClientException> failure() {
        return member.failure();
    }

    /**
     * Completes when reading has ended: normally after {@link #close}, with a {@link TalosClientException} if all
     * topics were deleted.
     */
    public CompletionStage<@Nullable Void> ended() {
        return member.ended().minimalCompletionStage();
    }

    /**
     * Lets processors finish their current call, commits, releases all partitions, and waits for that up to the
     * configured timeout; the locks of processors that do not finish expire. May be called twice, and before
     * {@link #start}. If a processor calls it, it does not wait: closing continues in the background once the processor
     * has returned.
     */
    @Override
    public void close() {
        member.close(Optional.empty());
    }

    /**
     * Closes like {@link #close()}, with another time than the configured one.
     *
     * @param within longest wait for processors; with zero it does not wait
     */
    public void close(Duration within) {
        member.close(Optional.of(within.isNegative() ? Duration.ZERO : LongestWait.orShorter(within)));
    }
}

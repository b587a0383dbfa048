// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.LongestWait;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;

/**
 * A member of a consumer group that has its messages processed in the background: it reads its share of the topics'
 * partitions, and hands partitions over when members join and leave. The members may use any SDK. Who would rather ask
 * for messages in a loop takes a {@link PollingConsumer}.
 *
 * <p>One member at a time reads a partition, by a lock that it renews. The messages of a partition are processed in
 * order, each at least once: those processed after the last commit are read again after a crash. When the lock may have
 * expired, because the servers could not be reached for that long, nothing more is processed.
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
        } catch (RuntimeException | Error e) { // the future that would hold an Error is nobody's
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

    /** Sets what a consumer reads, and what is done with it. Confined: the caller. */
    public static final class Builder {
        private final ClientCalls calls;
        private final String group;
        private List<String> topics = List.of();
        private Optional<String> topicGroup = Optional.empty();
        private ConsumerConfig config = ConsumerConfig.defaults();
        private MessageProcessor.@Nullable Factory factory;
        private @Nullable Consumer<Optional<TalosClientException>> onEnd;

        private Builder(ClientCalls calls, String group) {
            this.calls = calls;
            this.group = group;
        }

        /**
         * The topics to read. The members of a group should all name the same ones: they share the partitions of all of
         * them. One that is deleted is read no more, also if it is made again.
         */
        public Builder topics(String... names) {
            topics = List.of(names);
            topicGroup = Optional.empty();
            return this;
        }

        /**
         * Reads the topics of a topic group ({@link org.talos.client.admin.TopicGroup}), by its pattern or its list:
         * those that there are, and those that come.
         */
        public Builder topicGroup(String name) {
            topicGroup = Optional.of(name);
            topics = List.of();
            return this;
        }

        /** The options; {@link ConsumerConfig#defaults} if this is not called. */
        public Builder config(ConsumerConfig options) {
            config = options;
            return this;
        }

        /** One processor for all partitions, which several threads call at once: one for each partition. */
        public Builder processor(MessageProcessor processor) {
            factory = partition -> processor;
            return this;
        }

        /** A processor of its own for each partition that the consumer takes. */
        public Builder processors(MessageProcessor.Factory processors) {
            factory = processors;
            return this;
        }

        /**
         * Called once when reading has ended: with the failure if all topics were deleted, with nothing after
         * {@link TalosConsumer#close}. On a thread of the consumer, or of who closes it; what it throws is logged.
         */
        public Builder onEnd(Consumer<Optional<TalosClientException>> callback) {
            onEnd = callback;
            return this;
        }

        /**
         * A consumer that does nothing until it is started.
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
         * A consumer that is asked for messages, with these topics and options; it does nothing until it is started. It
         * has no processor.
         *
         * @throws IllegalArgumentException there are no topics, or there is a processor or a callback for the end
         */
        public PollingConsumer buildPolling() {
            if (factory != null || onEnd != null) {
                throw new IllegalArgumentException("processor, onEnd: given (expected: none, poll says both)");
            }
            Polls polls = new Polls(calls.runtime());
            return new PollingConsumer(member(partition -> polls, polls::close), polls);
        }

        private GroupMember member(MessageProcessor.Factory processors, Runnable leaving) {
            if (topics.isEmpty() && topicGroup.isEmpty()) {
                throw new IllegalArgumentException("topics: none (expected: topics or a topicGroup)");
            }
            Subscription subscription = new Subscription(calls, topics, topicGroup);
            return new GroupMember(calls, group, subscription, config, processors, leaving);
        }
    }

    /**
     * Joins the group, and reads in the background from then on. To be called once; again only after a failure.
     *
     * @return this consumer
     * @throws TalosClientException a topic can't be looked up, or the group is full
     * @throws IllegalStateException it was started or closed before
     */
    public TalosConsumer start() throws TalosClientException {
        member.join();
        return this;
    }

    /** This member's name in the group. */
    public String member() {
        return member.name();
    }

    /** The partitions that this member reads now. */
    public SortedSet<TopicPartition> partitions() {
        return partitions(member);
    }

    static SortedSet<TopicPartition> partitions(GroupMember of) {
        SortedSet<TopicPartition> reading = new TreeSet<>();
        of.partitions().forEach(each -> reading.add(new TopicPartition(each.topic(), each.number())));
        return reading;
    }

    /** The failure that has ended reading: all topics were deleted. Empty while the consumer reads. */
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
     * configured time-out; the locks of processors that do not finish expire. May be called twice, and before
     * {@link #start}. Called by a processor it does not wait: what it does goes on in the background when that has
     * returned.
     */
    @Override
    public void close() {
        member.close(Optional.empty());
    }

    /**
     * Like {@link #close()}, for another time than the configured one.
     *
     * @param within how long to wait for processors; zero does not
     */
    public void close(Duration within) {
        member.close(Optional.of(within.isNegative() ? Duration.ZERO : LongestWait.orShorter(within)));
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer.group;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.FatalException;
import org.talos.client.TalosClientException;
import org.talos.client.transport.PartitionRef;

/**
 * Decides which partitions a consumer reads: those that a member takes and releases by the {@link Balance} of its
 * group, or those that the program has assigned. Looks up the topics at intervals, and locks the partitions that it
 * takes. The consumer reads them, behind {@link PartitionReading}.
 *
 * <p>Confined: {@link #balance} is run by one thread at a time. All else is thread-safe.
 */
public final class GroupBalancer {
    private static final Logger LOG = LoggerFactory.getLogger(GroupBalancer.class);

    private final ClientCalls calls;
    private final GroupCalls group;
    private final Duration topicCheckInterval;
    private final PartitionReading reading;
    private final Backoff backoff = new Backoff(); // of balance() alone
    private final Set<String> denied = new HashSet<>(); // topics that cannot be read now; of balance() alone
    private final Lock assigning;
    private volatile Subscription subscription;
    private volatile long checkedAtNanos;
    private volatile long pausedUntilNanos;

    /** Reads the partitions of a consumer, each with a reader of its own. Implementations are thread-safe. */
    public interface PartitionReading {
        /** Returns whether partitions may be taken: the consumer has joined, and reading has not ended. */
        boolean isActive();

        /** Returns the partitions that are read now. */
        Set<PartitionRef> partitions();

        /** Returns whether there is a reader of a partition, including one that is ending. */
        boolean has(PartitionRef partition);

        /**
         * Starts a reader, or releases the partition's lock if none can start.
         *
         * @throws TalosClientException the lock could not be released
         */
        void read(PartitionRef partition) throws TalosClientException;

        /** Ends the reader of a partition, if there is one. It releases the lock. */
        void release(PartitionRef partition);

        /** Notes the topics as they are now, and the live members with the partitions that they have locked. */
        void onMembers(List<TopicRef> topics, Map<String, List<PartitionRef>> members);

        /** Ends the readers of other topics, which no longer exist. */
        void onTopics(Set<String> resourceNames);

        /** Ends reading: no topic is left. */
        void onEnd(TalosClientException why);
    }

    /** Creates the balancer of a consumer that has not joined. */
    public GroupBalancer(
            ClientCalls calls,
            GroupCalls group,
            Subscription subscription,
            Duration topicCheckInterval,
            PartitionReading reading) {
        this.calls = calls;
        this.group = group;
        this.subscription = subscription;
        this.topicCheckInterval = topicCheckInterval;
        this.reading = reading;
        assigning = calls.runtime().lock();
    }

    /** Returns the topics at the last look-up. */
    public List<TopicRef> topics() {
        return subscription.topics();
    }

    /**
     * Looks up the topics. The next look-up is due after the interval.
     *
     * @throws TalosClientException a topic cannot be looked up; it may be tried again
     * @throws IllegalArgumentException a partition that was assigned does not exist; it may be tried again
     */
    public void begin() throws TalosClientException {
        subscription.refresh();
        checkedAtNanos = calls.nanos();
        pausedUntilNanos = calls.nanos();
    }

    /**
     * Replaces the subscription.
     *
     * @throws IllegalArgumentException one of the partitions does not exist; nothing has changed
     */
    public void assign(Subscription wanted) throws TalosClientException {
        wanted.refresh();
        assigning.lock();
        try {
            subscription = wanted;
            readAll();
        } finally {
            assigning.unlock();
        }
    }

    /** Reads all partitions of the subscription, and no others. Only a consumer that is not a member may do so. */
    public void readAll() throws TalosClientException {
        assigning.lock();
        try {
            Set<PartitionRef> wanted = subscription.partitions();
            reading.partitions().stream().filter(each -> !wanted.contains(each)).forEach(reading::release);
            for (PartitionRef each : wanted) {
                if (!reading.has(each)) {
                    reading.read(each);
                }
            }
        } finally {
            assigning.unlock();
        }
    }

    /** Looks up the topics if that is due, then takes or releases partitions. Failures are logged and retried later. */
    public void balance() {
        if (!reading.isActive() || calls.nanos() - pausedUntilNanos < 0) {
            return;
        }
        try {
            if (!checkTopics()) {
                return;
            }
            if (group.isMember()) {
                share();
            } else {
                readAll();
            }
            backoff.succeeded();
        } catch (TalosClientException e) {
            failed(e);
        }
    }

    private void share() throws TalosClientException {
        List<TopicRef> topics = subscription.topics();
        Map<String, List<PartitionRef>> members = group.members(topics);
        pausedUntilNanos = calls.nanos()
                + Balance.pause(members.keySet(), group.member(), topics.size()).toNanos();
        reading.onMembers(topics, members);
        Balance<PartitionRef> balance =
                Balance.of(members, group.member(), subscription.partitions(), reading.partitions(), this::mayTake);
        balance.release().forEach(reading::release);
        for (PartitionRef partition : balance.take()) {
            if (reading.isActive() && !reading.has(partition) && lock(partition)) {
                reading.read(partition);
            }
        }
    }

    private boolean mayTake(PartitionRef partition) {
        return !denied.contains(partition.resourceName());
    }

    /**
     * Locks a partition unless another member has it, or its topic cannot be read now: other partitions are still
     * taken.
     */
    private boolean lock(PartitionRef partition) throws TalosClientException {
        if (!mayTake(partition)) {
            return false;
        }
        try {
            return group.lock(partition);
        } catch (FatalException e) {
            if (!subscription.isOfOneTopic(e)) {
                throw e;
            }
            denied.add(partition.resourceName());
            LOG.warn(
                    "topic unavailable, reading the others topic={} member={} code={} reason={}",
                    partition.topic(),
                    group.member(),
                    e.code(),
                    e.getMessage());
            return false;
        }
    }

    private void failed(TalosClientException e) {
        boolean isNew = backoff.isNew(e);
        Duration pause = backoff.failed(e);
        pausedUntilNanos = calls.nanos() + pause.toNanos();
        if (isNew) {
            LOG.warn("group balance failed, will retry member={} code={}", group.member(), e.code(), e);
        } else {
            LOG.warn(
                    "group balance still failing, will retry member={} code={} pause={} reason={}",
                    group.member(),
                    e.code(),
                    pause,
                    e.getMessage());
        }
    }

    /** Looks up the topics if that is due, and registers for new ones. Returns whether any is left. */
    private boolean checkTopics() throws TalosClientException {
        if (calls.nanos() - checkedAtNanos < topicCheckInterval.toNanos()) {
            return true;
        }
        checkedAtNanos = calls.nanos();
        denied.clear(); // the right may have been granted again
        Set<String> before = names();
        subscription.refresh();
        reading.onTopics(names());
        Optional<TalosClientException> end = subscription.end();
        if (end.isPresent()) {
            reading.onEnd(end.get());
            return false;
        }
        group.register(subscription.topics().stream()
                .filter(each -> !before.contains(each.resourceName()))
                .toList());
        return true;
    }

    private Set<String> names() {
        return subscription.topics().stream().map(TopicRef::resourceName).collect(Collectors.toSet());
    }
}

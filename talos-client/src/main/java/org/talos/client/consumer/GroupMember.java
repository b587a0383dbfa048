// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.Closing;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.group.GroupBalancer;
import org.talos.client.consumer.group.GroupCalls;
import org.talos.client.consumer.group.LogEnds;
import org.talos.client.consumer.group.MemberAddress;
import org.talos.client.consumer.group.Subscription;
import org.talos.client.consumer.group.TopicRef;
import org.talos.client.transport.PartitionRef;

/**
 * A member of a consumer group, from joining to leaving: registers, sends heartbeats, and has a reader for each of its
 * partitions, until it is closed or its topics no longer exist. A consumer with assigned partitions reads them for the
 * group without being a member. The {@link GroupBalancer} decides which partitions are read.
 *
 * <p>Thread-safe.
 */
final class GroupMember {
    private static final Logger LOG = LoggerFactory.getLogger(GroupMember.class);
    private static final Duration SHORTEST_LEAVE = Duration.ofSeconds(1);

    private final ClientCalls calls;
    private final ConsumerConfig config;
    private final MessageProcessor.Factory factory;
    private final String name;
    private final GroupCalls group;
    private final StartOffsets starts;
    private final Readers readers;
    private final Heartbeats heartbeats;
    private final GroupBalancer balancer;
    private final LogEnds ends;
    private final Ahead ahead;
    private final ScheduledExecutorService timers;
    private final ExecutorService threads;
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    private final Runnable leaving;
    private final Closing closing = Closing.ofConsumer(this::close);
    private volatile @Nullable TalosClientException failure;

    @GuardedBy("this")
    private State state = State.NEW;

    /** Where a member is in its life; the state only goes forward. */
    private enum State {
        /** Built: nothing has been sent. */
        NEW,
        /** Registering. */
        JOINING,
        /** The member is in its group. */
        JOINED,
        /** Leaving, or gone. */
        CLOSED
    }

    /**
     * Creates a member that has not joined.
     *
     * @param isMember whether it shares the partitions with other members; otherwise it reads the whole subscription
     * @param leaving runs before it waits for its processors to finish, and releases processors that wait for the
     *     program
     */
    GroupMember(
            ClientCalls calls,
            String group,
            Subscription subscription,
            boolean isMember,
            ConsumerConfig config,
            MessageProcessor.Factory factory,
            Runnable leaving) {
        this.calls = calls;
        this.config = config;
        this.factory = factory;
        this.leaving = leaving;
        timers = calls.runtime().timers("group", 2);
        threads = calls.runtime().pool("reader");
        // The servers' metrics take the part before the hyphen for an address.
        name = MemberAddress.local() + "-" + calls.nowMillis()
                + calls.runtime().uniqueName().substring(0, 8);
        this.group = new GroupCalls(calls, group, name, isMember);
        readers = new Readers(name, task -> threads.execute(() -> closing.callBack(task)));
        heartbeats = new Heartbeats(calls, this.group, config, readers);
        ends = new LogEnds(calls, this.group);
        starts = new StartOffsets(this.group, config);
        ahead = new Ahead(calls, config);
        balancer = new GroupBalancer(calls, this.group, subscription, config.topicCheckInterval(), new Reading());
    }

    /**
     * Joins the group and reads in the background from then on. Assigned partitions are being read when this returns.
     *
     * @throws TalosClientException a topic cannot be looked up, or the group is full; the call may be repeated. Code
     *     CLOSED: the consumer was closed in the meantime
     * @throws IllegalStateException it has been started or closed before
     * @throws IllegalArgumentException a partition that was assigned does not exist; it may be tried again
     */
    void join() throws TalosClientException {
        joining();
        boolean registered = false;
        try {
            balancer.begin();
            heartbeats.begin();
            group.register(balancer.topics());
            calls.opened(closing);
            registered = true;
        } finally {
            if (!registered) {
                notJoined();
            }
        }
        if (!joined()) { // closed since then: closing does not wait for a server
            calls.closed(closing);
            leave(SHORTEST_LEAVE);
            throw ClientCalls.closed("consumer");
        }
        if (!group.isMember()) {
            balancer.readAll();
        }
    }

    private synchronized void joining() {
        if (state != State.NEW) {
            throw new IllegalStateException("start: the consumer is " + state + " (expected: NEW)");
        }
        state = State.JOINING;
    }

    /**
     * Refuses calls that make sense only for a started member.
     *
     * @throws IllegalStateException it was never started, or its start has failed
     */
    synchronized void requireStarted(String what) {
        if (state == State.NEW) {
            throw new IllegalStateException(what + ": the consumer is not started (expected: start() first)");
        }
    }

    private synchronized void notJoined() {
        if (state == State.JOINING) {
            state = State.NEW;
        }
    }

    private synchronized boolean joined() {
        if (state != State.JOINING) {
            return false;
        }
        state = State.JOINED;
        if (group.isMember()) {
            repeat(() -> heartbeats.renew(balancer.topics()), config.renewInterval(), config.renewInterval());
        }
        repeat(balancer::balance, Duration.ZERO, config.balanceInterval());
        return true;
    }

    private void repeat(Runnable what, Duration first, Duration every) {
        var unused = timers.scheduleWithFixedDelay(
                () -> {
                    try {
                        what.run();
                    } catch (RuntimeException | Error e) { // otherwise the end would never be reported
                        LOG.error("a periodic task of the group failed member={}", name, e);
                    }
                },
                first.toNanos(),
                every.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    /** Returns this member's name in the group. */
    String name() {
        return name;
    }

    /** Returns the readers of the partitions that this member reads. */
    Readers readers() {
        return readers;
    }

    /** Runs the callbacks of the program. */
    Closing closing() {
        return closing;
    }

    /**
     * Moves a partition to a position that a server resolves.
     *
     * @return commits that the group continues there
     * @throws IllegalStateException the partition is not read now
     */
    PartitionHold.Processed seek(TopicPartition partition, StartPosition position) throws TalosClientException {
        return readers.seek(
                partition, starts.at(readers.of(partition, Readers.SEEK).partition(), position));
    }

    /**
     * Returns its partitions, and its figures.
     *
     * @param waitingBytes of messages that wait for the program outside of the readers
     */
    ConsumerSnapshot snapshot(ToLongFunction<TopicPartition> waitingBytes) {
        List<ConsumerSnapshot.Partition> partitions = readers.snapshots(ends, waitingBytes);
        if (!partitions.isEmpty()) {
            ends.refresh(balancer.topics());
        }
        return new ConsumerSnapshot(group.group(), name, group.isMember(), group.lastContact(), partitions);
    }

    /**
     * Replaces the subscription.
     *
     * @throws IllegalStateException it is a member, or is not started
     * @throws IllegalArgumentException one of the partitions does not exist; nothing has changed
     */
    void assign(Subscription wanted) throws TalosClientException {
        requireStarted("assign");
        if (group.isMember()) {
            throw new IllegalStateException("assign: the consumer is a member of its group (expected: one that was"
                    + " built with assign in place of topics)");
        }
        balancer.assign(wanted);
    }

    /** Completes when reading has ended: normally after {@link #close}, else with the failure. */
    CompletableFuture<@Nullable Void> ended() {
        return ended;
    }

    /** Returns the failure that has ended reading; empty while the member reads, and after it was closed. */
    Optional<TalosClientException> failure() {
        return Optional.ofNullable(failure);
    }

    private synchronized boolean isJoined() {
        return state == State.JOINED;
    }

    /** Ends reading: heartbeats and polls are no longer useful. */
    private void fail(TalosClientException why) {
        LOG.error("no topic left to read, consumer stopped member={}", name, why);
        failure = why;
        timers.shutdown();
        var unused = readers.ended().whenComplete((done, thrown) -> ended.completeExceptionally(why));
    }

    /**
     * Lets processors finish their current call, commits, releases all partitions, and leaves the group, so that the
     * other members take them at once. The locks of processors that do not finish expire. May be called twice. If a
     * processor calls it, it does not wait, because it would wait for that processor.
     *
     * @param within longest wait; empty for the configured timeout
     */
    void close(Optional<Duration> within) {
        State before;
        synchronized (this) {
            before = state;
            state = State.CLOSED;
        }
        leaving.run();
        readers.close();
        long end = calls.nanos() + within.orElse(config.closeTimeout()).toNanos();
        if (before == State.CLOSED) {
            awaitEnd(end);
        } else if (closing.isCallingBack()) {
            calls.executor("close").execute(() -> end(before == State.JOINED, end));
        } else {
            end(before == State.JOINED, end);
        }
    }

    /** Waits for a thread that closes it already, unless that waits for this thread. */
    private void awaitEnd(long end) {
        if (closing.isCallingBack()) {
            return;
        }
        try {
            var unused = calls.runtime().get(ended, Math.max(0, end - calls.nanos()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("member did not leave cleanly member={}", name, e);
        }
    }

    private void end(boolean joined, long end) {
        boolean interrupted = false;
        try {
            var unused = calls.runtime().get(readers.ended(), Math.max(0, end - calls.nanos()));
            timers.shutdown();
            if (joined && failure == null) {
                leave(end);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("processors do not finish partitions={}", readers.locked(), e);
        }
        timers.shutdownNow();
        threads.shutdown();
        ahead.close();
        calls.closed(closing);
        TalosClientException why = failure;
        if (why == null) {
            ended.complete(null);
        } else {
            ended.completeExceptionally(why); // delayed until here by a processor that does not finish
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Leaves the group once no heartbeat is in progress, because a heartbeat would join it again. A member whose
     * processors continue keeps its locks until they expire: the next reader of a partition must not begin before.
     */
    private void leave(long endNanos) throws InterruptedException {
        if (timers.awaitTermination(Math.max(0, endNanos - calls.nanos()), TimeUnit.NANOSECONDS)) {
            leave(Duration.ofNanos(Math.max(endNanos - calls.nanos(), SHORTEST_LEAVE.toNanos())));
        }
    }

    private void leave(Duration within) {
        try {
            group.leave(balancer.topics(), within);
        } catch (TalosClientException e) { // also from a server that does not have this call yet
            LOG.info("member leave failed, its lease will expire member={} code={}", name, e.code());
        }
    }

    /** The readers, as the balancer sees them. Thread-safe. */
    private final class Reading implements GroupBalancer.PartitionReading {
        @Override
        public boolean isActive() {
            return isJoined() && failure == null;
        }

        @Override
        public Set<PartitionRef> partitions() {
            return readers.partitions();
        }

        @Override
        public boolean has(PartitionRef partition) {
            return readers.has(partition);
        }

        @Override
        public void read(PartitionRef partition) throws TalosClientException {
            PartitionHold hold = new PartitionHold(calls, group, partition, config, starts, heartbeats::isHeld);
            PartitionReader reader = new PartitionReader(hold, group, config, factory, starts, ahead);
            if (!readers.read(reader)) {
                group.unlock(partition, () -> readers.forget(reader));
            }
        }

        @Override
        public void release(PartitionRef partition) {
            readers.release(partition);
        }

        @Override
        public void onMembers(List<TopicRef> topics, Map<String, List<PartitionRef>> members) {
            starts.seen(topics);
            starts.seen(members, name);
        }

        @Override
        public void onTopics(Set<String> resourceNames) {
            readers.gone(each -> resourceNames.contains(each.resourceName()));
        }

        @Override
        public void onEnd(TalosClientException why) {
            fail(why);
        }
    }
}

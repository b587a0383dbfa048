// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer.group;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.ClientCalls;
import org.talos.client.FatalException;
import org.talos.client.RetriableException;
import org.talos.client.TalosClientException;
import org.talos.client.UnknownOutcomeException;
import org.talos.client.transport.PartitionRef;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.RemoteCall.Effect;
import org.talos.client.transport.Service;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.GetPartitionCheckpointRequest;
import org.talos.thrift.GetPartitionCheckpointResponse;
import org.talos.thrift.GetPartitionOffsetRequest;
import org.talos.thrift.GetPartitionOffsetResponse;
import org.talos.thrift.LeaveGroupRequest;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockPartitionResponse;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.LockWorkerResponse;
import org.talos.thrift.OffsetInfo;
import org.talos.thrift.QueryOffsetRequest;
import org.talos.thrift.QueryOffsetResponse;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.QueryWorkerResponse;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.RenewResponse;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.TopicsConsumeUnit;
import org.talos.thrift.TopicsLockWorkerRequest;
import org.talos.thrift.TopicsLockWorkerResponse;
import org.talos.thrift.TopicsQueryWorkerRequest;
import org.talos.thrift.TopicsQueryWorkerResponse;
import org.talos.thrift.TopicsRenewRequest;
import org.talos.thrift.TopicsRenewResponse;
import org.talos.thrift.UnlockPartitionRequest;
import org.talos.thrift.UpdateOffsetRequest;
import org.talos.thrift.UpdateOffsetResponse;

/**
 * Makes the calls of the group protocol for one reader, and waits for their answers. All calls are repeatable: each
 * states the wanted state, not a change.
 *
 * <p>The reader is a member, which holds locks, or it reads partitions that its program has assigned. In the second
 * case it has no locks and the members do not count it. In this case, calls of members do nothing, and a commit is
 * stored as long as no member has the partition.
 *
 * <p>Thread-safe.
 */
public final class GroupCalls {
    /** The code of a commit of a partition that another member has now. */
    public static final String LOCK_LOST = "LOCK_LOST";

    private static final Logger LOG = LoggerFactory.getLogger(GroupCalls.class);
    private static final long NEVER = Long.MIN_VALUE;
    private static final String NO_TOPIC_GROUP = ""; // like the other SDKs: topics are named one by one

    private final ClientCalls calls;
    private final String group;
    private final String member;
    private final boolean isMember;
    private final Lock renewing;
    private volatile long answeredAtMillis = NEVER;

    /**
     * Creates the calls of one reader.
     *
     * @param member its name
     * @param isMember whether it is a member, or reads assigned partitions
     */
    public GroupCalls(ClientCalls calls, String group, String member, boolean isMember) {
        this.calls = calls;
        this.group = group;
        this.member = member;
        this.isMember = isMember;
        renewing = calls.runtime().lock();
    }

    /** Returns the group's name. */
    public String group() {
        return group;
    }

    /** Returns the reader's name. */
    public String member() {
        return member;
    }

    /** Returns whether the reader is a member: it reads only partitions that it has locked. */
    public boolean isMember() {
        return isMember;
    }

    /** Notes that a server has answered the reader just now. */
    public void answered() {
        answeredAtMillis = calls.nowMillis();
    }

    /** Returns when a server last answered the reader, by this machine's clock; empty if none has. */
    public Optional<Instant> lastContact() {
        long at = answeredAtMillis;
        return at == NEVER ? Optional.empty() : Optional.of(Instant.ofEpochMilli(at));
    }

    /**
     * The answer to a renewal. Immutable.
     *
     * @param alive whether the server recorded the member's heartbeat
     * @param lost partitions that other members have locked
     */
    public record Renewal(boolean alive, Set<PartitionRef> lost) {}

    private <R extends TBase<?, ?>> R call(String method, TBase<?, ?> request, Supplier<R> result)
            throws TalosClientException {
        R answer = calls.result(RemoteCall.of(Service.CONSUMER, method, request, result, Effect.REPEATABLE));
        answered();
        return answer;
    }

    private <R extends TBase<?, ?>> R read(String method, TBase<?, ?> request, Supplier<R> result)
            throws TalosClientException {
        R answer = calls.result(RemoteCall.of(Service.CONSUMER, method, request, result, Effect.NONE));
        answered();
        return answer;
    }

    private ConsumeUnit unit(String resourceName, Collection<Integer> partitions) {
        return new ConsumeUnit(group, new TopicTalosResourceName(resourceName), List.copyOf(partitions), member);
    }

    private ConsumeUnit unit(PartitionRef partition) {
        return unit(partition.resourceName(), List.of(partition.number()));
    }

    private static List<TopicTalosResourceName> names(Collection<TopicRef> topics) {
        return topics.stream()
                .map(each -> new TopicTalosResourceName(each.resourceName()))
                .toList();
    }

    /** Registers the member with its group on some topics. */
    public void register(Collection<TopicRef> topics) throws TalosClientException {
        if (topics.isEmpty() || !isMember) {
            return;
        }
        boolean registered = topics.size() == 1
                ? call(
                                "lockWorker",
                                new LockWorkerRequest(
                                        unit(topics.iterator().next().resourceName(), List.of())),
                                LockWorkerResponse::new)
                        .isRegisterSuccess()
                : call(
                                "lockWorkerForTopics",
                                new TopicsLockWorkerRequest(group, names(topics), member, NO_TOPIC_GROUP),
                                TopicsLockWorkerResponse::new)
                        .isRegisterSuccess();
        if (!registered) {
            throw new RetriableException("TOO_MANY_CONSUMER", "TOO_MANY_CONSUMER: the group takes no more", null);
        }
    }

    /** Returns the live members of the group on some topics, each with the partitions that it has locked. */
    public Map<String, List<PartitionRef>> members(Collection<TopicRef> topics) throws TalosClientException {
        Map<String, List<PartitionRef>> members = new HashMap<>();
        if (topics.size() == 1) {
            TopicRef topic = topics.iterator().next();
            QueryWorkerRequest asked = new QueryWorkerRequest(group, new TopicTalosResourceName(topic.resourceName()));
            read("queryWorker", asked, QueryWorkerResponse::new)
                    .getWorkerMap()
                    .forEach((name, locked) -> members.put(
                            name, locked.stream().map(topic::partition).toList()));
        } else if (!topics.isEmpty()) {
            TopicsQueryWorkerRequest asked = new TopicsQueryWorkerRequest(group, names(topics), NO_TOPIC_GROUP);
            read("queryWorkerForTopics", asked, TopicsQueryWorkerResponse::new)
                    .getWorkerMap()
                    .forEach((name, locked) -> members.put(
                            name, locked.stream().map(PartitionRef::of).toList()));
        }
        return members;
    }

    /** Locks a partition; false if another member has it. */
    public boolean lock(PartitionRef partition) throws TalosClientException {
        return !isMember || isLocked(partition);
    }

    private boolean isLocked(PartitionRef partition) throws TalosClientException {
        return call("lockPartition", new LockPartitionRequest(unit(partition)), LockPartitionResponse::new)
                .getSuccessPartitions()
                .contains(partition.number());
    }

    /**
     * Releases the lock of a partition. The member stays in the group. Waits for a renewal in progress: a server may
     * get the two in any order, and a renewal locks free partitions.
     *
     * @param forget makes the next renewals omit the partition
     */
    public void unlock(PartitionRef partition, Runnable forget) throws TalosClientException {
        renewing.lock();
        try {
            forget.run();
        } finally {
            renewing.unlock();
        }
        if (!isMember) {
            return;
        }
        var unused = calls.await(new RemoteCall<>(
                Service.CONSUMER,
                "unlockPartition",
                deadline -> new UnlockPartitionRequest(unit(partition)).setStaysMember(true),
                () -> null,
                Effect.REPEATABLE,
                Optional.empty(),
                (TBase<?, ?> answer) -> false));
    }

    /**
     * Renews the member's registration and its locks.
     *
     * @param topics all topics that the member reads, including those without a lock
     * @param partitions called when no release is in progress
     * @param within time in which the call is made: a late renewal is worthless. A try has half of it, so that there is
     *     time for another server when one hangs
     */
    public Renewal renew(Collection<TopicRef> topics, Supplier<Set<PartitionRef>> partitions, Duration within)
            throws TalosClientException {
        renewing.lock();
        try {
            Map<String, List<Integer>> locked = new HashMap<>();
            topics.forEach(each -> locked.put(each.resourceName(), new ArrayList<>()));
            for (PartitionRef each : partitions.get()) { // locks of a deleted topic are renewed until released
                locked.computeIfAbsent(each.resourceName(), name -> new ArrayList<>())
                        .add(each.number());
            }
            return locked.size() == 1 && topics.size() == 1
                    ? renewOne(topics.iterator().next(), locked, within)
                    : renewAll(locked, within);
        } finally {
            renewing.unlock();
        }
    }

    private Renewal renewOne(TopicRef topic, Map<String, List<Integer>> locked, Duration within)
            throws TalosClientException {
        RenewRequest asked =
                new RenewRequest(unit(topic.resourceName(), locked.getOrDefault(topic.resourceName(), List.of())));
        RenewResponse answer = within("renew", asked, RenewResponse::new, within);
        return new Renewal(
                answer.isHeartbeatSuccess(),
                answer.getFailedPartitionList().stream().map(topic::partition).collect(Collectors.toUnmodifiableSet()));
    }

    private Renewal renewAll(Map<String, List<Integer>> locked, Duration within) throws TalosClientException {
        if (locked.isEmpty()) {
            return new Renewal(true, Set.of());
        }
        TopicsRenewRequest asked = new TopicsRenewRequest(new TopicsConsumeUnit(group, locked, member, NO_TOPIC_GROUP));
        TopicsRenewResponse answer = within("renewForTopics", asked, TopicsRenewResponse::new, within);
        return new Renewal(
                answer.isHeartbeatSuccess() || answer.isRecorded(),
                answer.getFailedPartitionList().stream().map(PartitionRef::of).collect(Collectors.toUnmodifiableSet()));
    }

    private <R extends TBase<?, ?>> R within(String method, TBase<?, ?> request, Supplier<R> result, Duration within)
            throws TalosClientException {
        RemoteCall<R> asked = RemoteCall.of(Service.CONSUMER, method, request, result, Effect.REPEATABLE);
        try {
            R answer = calls.runtime().get(calls.send(asked, within, within.dividedBy(2)));
            if (answer == null) {
                throw new UnknownOutcomeException("MALFORMED", false, "MALFORMED: an answer without a result", null);
            }
            answered();
            return answer;
        } catch (ExecutionException e) {
            throw ClientCalls.failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RetriableException("INTERRUPTED", "INTERRUPTED: while it renewed", e);
        }
    }

    /** Returns the next offset that the group reads; empty if it has committed nothing. */
    public OptionalLong committed(PartitionRef partition) throws TalosClientException {
        QueryOffsetRequest asked = new QueryOffsetRequest(group, partition.toThrift());
        QueryOffsetResponse answer = read("queryOffset", asked, QueryOffsetResponse::new);
        long last = answer.getMsgOffset();
        return last < 0 && !answer.isCommitted() ? OptionalLong.empty() : OptionalLong.of(last + 1);
    }

    /**
     * Commits the last processed offset of a partition, unless the group is further already.
     *
     * @return false if another member holds the partition's lock, or this one does not
     */
    public boolean commit(PartitionRef partition, long last) throws TalosClientException {
        UpdateOffsetResponse answer = update(checkpoint(partition, last).setOnlyForward(true));
        return answer.isSuccess() || (answer.isSetLockLost() && !answer.isLockLost());
    }

    /** The outcome of a move of the group's offset. */
    public enum Moved {
        /** The group continues there. */
        DONE,
        /** This member does not hold the partition's lock. */
        LOCK_LOST,
        /** The group is at another offset by now. */
        NOT_THERE,
        /** An older server cannot store that a group continues with the very first message. */
        NOT_TAKEN
    }

    /**
     * Moves the group to another offset of a partition, forward or back.
     *
     * @param from the next offset that the group reads now; empty if it has committed nothing
     */
    public Moved move(PartitionRef partition, OptionalLong from, long next) throws TalosClientException {
        return isMember || next > from.orElse(0) ? moved(partition, from, next) : movedUnderLock(partition, from, next);
    }

    /**
     * Moves the group back without membership. Servers allow this only to the holder of the lock, so the reader takes
     * the lock for this move only. A reader that requests a lock is a member until it leaves.
     */
    private Moved movedUnderLock(PartitionRef partition, OptionalLong from, long next) throws TalosClientException {
        TopicRef topic = new TopicRef(partition.topic(), partition.resourceName(), partition.number() + 1);
        boolean isTaken = members(List.of(topic)).values().stream().anyMatch(each -> each.contains(partition));
        if (isTaken) { // requesting the lock would make the members share their partitions again
            return Moved.LOCK_LOST;
        }
        try {
            return isLocked(partition) ? moved(partition, from, next) : Moved.LOCK_LOST;
        } finally {
            leaveAgain(topic);
        }
    }

    private void leaveAgain(TopicRef topic) {
        try {
            leave(topic, calls.deadline());
        } catch (TalosClientException e) {
            LOG.warn("lock release failed, it will expire topic={} code={}", topic.name(), e.code(), e);
        }
    }

    private Moved moved(PartitionRef partition, OptionalLong from, long next) throws TalosClientException {
        UpdateOffsetResponse answer = update(checkpoint(partition, next - 1).setLastCommitOffset(from.orElse(0) - 1));
        if (answer.isSuccess()) {
            return Moved.DONE;
        }
        if (!answer.isSetLockLost()) {
            return next == 0 ? Moved.NOT_TAKEN : Moved.LOCK_LOST;
        }
        return answer.isLockLost() ? Moved.LOCK_LOST : Moved.NOT_THERE;
    }

    private CheckPoint checkpoint(PartitionRef partition, long last) {
        return new CheckPoint(group, partition.toThrift(), last, member);
    }

    private UpdateOffsetResponse update(CheckPoint checkpoint) throws TalosClientException {
        return call("updateOffset", new UpdateOffsetRequest(checkpoint), UpdateOffsetResponse::new);
    }

    /**
     * Ends this member, which has no lock any more, so that the other members need not wait until it expires. No other
     * call of this member may be in progress: a late call would make it a member again. If a topic refuses the call for
     * good, the member still leaves the other topics.
     */
    public void leave(Collection<TopicRef> topics, Duration within) throws TalosClientException {
        if (!isMember) {
            return;
        }
        @Nullable FatalException refusal = null;
        for (TopicRef topic : topics) {
            try {
                leave(topic, within);
            } catch (FatalException e) {
                refusal = e;
            }
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    private void leave(TopicRef topic, Duration within) throws TalosClientException {
        LeaveGroupRequest asked =
                new LeaveGroupRequest(group, new TopicTalosResourceName(topic.resourceName()), member);
        try {
            var unused = calls.runtime()
                    .get(calls.send(
                            new RemoteCall<>(
                                    Service.ADMIN,
                                    "leaveGroup",
                                    deadline -> asked,
                                    () -> null,
                                    Effect.REPEATABLE,
                                    Optional.empty(),
                                    (TBase<?, ?> answer) -> false),
                            within));
        } catch (ExecutionException e) {
            throw ClientCalls.failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RetriableException("INTERRUPTED", "INTERRUPTED: while it left", e);
        }
    }

    /** One past the offset of the newest message. */
    public long end(PartitionRef partition) throws TalosClientException {
        return offsets(partition).getEndOffset() + 1;
    }

    /** Returns the offset of the oldest message; 0 if there has never been one. */
    public long start(PartitionRef partition) throws TalosClientException {
        return Math.max(0, offsets(partition).getStartOffset());
    }

    private OffsetInfo offsets(PartitionRef partition) throws TalosClientException {
        GetPartitionOffsetRequest asked = new GetPartitionOffsetRequest(partition.toThrift());
        return calls.call(Service.MESSAGE, "getPartitionOffset", asked, new GetPartitionOffsetResponse(), Effect.NONE)
                .getOffsetInfo();
    }

    /** Returns the offset of the first message that was appended at a time or later; the end if there is none. */
    public long at(PartitionRef partition, Instant time) throws TalosClientException {
        GetPartitionCheckpointRequest asked =
                new GetPartitionCheckpointRequest(partition.toThrift(), time.toEpochMilli());
        return calls.call(
                        Service.MESSAGE,
                        "getPartitionCheckpoint",
                        asked,
                        new GetPartitionCheckpointResponse(),
                        Effect.NONE)
                .getPartitionCheckPoint();
    }
}

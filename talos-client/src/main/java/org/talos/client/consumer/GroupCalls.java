// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.thrift.TBase;
import org.talos.client.ClientCalls;
import org.talos.client.RetriableException;
import org.talos.client.TalosClientException;
import org.talos.client.UnknownOutcomeException;
import org.talos.client.transport.RemoteCall;
import org.talos.client.transport.Service;
import org.talos.client.transport.TopicPartition;
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
import org.talos.thrift.UnlockPartitionRequest;
import org.talos.thrift.UpdateOffsetRequest;
import org.talos.thrift.UpdateOffsetResponse;

/**
 * Makes the calls of the group protocol for one member, and waits for their answers. All calls are repeatable: each
 * states the wanted state, not a change.
 *
 * <p>Thread-safe.
 */
final class GroupCalls {
    private final ClientCalls calls;
    private final String topic;
    private final String resourceName;
    private final String group;
    private final String member;
    private final ReentrantLock renewing = new ReentrantLock();

    GroupCalls(ClientCalls calls, String topic, String resourceName, String group, String member) {
        this.calls = calls;
        this.topic = topic;
        this.resourceName = resourceName;
        this.group = group;
        this.member = member;
    }

    /**
     * The answer to a renewal. Immutable.
     *
     * @param alive whether the server recorded the member's heartbeat
     * @param lost partitions that other members have locked
     */
    record Renewal(boolean alive, Set<Integer> lost) {}

    private <R extends TBase<?, ?>> R call(String method, TBase<?, ?> request, Supplier<R> result)
            throws TalosClientException {
        return calls.result(RemoteCall.of(Service.CONSUMER, method, request, result, true));
    }

    private ConsumeUnit unit(Collection<Integer> partitions) {
        return new ConsumeUnit(group, new TopicTalosResourceName(resourceName), List.copyOf(partitions), member);
    }

    TopicPartition partition(int partition) {
        return new TopicPartition(topic, resourceName, partition);
    }

    /** Registers the member with its group. */
    void register() throws TalosClientException {
        LockWorkerResponse answer = call("lockWorker", new LockWorkerRequest(unit(List.of())), LockWorkerResponse::new);
        if (!answer.isRegisterSuccess()) {
            throw new RetriableException("TOO_MANY_CONSUMER", "TOO_MANY_CONSUMER: the group takes no more", null);
        }
    }

    /** The live members of the group, each with the partitions that it has locked. */
    Map<String, List<Integer>> members() throws TalosClientException {
        QueryWorkerRequest asked = new QueryWorkerRequest(group, new TopicTalosResourceName(resourceName));
        return call("queryWorker", asked, QueryWorkerResponse::new).getWorkerMap();
    }

    /** Locks a partition; false if another member has it. */
    boolean lock(int partition) throws TalosClientException {
        LockPartitionRequest asked = new LockPartitionRequest(unit(List.of(partition)));
        return call("lockPartition", asked, LockPartitionResponse::new)
                .getSuccessPartitions()
                .contains(partition);
    }

    /**
     * Releases the lock of a partition. Waits for a renewal that is under way: a server may get the two in any order,
     * and a renewal locks what is free.
     *
     * @param forget has the next renewals name the partition no more
     */
    void unlock(int partition, Runnable forget) throws TalosClientException {
        renewing.lock();
        try {
            forget.run();
        } finally {
            renewing.unlock();
        }
        var unused = calls.await(new RemoteCall<>(
                Service.CONSUMER,
                "unlockPartition",
                deadline -> new UnlockPartitionRequest(unit(List.of(partition))),
                () -> null,
                true,
                Optional.empty(),
                (TBase<?, ?> answer) -> false));
    }

    /**
     * Renews the member's registration and its locks.
     *
     * @param partitions asked when no release is under way
     * @param within time in which the call is made: a late renewal is worthless. A try has half of it, so that there is
     *     time for another server when one hangs
     */
    Renewal renew(Supplier<Set<Integer>> partitions, Duration within) throws TalosClientException {
        renewing.lock();
        try {
            return renewed(partitions.get(), within);
        } finally {
            renewing.unlock();
        }
    }

    private Renewal renewed(Set<Integer> partitions, Duration within) throws TalosClientException {
        RemoteCall<RenewResponse> asked =
                RemoteCall.of(Service.CONSUMER, "renew", new RenewRequest(unit(partitions)), RenewResponse::new, true);
        try {
            RenewResponse answer =
                    calls.send(asked, within, within.dividedBy(2)).get();
            if (answer == null) {
                throw new UnknownOutcomeException("MALFORMED", false, "MALFORMED: an answer without a result", null);
            }
            return new Renewal(answer.isHeartbeatSuccess(), Set.copyOf(answer.getFailedPartitionList()));
        } catch (ExecutionException e) {
            throw ClientCalls.failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RetriableException("INTERRUPTED", "INTERRUPTED: while it renewed", e);
        }
    }

    /** The next offset that the group reads; empty if it has committed nothing. */
    OptionalLong committed(int partition) throws TalosClientException {
        QueryOffsetRequest asked =
                new QueryOffsetRequest(group, partition(partition).toThrift());
        QueryOffsetResponse answer = call("queryOffset", asked, QueryOffsetResponse::new);
        long last = answer.getMsgOffset();
        return last < 0 && !answer.isCommitted() ? OptionalLong.empty() : OptionalLong.of(last + 1);
    }

    /**
     * Commits the last processed offset of a partition, unless the group is further already.
     *
     * @return false if this member does not hold the partition's lock
     */
    boolean commit(int partition, long last) throws TalosClientException {
        UpdateOffsetResponse answer = update(checkpoint(partition, last).setOnlyForward(true));
        return answer.isSuccess() || (answer.isSetLockLost() && !answer.isLockLost());
    }

    /** What became of a move of the group's offset. */
    enum Moved {
        DONE,
        /** This member does not hold the partition's lock. */
        LOCK_LOST,
        /** The group is elsewhere by now. */
        NOT_THERE,
        /** An older server can't store that a group goes on with the first message of all. */
        NOT_TAKEN
    }

    /**
     * Has the group go on at another offset of a partition, forward or back.
     *
     * @param from the next offset that the group reads now; empty if it has committed nothing
     */
    Moved move(int partition, OptionalLong from, long next) throws TalosClientException {
        UpdateOffsetResponse answer = update(checkpoint(partition, next - 1).setLastCommitOffset(from.orElse(0) - 1));
        if (answer.isSuccess()) {
            return Moved.DONE;
        }
        if (!answer.isSetLockLost()) {
            return next == 0 ? Moved.NOT_TAKEN : Moved.LOCK_LOST;
        }
        return answer.isLockLost() ? Moved.LOCK_LOST : Moved.NOT_THERE;
    }

    private CheckPoint checkpoint(int partition, long last) {
        return new CheckPoint(group, partition(partition).toThrift(), last, member);
    }

    private UpdateOffsetResponse update(CheckPoint checkpoint) throws TalosClientException {
        return call("updateOffset", new UpdateOffsetRequest(checkpoint), UpdateOffsetResponse::new);
    }

    /**
     * Ends this member, which has no lock any more, so that the others need not wait for its time to be over. No other
     * call of it may be under way: a late one would make it a member again.
     */
    void leave(Duration within) throws TalosClientException {
        LeaveGroupRequest asked = new LeaveGroupRequest(group, new TopicTalosResourceName(resourceName), member);
        try {
            var unused = calls.send(
                            new RemoteCall<>(
                                    Service.ADMIN,
                                    "leaveGroup",
                                    deadline -> asked,
                                    () -> null,
                                    true,
                                    Optional.empty(),
                                    (TBase<?, ?> answer) -> false),
                            within)
                    .get();
        } catch (ExecutionException e) {
            throw ClientCalls.failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RetriableException("INTERRUPTED", "INTERRUPTED: while it left", e);
        }
    }

    /** One past the offset of the newest message. */
    long end(int partition) throws TalosClientException {
        return offsets(partition).getEndOffset() + 1;
    }

    /** The offset of the oldest message; 0 if there has never been one. */
    long start(int partition) throws TalosClientException {
        return Math.max(0, offsets(partition).getStartOffset());
    }

    private OffsetInfo offsets(int partition) throws TalosClientException {
        GetPartitionOffsetRequest asked =
                new GetPartitionOffsetRequest(partition(partition).toThrift());
        return calls.call(Service.MESSAGE, "getPartitionOffset", asked, new GetPartitionOffsetResponse(), true)
                .getOffsetInfo();
    }

    /** The offset of the first message that was appended at a time or later; the end if there is none. */
    long at(int partition, Instant time) throws TalosClientException {
        GetPartitionCheckpointRequest asked =
                new GetPartitionCheckpointRequest(partition(partition).toThrift(), time.toEpochMilli());
        return calls.call(Service.MESSAGE, "getPartitionCheckpoint", asked, new GetPartitionCheckpointResponse(), true)
                .getPartitionCheckPoint();
    }
}

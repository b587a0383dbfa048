// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Principal;
import org.talos.server.config.ServiceConfig;
import org.talos.server.log.LogFailures;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.RowText;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.server.service.call.AnswerMemory;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.TopicLookup;
import org.talos.thrift.CheckPoint;
import org.talos.thrift.CheckRegisterRequest;
import org.talos.thrift.CheckRegisterResponse;
import org.talos.thrift.ConsumeUnit;
import org.talos.thrift.ConsumerGroupAndPartition;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetWorkerIdRequest;
import org.talos.thrift.GetWorkerIdResponse;
import org.talos.thrift.LeaveGroupRequest;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockPartitionResponse;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.LockWorkerResponse;
import org.talos.thrift.QueryOffsetRequest;
import org.talos.thrift.QueryOffsetResponse;
import org.talos.thrift.QueryOrgOffsetRequest;
import org.talos.thrift.QueryOrgOffsetResponse;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.QueryWorkerResponse;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.RenewResponse;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UnlockPartitionRequest;
import org.talos.thrift.UpdateOffsetRequest;
import org.talos.thrift.UpdateOffsetResponse;

/**
 * The calls of consumer groups on one topic: workers, locks, offsets. All need GET_MESSAGE, and a right on the group.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class ConsumerCalls {
    /** Far more than a topic has, and few enough for one step on a group's row. */
    private static final int MAX_LISTED_PARTITIONS = 1_024;

    private final TopicDirectory directory;
    private final GroupLookup lookup;
    private final GroupRows rows;
    private final GroupOffsets committed;
    private final int maxWorkers;
    private final InstantSource clock;
    private final BooleanSupplier connected;

    /**
     * Creates the calls over these rows.
     *
     * @param connected whether this server is one of those that serve now
     * @param users resolves users, as far as they are known
     */
    public ConsumerCalls(
            TopicDirectory directory,
            GroupRows rows,
            GroupOffsets committed,
            ServiceConfig config,
            InstantSource clock,
            BooleanSupplier connected,
            Function<String, Optional<Principal>> users) {
        this.directory = directory;
        this.lookup = new GroupLookup(new TopicLookup(directory), users);
        this.rows = rows;
        this.committed = committed;
        this.maxWorkers = config.maxMembersPerGroup();
        this.clock = clock;
        this.connected = connected;
    }

    /** Registers a worker of a group. */
    public LockWorkerResponse lockWorker(Caller caller, LockWorkerRequest request) throws MetadataException {
        ConsumeUnit unit = request.getConsumeUnit();
        register(readable(caller, unit), unit.getWorkerId());
        return new LockWorkerResponse(true);
    }

    /** Registers a worker. A full group is refused by an exception: the answer false makes Go clients panic. */
    void register(GroupAccess access, String worker) throws MetadataException {
        boolean registered = rows.change(access, membership -> {
            membership.use(access, worker);
            return membership.register(worker, maxWorkers);
        });
        if (!registered) {
            throw tooMany();
        }
    }

    /** Refuses a caller who may not use the group as the worker. */
    void requireMayUse(GroupAccess access, String worker) throws MetadataException {
        rows.read(access, Right.COMMIT).requireWorker(access, worker);
    }

    private TalosException tooMany() {
        return TalosException.refused(
                ErrorCode.TOO_MANY_CONSUMER, "the group has " + maxWorkers + " workers on this topic already");
    }

    /** Returns whether a worker is registered, or the group has room for it. */
    public CheckRegisterResponse checkRegister(Caller caller, CheckRegisterRequest request) throws MetadataException {
        ConsumeUnit unit = request.getConsumeUnit();
        return new CheckRegisterResponse(
                rows.read(readable(caller, unit), Right.COMMIT).hasRoomFor(unit.getWorkerId(), maxWorkers));
    }

    /** Locks partitions for a worker; returns those that it holds and those that others hold. */
    public LockPartitionResponse lockPartition(Caller caller, LockPartitionRequest request) throws MetadataException {
        ConsumeUnit unit = request.getConsumeUnit();
        GroupAccess access = readable(caller, unit);
        for (int partition : unit.getPartitionIdList()) {
            requirePartition(access.topic(), partition);
        }
        GroupMembership.Locked locked = rows.change(access, membership -> {
            membership.use(access, unit.getWorkerId());
            if (!membership.hasRoomFor(unit.getWorkerId(), maxWorkers)) {
                throw tooMany();
            }
            return membership.lock(unit.getWorkerId(), unit.getPartitionIdList());
        });
        return new LockPartitionResponse(locked.held(), locked.foreign());
    }

    /**
     * Releases a worker's locks of partitions, and ends the worker with the last of them unless it says that it stays.
     */
    public void unlockPartition(Caller caller, UnlockPartitionRequest request) throws MetadataException {
        ConsumeUnit unit = request.getConsumeUnit();
        GroupAccess access = readable(caller, unit);
        rows.change(access, membership -> {
            membership.requireWorker(access, unit.getWorkerId());
            membership.unlock(unit.getWorkerId(), unit.getPartitionIdList(), request.isStaysMember());
            return true;
        });
    }

    /** Removes a worker and releases its locks; may be repeated. */
    public void leaveGroup(Caller caller, LeaveGroupRequest request) throws MetadataException {
        requireWorker(request.getWorkerId());
        GroupAccess access = readable(caller, request.getTopicTalosResourceName(), request.getConsumerGroup());
        rows.change(access, membership -> {
            membership.requireWorker(access, request.getWorkerId());
            membership.leave(request.getWorkerId());
            return true;
        });
    }

    /** Renews a worker's locks; returns the partitions that it has lost. */
    public RenewResponse renew(Caller caller, RenewRequest request) throws MetadataException {
        ConsumeUnit unit = request.getConsumeUnit();
        GroupMembership.Renewed renewed = renew(readable(caller, unit), unit.getWorkerId(), unit.getPartitionIdList());
        return new RenewResponse(renewed.member(), renewed.lost());
    }

    /**
     * Renews a worker's locks of one topic. A worker that has expired may find the group full: the answer makes it give
     * up everything, and it comes back with a later renewal once there is room.
     */
    GroupMembership.Renewed renew(GroupAccess access, String worker, List<Integer> partitions)
            throws MetadataException {
        if (rows.isRenewed(access, worker, partitions)) {
            return new GroupMembership.Renewed(true, List.of(), List.of());
        }
        return rows.renew(access, worker, membership -> {
            membership.use(access, worker);
            return membership.hasRoomFor(worker, maxWorkers)
                    ? membership.renew(worker, partitions, access.topic().partitions())
                    : new GroupMembership.Renewed(false, partitions, List.of());
        });
    }

    /** Returns the live workers of a group and the partitions of each. */
    public QueryWorkerResponse queryWorker(Caller caller, QueryWorkerRequest request) throws MetadataException {
        return new QueryWorkerResponse(members(
                readable(caller, request.getTopicTalosResourceName(), request.getConsumerGroup()), caller.memory()));
    }

    /** Returns the live members, in memory for an answer with all their partitions. */
    SortedMap<String, List<Integer>> members(GroupAccess access, AnswerMemory memory) throws MetadataException {
        SortedMap<String, List<Integer>> members = rows.members(access);
        memory.reserve(members.keySet(), name -> AnswerMemory.row(name.length()), AnswerMemory.LESS);
        memory.reserve(access.topic().partitions()
                * AnswerMemory.row(access.topic().resourceName().length()));
        return members;
    }

    /** Returns the worker that holds a partition. */
    public GetWorkerIdResponse getWorkerId(Caller caller, GetWorkerIdRequest request) throws MetadataException {
        GroupAccess access =
                lookup.byPartition(request.getTopicAndPartition(), request.getConsumerGroup(), caller.principal());
        return new GetWorkerIdResponse(rows.read(access, Right.READ)
                .holder(request.getTopicAndPartition().getPartitionId())
                .orElseThrow(() -> TalosException.refused(
                        ErrorCode.CONSUMER_NOT_EXIST, "no worker of the group holds the partition")));
    }

    /** Returns the committed offset of a group in a partition. */
    public QueryOffsetResponse queryOffset(Caller caller, QueryOffsetRequest request) throws MetadataException {
        GroupAccess access =
                lookup.byPartition(request.getTopicAndPartition(), request.getConsumerGroup(), caller.principal());
        var unused = rows.read(access, Right.READ);
        int partition = request.getTopicAndPartition().getPartitionId();
        Optional<CommittedOffset> stored = committed.find(access.topic(), access.group(), partition);
        long offset = stored.map(CommittedOffset::offset).orElse(CommitRule.NO_OFFSET);
        QueryOffsetResponse answer = new QueryOffsetResponse(offset);
        return offset < 0 ? answer.setCommitted(stored.isPresent()) : answer;
    }

    /** Commits if {@link CommitRule} allows it; otherwise the answer has the reason. */
    public UpdateOffsetResponse updateOffset(Caller caller, UpdateOffsetRequest request) throws MetadataException {
        CheckPoint checkpoint = request.getCheckpoint();
        GroupAccess access = lookup.byPartition(
                checkpoint.getTopicAndPartition(), checkpoint.getConsumerGroup(), caller.principal());
        requireWorker(checkpoint.getWorkerId());
        if (!connected.getAsBoolean()) {
            throw LogFailures.notServing();
        }
        CommitRule.Verdict verdict = commit(access, checkpoint);
        UpdateOffsetResponse answer = new UpdateOffsetResponse(verdict == CommitRule.Verdict.STORED);
        return answer.isSuccess() ? answer : answer.setLockLost(verdict == CommitRule.Verdict.LOCK_LOST);
    }

    /** The row with the group's owner also has the partition's holder: the check costs no further read. */
    private CommitRule.Verdict commit(GroupAccess access, CheckPoint checkpoint) throws MetadataException {
        int partition = checkpoint.getTopicAndPartition().getPartitionId();
        AtomicReference<CommitRule.Verdict> last = new AtomicReference<>(CommitRule.Verdict.NOT_EXPECTED);
        committed.change(access.topic(), access.group(), partition, stored -> {
            Optional<String> holder = rows.change(access, membership -> {
                membership.use(access, checkpoint.getWorkerId());
                return membership.holder(partition);
            });
            CommitRule.Verdict verdict = CommitRule.of(checkpoint, stored, holder);
            last.set(verdict);
            return verdict == CommitRule.Verdict.STORED
                    ? Optional.of(
                            new CommittedOffset(checkpoint.getMsgOffset(), checkpoint.getWorkerId(), clock.millis()))
                    : Optional.empty();
        });
        return Objects.requireNonNull(last.get());
    }

    /**
     * Returns the committed offsets on topics that an org owns or that were opened to it; for its members and admins.
     *
     * @throws TalosException REQUEST_PROCESS_TIMEOUT: the call's deadline passed while they were read
     */
    public QueryOrgOffsetResponse queryOrgOffset(Caller caller, QueryOrgOffsetRequest request)
            throws MetadataException {
        String org = request.getOrgId();
        caller.principal().requireRightToAct();
        if (!caller.principal().admin() && !caller.principal().identifiers().contains(org)) {
            throw TalosException.refused(ErrorCode.PERMISSION_DENIED_ERROR, "this is for members of the org");
        }
        Map<ConsumerGroupAndPartition, Long> found = new HashMap<>();
        for (TopicRecord topic : directory.all()) {
            if (isOf(topic, org)) {
                addOffsets(topic, request.getConsumerGroupPrefix(), caller, found);
            }
        }
        return new QueryOrgOffsetResponse(found);
    }

    private void addOffsets(TopicRecord topic, String prefix, Caller caller, Map<ConsumerGroupAndPartition, Long> found)
            throws MetadataException {
        TopicTalosResourceName name = new TopicTalosResourceName(topic.resourceName());
        for (String group : committed.groups(topic)) {
            caller.deadline().require("the offsets were read: name a longer prefix");
            if (group.startsWith(prefix) && maySee(lookup.of(topic, group, caller.principal()))) {
                SortedMap<Integer, CommittedOffset> rows = committed.list(topic, group);
                int characters =
                        group.length() + name.getTopicTalosResourceName().length();
                caller.memory().reserve(rows.size() * AnswerMemory.row(characters), "name a longer prefix");
                rows.forEach((partition, row) ->
                        found.put(new ConsumerGroupAndPartition(group, name, partition), row.offset()));
            }
        }
    }

    private boolean maySee(GroupAccess access) throws MetadataException {
        return rows.read(access.topic(), access.group()).allows(access, Right.READ);
    }

    private static boolean isOf(TopicRecord topic, String org) {
        return topic.owner().equals(org)
                || topic.subResources().stream()
                        .anyMatch(opened -> opened.orgId().equals(org));
    }

    /** Deletes a group without live workers, with its offsets. It stays its owner's until they are gone. */
    public void deleteConsumerGroup(Caller caller, String group, TopicTalosResourceName name) throws MetadataException {
        GroupAccess access = readable(caller, name, group);
        TopicRecord topic = access.topic();
        if (!rows.exists(topic, group) && committed.list(topic, group).isEmpty()) {
            throw TalosException.refused(ErrorCode.CONSUMER_NOT_EXIST, "the topic has no such group");
        }
        if (!deleteOffsets(access)) {
            deleteOtherOffsets(access);
        }
        forget(access);
    }

    /**
     * Deletes the offsets of a group without live workers; returns false if some have changed in the meantime. They are
     * read before the check for live workers: a worker that registers after the check keeps its commits.
     */
    private boolean deleteOffsets(GroupAccess access) throws MetadataException {
        Offsets.Committed read = committed.versions(access.topic(), access.group());
        boolean working = rows.change(access, membership -> {
            membership.require(access, Right.ADMINISTER);
            return membership.isWorking();
        });
        if (working) {
            throw TalosException.refused(ErrorCode.CONSUMER_GROUP_STILL_WORKING, "a worker of the group is alive");
        }
        return committed.delete(read);
    }

    /** Continues a deletion during which offsets have changed. */
    private void deleteOtherOffsets(GroupAccess access) {
        try {
            for (int attempt = 0; attempt < GroupRows.MAX_TRIES; attempt++) {
                if (deleteOffsets(access)) {
                    return;
                }
            }
            throw GroupRows.tooManyTries();
        } catch (MetadataException | TalosException e) {
            throw Failures.partly(e);
        }
    }

    private void forget(GroupAccess access) {
        try {
            rows.change(access, membership -> {
                membership.dissolve();
                return true;
            });
        } catch (MetadataException | TalosException e) {
            throw Failures.partly(e);
        }
    }

    private GroupAccess readable(Caller caller, ConsumeUnit unit) {
        requireWorker(unit.getWorkerId());
        requireFew(unit.getPartitionIdList());
        return readable(caller, unit.getTopicTalosResourceName(), unit.getConsumerGroup());
    }

    /** Returns the group on a topic that the caller may read. */
    GroupAccess readable(Caller caller, TopicTalosResourceName name, String group) {
        return lookup.byResourceName(name, group, caller.principal());
    }

    static void requireWorker(String worker) {
        if (worker.isBlank() || !MemberId.fits(worker)) {
            throw TalosException.refused(
                    ErrorCode.INVALID_NAME_ERROR,
                    "workerId: " + RowText.bytes(worker) + " bytes as JSON (expected: 1.." + MemberId.MAX_BYTES
                            + ", and not blank): choose a shorter one of letters, digits, - and _");
        }
    }

    static void requireFew(List<Integer> partitions) {
        if (partitions.size() > MAX_LISTED_PARTITIONS) {
            throw TalosException.refused(
                    ErrorCode.INVALID_TOPIC_PARAMS,
                    "partitionIdList: " + partitions.size() + " partitions (expected: at most " + MAX_LISTED_PARTITIONS
                            + ")");
        }
    }

    private static void requirePartition(TopicRecord topic, int partition) {
        if (partition < 0 || partition >= topic.partitions()) {
            throw TalosException.refused(
                    ErrorCode.PARTITION_NOT_EXIST,
                    "partition " + partition + " (expected: 0.." + (topic.partitions() - 1) + ")");
        }
    }
}

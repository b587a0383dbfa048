// SPDX-License-Identifier: Apache-2.0
package org.talos.client.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.message.MalformedBlockException;
import org.talos.server.auth.Principal;
import org.talos.server.cluster.ClusterClock;
import org.talos.server.config.ServiceConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.cache.RememberedGroups;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.service.call.AnswerMemory;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.DiskRoom;
import org.talos.server.service.group.ConsumerCalls;
import org.talos.server.service.group.GroupOffsets;
import org.talos.server.service.group.GroupRows;
import org.talos.server.service.group.RowWrites;
import org.talos.server.simulation.MemoryRows;
import org.talos.server.testing.AmpleMemory;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.GetPartitionOffsetRequest;
import org.talos.thrift.GetPartitionOffsetResponse;
import org.talos.thrift.GetScheduleInfoResponse;
import org.talos.thrift.GetTopicAttributeResponse;
import org.talos.thrift.LeaveGroupRequest;
import org.talos.thrift.LockPartitionRequest;
import org.talos.thrift.LockWorkerRequest;
import org.talos.thrift.OffsetInfo;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;
import org.talos.thrift.QueryOffsetRequest;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.RenewRequest;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicTalosResourceName;
import org.talos.thrift.UnlockPartitionRequest;
import org.talos.thrift.UpdateOffsetRequest;

/**
 * Two servers with one topic: the calls of groups are the server's own over rows in memory, the partitions are lists,
 * each served by one of the two.
 *
 * <p>Confined: as {@link Turns}.
 */
public final class ModelServers implements InstantSource {
    /** The group of all members. */
    static final String GROUP = "group";

    static final String TOPIC = "orders";
    static final Duration TTL = Duration.ofSeconds(30);

    private static final Caller CALLER = new Caller(
            new Principal("u", "AKu", false, false, Set.of("u"), Principal.Memberships.NONE, null),
            "test",
            new AnswerMemory(AmpleMemory.ofRequest()));
    private static final ServiceConfig CONFIG = TestConfig.of(ServiceConfig.class)
            .with("maxGetMessages", 1_000)
            .with("maxGetBytes", 1 << 20)
            .with("memberTtl", TTL)
            .with("maxMembersPerGroup", 100)
            .with("maxGroupsPerUser", 100)
            .with("checkBlocks", true)
            .with("partitionChangeInterval", Duration.ofMinutes(5))
            .with("shutdownGrace", Duration.ofSeconds(1))
            .create();
    private static final DiskRoom ROOM = new DiskRoom(DiskSpace.none());
    private static final long POLL_NANOS = Duration.ofSeconds(1).toNanos();

    private final Turns turns;
    private final TopicRecord topic;
    private final Offsets offsets;
    private final ConsumerCalls consumers;
    private final List<ModelPartition> partitions = new ArrayList<>();
    private final Map<String, Handler> handlers = new HashMap<>();
    private final Commits commits;

    /** Takes the answer of a call. Confined: as the servers. */
    public interface Answer {
        /** The call succeeded. */
        void result(@Nullable TBase<?, ?> answer);

        /** The call was refused, or failed. */
        void failure(TalosException refused);
    }

    /** Is notified of what is committed. Confined: as the servers. */
    interface Commits {
        /** A member's commit was stored, in place of another or of none. */
        void stored(int partition, String member, Optional<Long> before, long next);
    }

    /** Makes a call. Confined: as the servers. */
    private interface Handler {
        @Nullable
        TBase<?, ?> handle(TBase<?, ?> request) throws Exception;
    }

    ModelServers(Turns turns, int partitions, Commits commits) throws MetadataException {
        this.turns = turns;
        this.commits = commits;
        MetadataStore store = new MemoryRows().view(MemoryRows.Faults.NONE);
        topic = new TopicRecord(
                TOPIC,
                "0".repeat(32),
                "u",
                partitions,
                partitions,
                3_600,
                Map.of(),
                Map.of(),
                1,
                0,
                null,
                null,
                List.of());
        TopicDirectory directory = TopicDirectory.load(new Topics(store));
        boolean created = directory.create(topic);
        if (!created) {
            throw new IllegalStateException("no topic");
        }
        offsets = new Offsets(store);
        consumers = new ConsumerCalls(
                directory,
                groupRows(store, directory),
                new GroupOffsets(directory, offsets, ROOM),
                CONFIG,
                this,
                () -> true,
                user -> Optional.empty());
        for (int i = 0; i < partitions; i++) {
            this.partitions.add(new ModelPartition());
        }
        addGroupCalls();
    }

    private GroupRows groupRows(MetadataStore store, TopicDirectory directory) {
        ClusterClock clock = ClusterClock.own(this);
        return new GroupRows(
                directory,
                new Groups(store),
                GroupRows.Bounds.of(CONFIG),
                ROOM,
                clock,
                new RememberedGroups(turns::nanos, clock::suspensions, clock::isCompared, CONFIG.memberTtl(), 1 << 20),
                new RowWrites(turns::nanos));
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(turns.outside().wallMillis());
    }

    /** The servers' addresses. */
    public List<String> names() {
        return List.of("a:1", "b:1");
    }

    List<ModelPartition> partitions() {
        return partitions;
    }

    private void addGroupCalls() {
        handlers.put("lockWorker", r -> consumers.lockWorker(CALLER, (LockWorkerRequest) r));
        handlers.put("lockPartition", r -> consumers.lockPartition(CALLER, (LockPartitionRequest) r));
        handlers.put("unlockPartition", r -> {
            consumers.unlockPartition(CALLER, (UnlockPartitionRequest) r);
            return null;
        });
        handlers.put("leaveGroup", r -> {
            consumers.leaveGroup(CALLER, (LeaveGroupRequest) r);
            return null;
        });
        handlers.put("renew", r -> consumers.renew(CALLER, (RenewRequest) r));
        handlers.put("queryWorker", r -> consumers.queryWorker(CALLER, (QueryWorkerRequest) r));
        handlers.put("queryOffset", r -> consumers.queryOffset(CALLER, (QueryOffsetRequest) r));
        handlers.put("updateOffset", r -> update((UpdateOffsetRequest) r));
        handlers.put("getTopicAttribute", r -> attribute());
        handlers.put(
                "getDescribeInfo",
                r -> new GetDescribeInfoResponse(new TopicTalosResourceName(topic.resourceName()), topic.partitions()));
        handlers.put("getScheduleInfo", r -> schedule());
        handlers.put("getPartitionOffset", r -> bounds((GetPartitionOffsetRequest) r));
    }

    /** Makes a call; the answer may come later. */
    public void handle(String server, String method, @Nullable TBase<?, ?> request, Answer answer) {
        try {
            if (request == null) {
                throw TalosException.refused(ErrorCode.BAD_REQUEST, "no request: " + method);
            }
            if (method.equals("getMessage")) {
                get(server, (GetMessageRequest) request, turns.nanos() + POLL_NANOS, answer);
            } else if (method.equals("putMessage")) {
                answer.result(put(server, (PutMessageRequest) request));
            } else {
                Handler handler = handlers.get(method);
                if (handler == null) {
                    throw TalosException.refused(ErrorCode.OPERATION_FAILED, "no such call: " + method);
                }
                answer.result(handler.handle(request));
            }
        } catch (TalosException e) {
            answer.failure(e);
        } catch (Exception e) {
            answer.failure(new TalosException(ErrorCode.UNEXPECTED_ERROR, Effect.UNKNOWN, "failed", e));
        }
    }

    private TBase<?, ?> update(UpdateOffsetRequest request) throws MetadataException {
        int partition = request.getCheckpoint().getTopicAndPartition().getPartitionId();
        Optional<Long> before = committed(partition);
        var answer = consumers.updateOffset(CALLER, request);
        Optional<Long> now = committed(partition);
        if (now.isPresent() && !now.equals(before)) {
            commits.stored(partition, request.getCheckpoint().getWorkerId(), before, now.get());
        }
        return answer;
    }

    /** The next offset that the group reads; empty if it has committed nothing. */
    Optional<Long> committed(int partition) throws MetadataException {
        return offsets.find(topic.topicId(), GROUP, partition)
                .map(row -> row.value().offset() + 1);
    }

    /** The members that live, each with the partitions that it has locked. */
    Map<String, List<Integer>> members() throws MetadataException {
        return consumers
                .queryWorker(CALLER, new QueryWorkerRequest(GROUP, new TopicTalosResourceName(topic.resourceName())))
                .getWorkerMap();
    }

    /** Has the group continue elsewhere, as an operator does when no member lives. */
    void reset(int partition, long next) throws MetadataException {
        Optional<Versioned<CommittedOffset>> row = offsets.find(topic.topicId(), GROUP, partition);
        var unused = offsets.save(
                topic.topicId(),
                GROUP,
                partition,
                new CommittedOffset(next - 1, "reset", millis()),
                row.map(Versioned::version).orElse(0L));
    }

    private GetTopicAttributeResponse attribute() {
        TopicAttribute attribute =
                new TopicAttribute().setPartitionNumber(topic.partitions()).setAttributes(topic.attributes());
        return new GetTopicAttributeResponse(new TopicTalosResourceName(topic.resourceName()), attribute);
    }

    private GetScheduleInfoResponse schedule() {
        Map<TopicAndPartition, String> servers = new HashMap<>();
        for (int i = 0; i < partitions.size(); i++) {
            servers.put(
                    new TopicAndPartition(TOPIC, new TopicTalosResourceName(topic.resourceName()), i),
                    partitions.get(i).server());
        }
        return new GetScheduleInfoResponse(servers);
    }

    private GetPartitionOffsetResponse bounds(GetPartitionOffsetRequest request) {
        int number = request.getTopicAndPartition().getPartitionId();
        ModelPartition partition = partitions.get(number);
        OffsetInfo info = new OffsetInfo(number);
        info.setStartOffset(0);
        info.setEndOffset(partition.end() - 1);
        return new GetPartitionOffsetResponse(info);
    }

    /** The partition; a server that has not got it passes half of the calls on, and refuses the others. */
    private ModelPartition partition(String server, TopicAndPartition of) {
        ModelPartition partition = partitions.get(of.getPartitionId());
        if (!partition.server().equals(server) && turns.random().nextBoolean()) {
            throw TalosException.refused(ErrorCode.PARTITION_NOT_SERVING, "served elsewhere");
        }
        return partition;
    }

    private PutMessageResponse put(String server, PutMessageRequest request) throws MalformedBlockException {
        ModelPartition partition = partition(server, request.getTopicAndPartition());
        partition.put(request.getSequenceId(), request.getMessageBlocks(), millis());
        PutMessageResponse answer = new PutMessageResponse(request.getSequenceId());
        return partition.server().equals(server) ? answer : answer.setIsTransfer(true);
    }

    private void get(String server, GetMessageRequest request, long until, Answer answer) {
        ModelPartition partition = partition(server, request.getTopicAndPartition());
        long from = Math.max(0, request.getMessageOffset());
        if (from > partition.end()) {
            throw TalosException.refused(ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE, "Message out range");
        }
        if (from == partition.end() && turns.nanos() < until) {
            turns.outside().after(until - turns.nanos(), () -> {
                try {
                    get(server, request, until, answer);
                } catch (TalosException e) {
                    answer.failure(e);
                }
            });
            return;
        }
        var blocks = partition.get(from, request.getMaxGetMessageNumber());
        GetMessageResponse result = new GetMessageResponse(
                blocks,
                blocks.stream().mapToInt(each -> each.getMessageNumber()).sum(),
                request.getSequenceId());
        answer.result(partition.server().equals(server) ? result : result.setIsTransfer(true));
    }
}

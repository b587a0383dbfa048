// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Permissions;
import org.talos.server.cluster.Coordinator;
import org.talos.server.log.LogFailures;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.CallResult;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.call.ServiceAnswer.Delivery;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetCheckpointRequest;
import org.talos.thrift.GetCheckpointResponse;
import org.talos.thrift.GetPartitionCheckpointRequest;
import org.talos.thrift.GetPartitionCheckpointResponse;
import org.talos.thrift.GetPartitionOffsetRequest;
import org.talos.thrift.GetPartitionOffsetResponse;
import org.talos.thrift.GetPartitionsOffsetRequest;
import org.talos.thrift.GetPartitionsOffsetResponse;
import org.talos.thrift.GetScheduleInfoRequest;
import org.talos.thrift.GetScheduleInfoResponse;
import org.talos.thrift.GetTopicOffsetResponse;
import org.talos.thrift.OffsetInfo;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/** The calls about offsets, by partition and by time, and about which server serves a partition. Thread-safe. */
public final class OffsetCalls {
    private static final int MAX_PARTITIONS = 1_024;

    private final TopicLookup topics;
    private final PartitionRoutes routes;
    private final Coordinator coordinator;

    public OffsetCalls(TopicLookup topics, PartitionRoutes routes, Coordinator coordinator) {
        this.topics = topics;
        this.routes = routes;
        this.coordinator = coordinator;
    }

    /** Returns the servers' addresses by partition of a topic. */
    public GetScheduleInfoResponse getScheduleInfo(CallContext context, GetScheduleInfoRequest request) {
        TopicRecord topic = topics.byResourceName(request.getTopicTalosResourceName());
        Permissions.requireAny(topic, context.principal());
        Map<TopicAndPartition, String> schedule = new HashMap<>();
        for (int number = 0; number < topic.partitions(); number++) {
            TopicAndPartition partition =
                    new TopicAndPartition(topic.name(), new TopicTalosResourceName(topic.resourceName()), number);
            coordinator.address(topic.topicId(), number).ifPresent(address -> schedule.put(partition, address));
        }
        return new GetScheduleInfoResponse(schedule);
    }

    /** First and last offset of each partition of a topic; those of a server that is silent have none. */
    public CompletionStage<GetTopicOffsetResponse> getTopicOffset(CallContext context, TopicTalosResourceName name) {
        TopicRecord topic = topics.byResourceName(name);
        Permissions.require(topic, context.principal(), Permission.DESCRIBE_TOPIC);
        List<LogId> ids = LogId.all(topic.topicId(), topic.partitions());
        return routes.boundsSoon(ids, forward(context))
                .thenApply(found -> new GetTopicOffsetResponse(
                        ids.stream().map(id -> info(found, id)).toList()));
    }

    /** Answers a failure both in the value and as an error: one SDK reads only the value here, the other the error. */
    public CompletionStage<CallResult> getPartitionOffset(CallContext context, GetPartitionOffsetRequest request) {
        TopicAndPartition partition = request.getTopicAndPartition();
        LogId id;
        try {
            id = describable(context, partition);
        } catch (TalosException e) {
            return CompletableFuture.completedFuture(answer(failed(partition.getPartitionId(), e), e));
        }
        return routes.bounds(id, forward(context)).handle((bounds, error) -> {
            if (error == null) {
                return answer(info(id, bounds), null);
            }
            TalosException failure = Failures.of(error);
            return answer(failed(id.partition(), failure), failure);
        });
    }

    private static CallResult answer(OffsetInfo info, @Nullable TalosException failure) {
        return new CallResult(
                new GetPartitionOffsetResponse(info),
                failure == null ? null : Failures.toThrift(failure),
                Delivery.IGNORED);
    }

    /** First and last offset of many partitions, or why they cannot be answered. */
    public CompletionStage<CallResult> getPartitionsOffset(CallContext context, GetPartitionsOffsetRequest request) {
        List<TopicAndPartition> asked = request.getTopicAndPartitionList();
        if (asked.size() > MAX_PARTITIONS) {
            throw TalosException.refused(ErrorCode.INVALID_TOPIC_PARAMS, "more than " + MAX_PARTITIONS + " partitions");
        }
        List<Asked> all =
                asked.stream().map(partition -> asked(context, partition)).toList();
        List<LogId> ids = all.stream().map(Asked::id).filter(Objects::nonNull).toList();
        return routes.boundsSoon(ids, forward(context))
                .thenApply(found -> CallResult.of(new GetPartitionsOffsetResponse(
                        all.stream().map(each -> each.info(found)).toList())));
    }

    /** One of many partitions: its log, or why it is refused. Immutable. */
    private record Asked(@Nullable LogId id, OffsetInfo refused) {
        OffsetInfo info(Map<LogId, LogBounds> found) {
            return id == null ? refused : OffsetCalls.info(found, id);
        }
    }

    private Asked asked(CallContext context, TopicAndPartition partition) {
        OffsetInfo nothing = new OffsetInfo(partition.getPartitionId());
        try {
            TopicRecord topic = topics.byPartition(partition);
            Permissions.requireAny(topic, context.principal());
            return new Asked(new LogId(topic.topicId(), partition.getPartitionId()), nothing);
        } catch (TalosException e) {
            return new Asked(null, failed(partition.getPartitionId(), e));
        }
    }

    /** Returns the offset of a time in one partition. */
    public CompletionStage<CallResult> getPartitionCheckpoint(
            CallContext context, GetPartitionCheckpointRequest request) {
        LogId id = readable(context, request.getTopicAndPartition());
        return offsetAtTime(context, id, request.getPartitionTimeIndex())
                .thenApply(offset -> CallResult.of(new GetPartitionCheckpointResponse(offset)));
    }

    /** Returns the offsets of a time for each partition asked. */
    public CompletionStage<CallResult> getTopicCheckpoint(CallContext context, GetCheckpointRequest request) {
        TopicRecord topic = topics.byResourceName(request.getTopicTalosResourceName());
        Permissions.require(topic, context.principal(), Permission.GET_MESSAGE);
        for (int number : request.getPartitionTimeIndexMap().keySet()) {
            if (number < 0 || number >= topic.partitions()) {
                throw TalosException.refused(ErrorCode.PARTITION_NOT_EXIST, "no partition " + number);
            }
        }
        CompletionStage<Map<Integer, Long>> all = CompletableFuture.completedFuture(new HashMap<>());
        for (Map.Entry<Integer, Long> each : request.getPartitionTimeIndexMap().entrySet()) {
            LogId id = new LogId(topic.topicId(), each.getKey());
            all = all.thenCombine(offsetAtTime(context, id, each.getValue()), (offsets, offset) -> {
                offsets.put(id.partition(), offset);
                return offsets;
            });
        }
        return all.thenApply(offsets -> CallResult.of(new GetCheckpointResponse(offsets)));
    }

    /** First offset that was appended at or after a time (ms since 1970), or the end of the log. */
    public CompletionStage<Long> offsetAtTime(CallContext context, PartitionName partition, long timeMillis) {
        return offsetAtTime(context, readable(context, partition), timeMillis);
    }

    private CompletionStage<Long> offsetAtTime(CallContext context, LogId id, long timeMillis) {
        return routes.to(id).to().offsetAtTime(id, timeMillis, forward(context));
    }

    /** One past the newest message of a partition. */
    public CompletionStage<Long> endOffset(CallContext context, PartitionName partition) {
        return routes.bounds(readable(context, partition), forward(context)).thenApply(LogBounds::end);
    }

    /** Returns the ends of all partitions of a topic, for users who may get from it; also without a server. */
    public CompletionStage<SortedMap<Integer, PartitionEnds>> ends(CallContext context, String topicName) {
        TopicRecord topic = topics.byEitherName(topicName);
        Permissions.require(topic, context.principal(), Permission.GET_MESSAGE);
        List<LogId> ids = new ArrayList<>();
        for (int number = 0; number < topic.partitions(); number++) {
            ids.add(new LogId(topic.topicId(), number));
        }
        return routes.boundsSoon(ids, forward(context)).thenApply(found -> {
            SortedMap<Integer, PartitionEnds> all = new TreeMap<>();
            for (LogId id : ids) {
                LogBounds bounds = found.get(id);
                all.put(
                        id.partition(),
                        bounds == null ? PartitionEnds.NOT_SERVED : new PartitionEnds(bounds.start(), bounds.end()));
            }
            return all;
        });
    }

    private static ForwardContext forward(CallContext context) {
        return new ForwardContext(context.principal().turnId(), context.deadlineNanos());
    }

    private LogId readable(CallContext context, PartitionName partition) {
        TopicRecord topic = topics.byPartition(partition);
        Permissions.require(topic, context.principal(), Permission.GET_MESSAGE);
        return new LogId(topic.topicId(), partition.number());
    }

    private LogId describable(CallContext context, TopicAndPartition partition) {
        TopicRecord topic = topics.byPartition(partition);
        Permissions.require(topic, context.principal(), Permission.DESCRIBE_TOPIC);
        return new LogId(topic.topicId(), partition.getPartitionId());
    }

    private LogId readable(CallContext context, TopicAndPartition partition) {
        TopicRecord topic = topics.byPartition(partition);
        Permissions.require(topic, context.principal(), Permission.GET_MESSAGE);
        return new LogId(topic.topicId(), partition.getPartitionId());
    }

    private static OffsetInfo info(Map<LogId, LogBounds> found, LogId id) {
        LogBounds bounds = found.get(id);
        return bounds == null ? failed(id.partition(), LogFailures.notServing()) : info(id, bounds);
    }

    private static OffsetInfo info(LogId id, LogBounds bounds) {
        OffsetInfo info = new OffsetInfo(id.partition());
        info.setStartOffset(bounds.start());
        info.setEndOffset(bounds.end() - 1); // the last message, inclusive
        return info;
    }

    private static OffsetInfo failed(int partition, TalosException e) {
        OffsetInfo info = new OffsetInfo(partition);
        info.setErrorCode(e.code());
        info.setErrorMsg(e.getMessage());
        return info;
    }
}

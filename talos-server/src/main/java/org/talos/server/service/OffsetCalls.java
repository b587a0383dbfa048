// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Permissions;
import org.talos.server.cluster.Coordinator;
import org.talos.server.dispatch.Priority;
import org.talos.server.log.PartitionLog;
import org.talos.server.metadata.TopicRecord;
import org.talos.server.partition.PartitionManager;
import org.talos.server.service.ServiceAnswer.Delivery;
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
import org.talos.thrift.GetTopicOffsetRequest;
import org.talos.thrift.GetTopicOffsetResponse;
import org.talos.thrift.OffsetInfo;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/** Where messages are: offsets, by place and by time, and which server has them. Thread-safe. */
final class OffsetCalls {
    private static final int MAX_PARTITIONS = 1_024;

    private final TopicLookup topics;
    private final PartitionManager partitions;
    private final Coordinator coordinator;
    private final GetPool pool;

    OffsetCalls(TopicLookup topics, PartitionManager partitions, Coordinator coordinator, GetPool pool) {
        this.topics = topics;
        this.partitions = partitions;
        this.coordinator = coordinator;
        this.pool = pool;
    }

    GetScheduleInfoResponse getScheduleInfo(CallContext context, GetScheduleInfoRequest request) {
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

    GetTopicOffsetResponse getTopicOffset(CallContext context, GetTopicOffsetRequest request) {
        TopicRecord topic = topics.byResourceName(request.getTopicTalosResourceName());
        Permissions.require(topic, context.principal(), Permission.DESCRIBE_TOPIC);
        List<OffsetInfo> infos = new ArrayList<>();
        for (int number = 0; number < topic.partitions(); number++) {
            infos.add(info(new LogId(topic.topicId(), number)));
        }
        return new GetTopicOffsetResponse(infos);
    }

    /** One SDK's contract knows no error here, the other looks for it first: a failure is told both ways. */
    CompletionStage<CallResult> getPartitionOffset(CallContext context, GetPartitionOffsetRequest request) {
        TopicAndPartition partition = request.getTopicAndPartition();
        OffsetInfo info;
        TalosException failure = null;
        try {
            info = info(describable(context, partition));
            if (info.getErrorCode() != null) {
                failure = TalosException.refused(info.getErrorCode(), info.getErrorMsg());
            }
        } catch (TalosException e) {
            failure = e;
            info = failed(partition.getPartitionId(), e);
        }
        return CompletableFuture.completedFuture(new CallResult(
                new GetPartitionOffsetResponse(info),
                failure == null ? null : Failures.toThrift(failure),
                Delivery.IGNORED));
    }

    GetPartitionsOffsetResponse getPartitionsOffset(CallContext context, GetPartitionsOffsetRequest request) {
        List<OffsetInfo> infos = new ArrayList<>();
        for (TopicAndPartition partition : request.getTopicAndPartitionList()) {
            if (infos.size() == MAX_PARTITIONS) {
                throw TalosException.refused(
                        ErrorCode.INVALID_TOPIC_PARAMS, "more than " + MAX_PARTITIONS + " partitions");
            }
            try {
                TopicRecord topic = topics.byPartition(partition);
                Permissions.requireAny(topic, context.principal());
                infos.add(info(new LogId(topic.topicId(), partition.getPartitionId())));
            } catch (TalosException e) {
                infos.add(failed(partition.getPartitionId(), e));
            }
        }
        return new GetPartitionsOffsetResponse(infos);
    }

    CompletionStage<CallResult> getPartitionCheckpoint(CallContext context, GetPartitionCheckpointRequest request) {
        LogId id = readable(context, request.getTopicAndPartition());
        return pool.run(
                id,
                Priority.NORMAL,
                context.deadlineNanos(),
                () -> CallResult.of(new GetPartitionCheckpointResponse(
                        partitions.partition(id).log().offsetAtTime(request.getPartitionTimeIndex()))));
    }

    CompletionStage<CallResult> getTopicCheckpoint(CallContext context, GetCheckpointRequest request) {
        TopicRecord topic = topics.byResourceName(request.getTopicTalosResourceName());
        Permissions.require(topic, context.principal(), Permission.GET_MESSAGE);
        for (int number : request.getPartitionTimeIndexMap().keySet()) {
            if (number < 0 || number >= topic.partitions()) {
                throw TalosException.refused(ErrorCode.PARTITION_NOT_EXIST, "no partition " + number);
            }
        }
        LogId first = new LogId(topic.topicId(), 0);
        return pool.run(first, Priority.NORMAL, context.deadlineNanos(), () -> {
            Map<Integer, Long> offsets = new HashMap<>();
            request.getPartitionTimeIndexMap()
                    .forEach((number, time) -> offsets.put(
                            number,
                            partitions
                                    .partition(new LogId(topic.topicId(), number))
                                    .log()
                                    .offsetAtTime(time)));
            return CallResult.of(new GetCheckpointResponse(offsets));
        });
    }

    CompletionStage<Long> offsetAtTime(CallContext context, PartitionName partition, long timeMillis) {
        LogId id = readable(context, partition);
        return pool.run(
                id,
                Priority.NORMAL,
                context.deadlineNanos(),
                () -> partitions.partition(id).log().offsetAtTime(timeMillis));
    }

    long endOffset(CallContext context, PartitionName partition) {
        return partitions.partition(readable(context, partition)).log().durableEnd();
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

    private OffsetInfo info(LogId id) {
        try {
            PartitionLog log = partitions.partition(id).log();
            OffsetInfo info = new OffsetInfo(id.partition());
            info.setStartOffset(log.startOffset());
            info.setEndOffset(log.durableEnd() - 1); // the last message, inclusive
            return info;
        } catch (TalosException e) {
            return failed(id.partition(), e);
        }
    }

    private static OffsetInfo failed(int partition, TalosException e) {
        OffsetInfo info = new OffsetInfo(partition);
        info.setErrorCode(e.code());
        info.setErrorMsg(e.getMessage());
        return info;
    }
}

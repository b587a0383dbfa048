// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.talos.server.service.call.ServiceName.METRIC;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.Principal;
import org.talos.server.log.LogFailures;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.CallResult;
import org.talos.server.service.call.CallTable;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.ThriftCalls;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.message.Decoding;
import org.talos.server.service.message.GetCalls;
import org.talos.thrift.ConsumerGroupAndTopic;
import org.talos.thrift.GetDataPreviewRequest;
import org.talos.thrift.GetTopicConsumeUnitRequest;
import org.talos.thrift.GetTopicConsumeUnitResponse;
import org.talos.thrift.PartitionConsumeUnit;
import org.talos.thrift.Permission;
import org.talos.thrift.QueryConsumerGroupRequest;
import org.talos.thrift.QueryConsumerGroupResponse;
import org.talos.thrift.QueryTopicConsumeUnitRequest;
import org.talos.thrift.QueryTopicConsumeUnitResponse;
import org.talos.thrift.TopicTalosResourceName;

/**
 * The calls of the metric service: the consumers of a topic and their lags, and its newest messages, which
 * {@link DataPreviews} turns into rows.
 *
 * <p>Thread-safe. Nothing blocks but {@link #queryConsumerGroup}.
 */
public final class MetricCalls implements ThriftCalls {
    private final TopicLookup topics;
    private final GroupLookup lookup;
    private final GroupViews groups;
    private final DataPreviews previews;

    public MetricCalls(
            TopicLookup topics,
            GroupLookup lookup,
            GroupViews groups,
            GetCalls gets,
            PartitionRoutes routes,
            Decoding decoding) {
        this.topics = topics;
        this.lookup = lookup;
        this.groups = groups;
        previews = new DataPreviews(topics, gets, routes, decoding);
    }

    @Override
    public void addTo(CallTable table) {
        table.control(
                METRIC,
                "queryConsumerGroup",
                QueryConsumerGroupRequest::new,
                request -> request.getTopicTalosResourceName().getTopicTalosResourceName(),
                this::queryConsumerGroup);
        table.async(METRIC, "getTopicConsumeUnit", GetTopicConsumeUnitRequest::new, this::getTopicConsumeUnit);
        table.async(METRIC, "queryTopicConsumeUnit", QueryTopicConsumeUnitRequest::new, this::queryTopicConsumeUnit);
        table.async(METRIC, "getDataPreview", GetDataPreviewRequest::new, previews::getDataPreview);
    }

    /** Returns the groups that consume a topic. */
    public QueryConsumerGroupResponse queryConsumerGroup(Caller caller, QueryConsumerGroupRequest request)
            throws MetadataException {
        TopicRecord topic = described(request.getTopicTalosResourceName(), caller.principal());
        return new QueryConsumerGroupResponse(new TreeSet<>(groups.names(topic, caller.memory())));
    }

    /** Returns the consumption of a topic by one group, and its lag. */
    public CompletionStage<CallResult> getTopicConsumeUnit(CallContext context, GetTopicConsumeUnitRequest request) {
        ConsumerGroupAndTopic asked = request.getConsumerGroupAndTopic();
        TopicRecord topic = described(asked.getTopicTalosResourceName(), context.principal());
        return groups.describe(
                        lookup.of(topic, asked.getConsumerGroupName(), context.principal()),
                        context.memory(),
                        context.deadlineNanos())
                .thenApply(group -> CallResult.of(new GetTopicConsumeUnitResponse(units(group))));
    }

    /** Returns the consumption of a topic by each group that the caller may see, and its lag. */
    public CompletionStage<CallResult> queryTopicConsumeUnit(
            CallContext context, QueryTopicConsumeUnitRequest request) {
        TopicRecord topic = described(request.getTopicTalosResourceName(), context.principal());
        return groups.describeAll(
                        context.principal(),
                        topic,
                        name -> lookup.of(topic, name, context.principal()),
                        context.memory(),
                        context.deadlineNanos())
                .thenApply(described -> {
                    Map<String, List<PartitionConsumeUnit>> all = new HashMap<>();
                    described.forEach((name, group) -> all.put(name, units(group)));
                    return CallResult.of(new QueryTopicConsumeUnitResponse(all));
                });
    }

    private TopicRecord described(TopicTalosResourceName name, Principal caller) {
        TopicRecord topic = topics.byResourceName(name);
        Permissions.require(topic, caller, Permission.DESCRIBE_TOPIC);
        return topic;
    }

    /** The lag is that of REST: messages that a group can still read. */
    static List<PartitionConsumeUnit> units(GroupDescription group) {
        List<PartitionConsumeUnit> units = new ArrayList<>();
        for (GroupDescription.PartitionOf each : group.partitions()) {
            long lag = each.lag().orElseThrow(LogFailures::notServing); // the contract has no unknown lag
            long committed = each.committed().isPresent() ? each.committed().getAsLong() - 1 : CommitRule.NO_OFFSET;
            String address = each.member().map(MetricCalls::address).orElse("");
            units.add(new PartitionConsumeUnit(each.partition(), address, committed, lag));
        }
        return units;
    }

    /** Worker ids begin with their client's address, with underscores for dots. */
    private static String address(String worker) {
        return worker.substring(0, Math.max(0, worker.indexOf('-'))).replace('_', '.');
    }
}

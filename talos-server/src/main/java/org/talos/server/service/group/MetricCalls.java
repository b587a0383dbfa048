// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.talos.server.service.call.ServiceName.METRIC;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.Principal;
import org.talos.server.log.LogFailures;
import org.talos.server.memory.BlockOpening;
import org.talos.server.memory.RequestMemory;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.GetPool;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.CallResult;
import org.talos.server.service.call.CallTable;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.call.ThriftCalls;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;
import org.talos.server.service.message.GetCalls;
import org.talos.server.service.message.UnreadableBlock;
import org.talos.server.service.message.UnreadableBlocks;
import org.talos.server.storage.LogId;
import org.talos.thrift.ConsumerGroupAndTopic;
import org.talos.thrift.GetDataPreviewRequest;
import org.talos.thrift.GetDataPreviewResponse;
import org.talos.thrift.GetTopicConsumeUnitRequest;
import org.talos.thrift.GetTopicConsumeUnitResponse;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.PartitionConsumeUnit;
import org.talos.thrift.Permission;
import org.talos.thrift.QueryConsumerGroupRequest;
import org.talos.thrift.QueryConsumerGroupResponse;
import org.talos.thrift.QueryTopicConsumeUnitRequest;
import org.talos.thrift.QueryTopicConsumeUnitResponse;
import org.talos.thrift.TopicTalosResourceName;

/**
 * The calls of the metric service: who consumes a topic and how far behind, and its newest messages.
 *
 * <p>Thread-safe. Nothing blocks but {@link #queryConsumerGroup}.
 */
public final class MetricCalls implements ThriftCalls {
    private static final int PREVIEW_MESSAGES = 10;
    private static final int PREVIEW_BYTES = 1 << 20;
    private static final long PREVIEW_PLAIN_BYTES = 16L << 20;

    /** Their bytes are held in pieces and whole; of their messages, one at a time. */
    private static final BlockOpening PREVIEW = new BlockOpening(PREVIEW_PLAIN_BYTES, 2, 2, 0);

    private static final int PREVIEW_CHARACTERS = 10_000;
    private static final String COLUMN = "message";

    private final TopicLookup topics;
    private final GroupLookup lookup;
    private final GroupViews groups;
    private final GetCalls gets;
    private final PartitionRoutes routes;
    private final GetPool pool;
    private final UnreadableBlocks unreadable = new UnreadableBlocks();

    public MetricCalls(
            TopicLookup topics,
            GroupLookup lookup,
            GroupViews groups,
            GetCalls gets,
            PartitionRoutes routes,
            GetPool pool) {
        this.topics = topics;
        this.lookup = lookup;
        this.groups = groups;
        this.gets = gets;
        this.routes = routes;
        this.pool = pool;
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
        table.async(METRIC, "getDataPreview", GetDataPreviewRequest::new, this::getDataPreview);
    }

    /** The groups that consume a topic. */
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
                        context.principal().userId(),
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
            long lag = each.lag().orElseThrow(LogFailures::notServing); // the contract knows no lag that is not known
            long committed = each.committed().isPresent() ? each.committed().getAsLong() - 1 : CommitRule.NO_OFFSET;
            String address = each.member().map(MetricCalls::address).orElse("");
            units.add(new PartitionConsumeUnit(each.partition(), address, committed, lag));
        }
        return units;
    }

    /** Worker ids begin with their client's address, its dots as underlines. */
    private static String address(String worker) {
        return worker.substring(0, Math.max(0, worker.indexOf('-'))).replace('_', '.');
    }

    /** The newest messages, oldest first, each a row of one column. Made in the pool: decompressing takes long. */
    public CompletionStage<CallResult> getDataPreview(CallContext context, GetDataPreviewRequest request) {
        TopicRecord topic = topics.byPartition(request.getTopicAndPartition());
        Permissions.require(topic, context.principal(), Permission.GET_MESSAGE);
        int partition = request.getTopicAndPartition().getPartitionId();
        LogId id = new LogId(topic.topicId(), partition);
        boolean transferred = routes.to(id).transferred();
        return routes.bounds(id, new ForwardContext(context.principal().userId(), context.deadlineNanos()))
                .thenCompose(bounds -> {
                    long from = Math.max(bounds.start(), bounds.end() - PREVIEW_MESSAGES);
                    Fetch newest = new Fetch(
                            new PartitionName(topic.name(), partition),
                            from,
                            PREVIEW_MESSAGES,
                            PREVIEW_BYTES,
                            Duration.ZERO,
                            1);
                    return gets.fetch(context, newest)
                            .thenCompose(found -> pool.run(
                                    id,
                                    context.deadlineNanos(),
                                    context.principal().userId(),
                                    bytes(found),
                                    memory -> preview(found, from, memory)));
                })
                .thenApply(preview -> CallResult.of(transferred ? preview.setIsTransfer(true) : preview));
    }

    private static long bytes(Fetched found) {
        return found.blocks().stream()
                .mapToLong(block -> block.bufferForMessageBlock().remaining())
                .sum();
    }

    private GetDataPreviewResponse preview(Fetched found, long from, RequestMemory memory) {
        List<Map<String, String>> rows = new ArrayList<>();
        for (MessageBlock block : found.blocks()) {
            Optional<UnreadableBlock> known = unreadable.find(found.log(), block);
            if (known.isPresent()) {
                rows.add(Map.of(COLUMN, known.get().sentence()));
            } else {
                rows.addAll(preview(found, block, from, memory));
            }
        }
        return new GetDataPreviewResponse(List.of(COLUMN), rows, rows.size());
    }

    /** A row for each message, or one for a block that cannot be shown. */
    private List<Map<String, String>> preview(Fetched found, MessageBlock block, long from, RequestMemory memory) {
        try {
            return PREVIEW.open(block, memory, (opened, most) -> rows(opened, most, from), shown -> 0);
        } catch (MalformedBlockException e) {
            return List.of(Map.of(
                    COLUMN, unreadable.add(found.log(), block, e.getMessage()).sentence()));
        }
    }

    private static List<Map<String, String>> rows(MessageBlock block, long maxPlainBytes, long from)
            throws MalformedBlockException {
        List<Map<String, String>> rows = new ArrayList<>();
        MessageBlocks.each(block, maxPlainBytes, each -> {
            if (each.getMessageOffset() >= from && rows.size() < PREVIEW_MESSAGES) {
                rows.add(Map.of(COLUMN, text(each.getMessage().bufferForMessage())));
            }
        });
        return rows;
    }

    /** The beginning of a message; what is no text is shown in base64. */
    private static String text(ByteBuffer bytes) {
        CharBuffer text = CharBuffer.allocate(PREVIEW_CHARACTERS);
        CoderResult end = StandardCharsets.UTF_8.newDecoder().decode(bytes.duplicate(), text, true);
        if (end.isError()) {
            byte[] copy = new byte[Math.min(bytes.remaining(), PREVIEW_CHARACTERS)];
            bytes.duplicate().get(copy);
            String encoded = Base64.getEncoder().encodeToString(copy);
            return encoded.length() <= PREVIEW_CHARACTERS ? encoded : encoded.substring(0, PREVIEW_CHARACTERS) + "…";
        }
        return text.flip() + (end.isOverflow() ? "…" : "");
    }
}

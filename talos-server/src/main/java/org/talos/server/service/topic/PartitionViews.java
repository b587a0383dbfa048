// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.talos.server.auth.Permissions;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.Location;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.partition.SegmentRecord;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.service.call.AnswerMemory;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.storage.LogId;
import org.talos.thrift.Permission;

/**
 * A topic's partitions and their segments as operators see them: owners and epochs from this server's view, ends from
 * the servers that serve them.
 *
 * <p>Thread-safe; nothing blocks.
 */
public final class PartitionViews {
    /** Times and numbers of a segment, as text. */
    private static final int SEGMENT_CHARACTERS = 128;

    private final TopicLookup topics;
    private final Partitions rows;
    private final PartitionRoutes routes;
    private final Coordinator coordinator;
    private final Supplier<Optional<String>> serverId;
    private final ControlPool pool;
    private final Ticker ticker;
    private final PutRates rates = new PutRates();

    /** @param serverId this server's, empty if it is not one of several or has not joined them yet */
    public PartitionViews(
            TopicLookup topics,
            Partitions rows,
            PartitionRoutes routes,
            Coordinator coordinator,
            Supplier<Optional<String>> serverId,
            ControlPool pool,
            Ticker ticker) {
        this.topics = topics;
        this.rows = rows;
        this.routes = routes;
        this.coordinator = coordinator;
        this.serverId = serverId;
        this.pool = pool;
        this.ticker = ticker;
    }

    /**
     * A partition. Immutable.
     *
     * @param server id of the server that serves it; empty unless the caller is an administrator
     * @param address where clients reach that server
     * @param epoch of its latest ownership; empty if it was never opened
     * @param bounds empty while no server serves it, or its server is silent
     * @param putsPerSecond messages; empty if no one has looked at the topic shortly before
     */
    public record Shown(
            int partition,
            Optional<String> server,
            Optional<String> address,
            OptionalLong epoch,
            Optional<Bounds> bounds,
            OptionalDouble putsPerSecond) {}

    /**
     * The bounds of a partition. Immutable.
     *
     * @param next one past its newest message
     */
    public record Bounds(long first, long next, long bytes) {
        private static Bounds of(LogBounds log) {
            return new Bounds(log.start(), log.end(), log.bytes());
        }
    }

    /**
     * A segment. Immutable.
     *
     * @param end one past its last message; empty if that is not known
     * @param bytes empty if that is not known
     * @param appendedFrom ms since 1970, at or before its first message; empty if that is not known
     * @param appendedTo ms since 1970, of its last message; empty unless it is sealed and has one
     */
    public record Segment(
            long first,
            long epoch,
            boolean sealed,
            OptionalLong end,
            OptionalLong bytes,
            OptionalLong appendedFrom,
            OptionalLong appendedTo) {}

    /** Returns all partitions of a topic, by number. */
    public CompletionStage<List<Shown>> list(CallContext context, String topicName) {
        return context.guarded(() -> {
            TopicRecord topic = describable(context, topics.byName(topicName));
            List<LogId> ids = new ArrayList<>();
            for (int number = 0; number < topic.partitions(); number++) {
                ids.add(new LogId(topic.topicId(), number));
            }
            return pool.run(
                            context.principal().userId(),
                            topic.resourceName(),
                            context.deadlineNanos(),
                            () -> rows.epochs(topic.topicId()))
                    .thenCombine(
                            routes.boundsSoon(ids, forward(context)),
                            (epochs, bounds) -> shown(context.principal().admin(), ids, epochs, bounds));
        });
    }

    private static TopicRecord describable(CallContext context, TopicRecord topic) {
        Permissions.require(topic, context.principal(), Permission.DESCRIBE_TOPIC);
        return topic;
    }

    private static ForwardContext forward(CallContext context) {
        return new ForwardContext(context.principal().turnId(), context.deadlineNanos());
    }

    private List<Shown> shown(
            boolean withServers, List<LogId> ids, Map<Integer, Long> epochs, Map<LogId, LogBounds> bounds) {
        Map<Integer, Long> ends = new HashMap<>();
        bounds.forEach((id, log) -> ends.put(id.partition(), log.end()));
        PutRates.Rates growth = rates.look(ids.get(0).topicId(), ends, ticker.nanos());
        return ids.stream()
                .map(id -> {
                    @Nullable Long epoch = epochs.get(id.partition());
                    return new Shown(
                            id.partition(),
                            withServers ? server(id) : Optional.empty(),
                            coordinator.address(id.topicId(), id.partition()),
                            epoch == null ? OptionalLong.empty() : OptionalLong.of(epoch),
                            Optional.ofNullable(bounds.get(id)).map(Bounds::of),
                            growth.of(id.partition()));
                })
                .toList();
    }

    private Optional<String> server(LogId id) {
        Location place = coordinator.locate(id.topicId(), id.partition());
        if (place instanceof Location.There other) {
            return Optional.of(other.server().id());
        }
        return place instanceof Location.Here ? serverId.get() : Optional.empty();
    }

    /** Returns the segments of a partition, oldest first. */
    public CompletionStage<List<Segment>> segments(CallContext context, PartitionName partition) {
        return context.guarded(() -> {
            TopicRecord topic = describable(context, topics.byPartition(partition));
            LogId id = new LogId(topic.topicId(), partition.number());
            return pool.run(
                            context.principal().userId(),
                            topic.resourceName(),
                            context.deadlineNanos(),
                            () -> stored(context, id))
                    .thenCombine(
                            routes.boundsSoon(List.of(id), forward(context)),
                            (segments, bounds) -> segments(segments, bounds.get(id)));
        });
    }

    private List<SegmentRecord> stored(CallContext context, LogId id) throws MetadataException {
        List<SegmentRecord> segments = rows.find(id.topicId(), id.partition())
                .map(row -> row.value().segments())
                .orElse(List.of());
        context.memory().reserve(segments.size() * AnswerMemory.row(SEGMENT_CHARACTERS));
        return segments;
    }

    /** Only the server that serves the partition knows how far an unsealed segment has come. */
    private static List<Segment> segments(List<SegmentRecord> rows, @Nullable LogBounds bounds) {
        List<SegmentRecord> made = rows.stream()
                .filter(each -> each.state() != SegmentRecord.State.PLANNED && !each.marksGap())
                .toList();
        long unsealed = made.stream().filter(each -> !each.sealed()).count();
        long sealedBytes = made.stream().mapToLong(SegmentRecord::bytes).sum();
        OptionalLong rest = bounds == null || unsealed != 1
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(0, bounds.bytes() - sealedBytes));
        List<Segment> segments = new ArrayList<>();
        OptionalLong before = OptionalLong.empty();
        for (int i = 0; i < made.size(); i++) {
            SegmentRecord each = made.get(i);
            OptionalLong last = time(each);
            segments.add(new Segment(
                    each.baseOffset(),
                    each.epoch(),
                    each.sealed(),
                    end(made, i, bounds),
                    each.sealed() ? OptionalLong.of(each.bytes()) : rest,
                    before,
                    last));
            before = last.isPresent() ? last : before;
        }
        return segments;
    }

    private static OptionalLong time(SegmentRecord segment) {
        return segment.sealed() && segment.lastAppendTimestamp() > 0
                ? OptionalLong.of(segment.lastAppendTimestamp())
                : OptionalLong.empty();
    }

    private static OptionalLong end(List<SegmentRecord> made, int index, @Nullable LogBounds bounds) {
        SegmentRecord segment = made.get(index);
        if (segment.sealed()) {
            return OptionalLong.of(segment.endOffset());
        }
        if (index + 1 < made.size()) {
            return OptionalLong.of(made.get(index + 1).baseOffset());
        }
        return bounds == null ? OptionalLong.empty() : OptionalLong.of(Math.max(segment.baseOffset(), bounds.end()));
    }
}

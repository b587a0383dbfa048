// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.CommittedOffset;
import org.talos.server.metadata.rows.Groups;
import org.talos.server.metadata.rows.Offsets;
import org.talos.server.metadata.rows.TopicRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.service.group.GroupReset.Moved;
import org.talos.server.service.group.GroupReset.Target;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

/**
 * Descriptions of groups, and moves of their offsets.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class GroupViews {
    private static final String RESETTER = "reset";

    private final Groups groups;
    private final Offsets committedRows;
    private final GroupRows rows;
    private final GroupOffsets offsets;
    private final PartitionRoutes routes;
    private final InstantSource clock;

    public GroupViews(
            Groups groups,
            Offsets committedRows,
            GroupRows rows,
            GroupOffsets offsets,
            PartitionRoutes routes,
            InstantSource clock) {
        this.groups = groups;
        this.committedRows = committedRows;
        this.rows = rows;
        this.offsets = offsets;
        this.routes = routes;
        this.clock = clock;
    }

    /** The groups of a topic: those that have members or committed offsets. */
    SortedSet<String> names(TopicRecord topic) throws MetadataException {
        SortedSet<String> names = new TreeSet<>(groups.list(topic.topicId()).keySet());
        names.addAll(committedRows.groups(topic.topicId()));
        return names;
    }

    GroupDescription describe(TopicRecord topic, String group) throws MetadataException {
        GroupMembership membership = rows.read(topic, group);
        Map<Integer, CommittedOffset> committed = offsets.list(topic, group);
        if (committed.isEmpty() && !membership.isWorking() && !rows.exists(topic, group)) {
            throw TalosException.refused(ErrorCode.CONSUMER_NOT_EXIST, "the topic has no such group");
        }
        List<GroupDescription.PartitionOf> all = new ArrayList<>();
        Map<LogId, LogBounds> bounds = bounds(topic, group);
        for (int partition = 0; partition < topic.partitions(); partition++) {
            all.add(GroupDescription.PartitionOf.of(
                    partition,
                    membership.holder(partition),
                    next(committed.get(partition)),
                    Optional.ofNullable(bounds.get(new LogId(topic.topicId(), partition)))));
        }
        return new GroupDescription(membership.members(), all);
    }

    private static OptionalLong next(@Nullable CommittedOffset committed) {
        return committed == null ? OptionalLong.empty() : OptionalLong.of(GroupMembers.next(committed));
    }

    private Map<LogId, LogBounds> bounds(TopicRecord topic, String group) {
        List<LogId> ids = new ArrayList<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            ids.add(new LogId(topic.topicId(), partition));
        }
        return routes.boundsNow(ids, routes.soon(group));
    }

    /** Checks all partitions before it moves any. */
    List<Moved> reset(TopicRecord topic, String group, GroupReset reset) throws MetadataException {
        Map<Integer, CommittedOffset> committed = offsets.list(topic, group);
        Map<LogId, LogBounds> bounds = bounds(topic, group);
        List<Moved> moves = new ArrayList<>();
        for (int partition : asked(topic, reset)) {
            LogId id = new LogId(topic.topicId(), partition);
            long to = place(PartitionRoutes.served(bounds, id), id, reset.target(), group);
            moves.add(new Moved(partition, next(committed.get(partition)), to));
        }
        if (!reset.preview()) {
            if (!reset.force() && rows.read(topic, group).isWorking()) {
                throw TalosException.refused(
                        ErrorCode.CONSUMER_GROUP_STILL_WORKING,
                        "a member of the group is alive; its commits would undo this");
            }
            move(topic, group, moves);
        }
        return moves;
    }

    private void move(TopicRecord topic, String group, List<Moved> moves) throws MetadataException {
        boolean stored = false;
        for (Moved move : moves) {
            CommittedOffset wanted = new CommittedOffset(move.to() - 1, RESETTER, clock.millis());
            try {
                stored |= offsets.change(topic, group, move.partition(), before -> Optional.of(wanted));
            } catch (MetadataException | TalosException e) {
                if (stored) {
                    throw Failures.partly(e);
                }
                throw e;
            }
        }
    }

    private static SortedSet<Integer> asked(TopicRecord topic, GroupReset reset) {
        SortedSet<Integer> asked = new TreeSet<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            asked.add(partition);
        }
        if (reset.partitions().isPresent()) {
            if (!asked.containsAll(reset.partitions().get())) {
                throw TalosException.refused(
                        ErrorCode.PARTITION_NOT_EXIST, "partitions (expected: 0.." + (topic.partitions() - 1) + ")");
            }
            asked.retainAll(reset.partitions().get());
        }
        return asked;
    }

    private long place(LogBounds log, LogId id, Target target, String group) {
        if (target instanceof Target.Earliest) {
            return log.start();
        }
        if (target instanceof Target.Latest) {
            return log.end();
        }
        if (target instanceof Target.Time time) {
            return routes.offsetAtTimeNow(id, time.millis(), routes.soon(group));
        }
        long offset = ((Target.Offset) target).offset();
        if (offset < log.start() || offset > log.end()) {
            throw TalosException.refused(
                    ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE,
                    "Message out range: partition " + id.partition() + " has " + log.start() + " to " + (log.end() - 1)
                            + ", not " + offset);
        }
        return offset;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Principal;
import org.talos.server.log.LogFailures;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.LastReset;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.service.call.AnswerMemory;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.group.GroupReset.Moved;
import org.talos.server.service.group.GroupReset.Target;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GroupRight;

/**
 * Descriptions of groups, and moves of their offsets: rows in the control pool, and offsets from the partitions'
 * servers.
 *
 * <p>Thread-safe. Nothing blocks but {@link #names}.
 */
public final class GroupViews {
    private static final String RESETTER = "reset";

    /** Partitions of all groups that are described at once: each takes some 200 bytes until it is answered. */
    private static final int MOST_DESCRIBED = 100_000;

    private static final String ONE_BY_ONE = "ask for one group at a time by getTopicConsumeUnit";
    /** Shown of the member that reads a partition. */
    private static final int MEMBER_CHARACTERS = 16;

    private final Groups groups;
    private final Offsets committedRows;
    private final GroupRows rows;
    private final GroupOffsets offsets;
    private final PartitionRoutes routes;
    private final ControlPool pool;
    private final InstantSource clock;
    private final Ticker ticker;

    /** The tables of which whole topics are listed. Immutable. */
    public record Tables(Groups groups, Offsets offsets) {}

    public GroupViews(
            Tables tables,
            GroupRows rows,
            GroupOffsets offsets,
            PartitionRoutes routes,
            ControlPool pool,
            InstantSource clock,
            Ticker ticker) {
        this.groups = tables.groups;
        this.committedRows = tables.offsets;
        this.rows = rows;
        this.offsets = offsets;
        this.routes = routes;
        this.pool = pool;
        this.clock = clock;
        this.ticker = ticker;
    }

    /** Returns the groups of a topic: those that have an owner, or committed offsets. Blocks. */
    SortedSet<String> names(TopicRecord topic, AnswerMemory memory) throws MetadataException {
        SortedSet<String> names = new TreeSet<>();
        Consumer<String> add = name -> {
            if (!names.contains(name)) {
                memory.reserve(AnswerMemory.row(name.length()));
                names.add(name);
            }
        };
        groups.names(topic.topicId(), add);
        committedRows.groups(topic.topicId(), add);
        return names;
    }

    /** The stored rows of a group. Immutable. */
    private record Stored(GroupMembership membership, Map<Integer, CommittedOffset> committed) {}

    CompletionStage<GroupDescription> describe(GroupAccess access, AnswerMemory memory, long deadlineNanos) {
        TopicRecord topic = access.topic();
        return pool.run(access.user(), GroupReads.key(access.group(), topic), deadlineNanos, () -> {
                    Stored stored = stored(topic, access.group());
                    stored.membership.require(access, Right.READ);
                    memory.reserve(bytes(topic, stored));
                    return stored;
                })
                .thenCombine(bounds(topic, access.turnId()), (stored, bounds) -> description(topic, stored, bounds));
    }

    /**
     * Returns the groups of a topic that a caller may see, by name; fails with OPERATION_FAILED if they have more
     * partitions than one answer holds.
     */
    CompletionStage<Map<String, GroupDescription>> describeAll(
            Principal caller,
            TopicRecord topic,
            Function<String, GroupAccess> accesses,
            AnswerMemory memory,
            long deadlineNanos) {
        return pool.run(caller.userId(), topic.resourceName(), deadlineNanos, () -> {
                    Map<String, Stored> all = new TreeMap<>();
                    for (String group : names(topic, memory)) {
                        requireTime(deadlineNanos);
                        Stored stored = stored(topic, group);
                        if (stored.membership.allows(accesses.apply(group), Right.READ)) {
                            requireFew(topic, all.size() + 1);
                            memory.reserve(bytes(topic, stored), ONE_BY_ONE);
                            all.put(group, stored);
                        }
                    }
                    return all;
                })
                .thenCombine(bounds(topic, caller.turnId()), (all, bounds) -> {
                    Map<String, GroupDescription> described = new TreeMap<>();
                    all.forEach((group, stored) -> described.put(group, description(topic, stored, bounds)));
                    return described;
                });
    }

    /** Each group takes some reads, and a topic may have thousands: the rest is dropped once the client has gone. */
    private void requireTime(long deadlineNanos) {
        if (deadlineNanos - ticker.nanos() <= 0) {
            throw TalosException.refused(
                    ErrorCode.REQUEST_PROCESS_TIMEOUT, "the deadline passed while the topic's groups were read");
        }
    }

    private static void requireFew(TopicRecord topic, int groups) {
        if ((long) groups * topic.partitions() > MOST_DESCRIBED) {
            throw TalosException.refused(
                    ErrorCode.OPERATION_FAILED,
                    "the topic's groups have more than " + MOST_DESCRIBED + " partitions together:" + " " + ONE_BY_ONE);
        }
    }

    /** Returns the memory that a group takes from its reading to the end of the answer. */
    private static long bytes(TopicRecord topic, Stored stored) {
        long names = Stream.concat(
                        stored.membership.members().keySet().stream(), stored.membership.grants().keySet().stream())
                .mapToLong(name -> AnswerMemory.row(name.length()))
                .sum();
        return names + topic.partitions() * AnswerMemory.row(MEMBER_CHARACTERS);
    }

    private Stored stored(TopicRecord topic, String group) throws MetadataException {
        GroupMembership membership = rows.read(topic, group);
        Map<Integer, CommittedOffset> committed = offsets.list(topic, group);
        if (committed.isEmpty() && !membership.isWorking() && !rows.exists(topic, group)) {
            throw TalosException.refused(ErrorCode.CONSUMER_NOT_EXIST, "the topic has no such group");
        }
        return new Stored(membership, committed);
    }

    private static GroupDescription description(TopicRecord topic, Stored stored, Map<LogId, LogBounds> bounds) {
        List<GroupDescription.PartitionOf> all = new ArrayList<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            all.add(GroupDescription.PartitionOf.of(
                    partition,
                    stored.membership.holder(partition),
                    next(stored.committed.get(partition)),
                    Optional.ofNullable(bounds.get(new LogId(topic.topicId(), partition)))));
        }
        SortedMap<String, GroupRight> grants = new TreeMap<>();
        stored.membership.grants().forEach((grantee, right) -> grants.put(grantee, shown(right)));
        return new GroupDescription(stored.membership.owner(), grants, stored.membership.members(), all);
    }

    private static GroupRight shown(Right right) {
        return switch (right) {
            case READ -> GroupRight.READ;
            case COMMIT -> GroupRight.COMMIT;
            case ADMINISTER -> GroupRight.ADMINISTER;
        };
    }

    private static OptionalLong next(@Nullable CommittedOffset committed) {
        return committed == null ? OptionalLong.empty() : OptionalLong.of(GroupMembers.next(committed));
    }

    private CompletionStage<Map<LogId, LogBounds>> bounds(TopicRecord topic, String turnId) {
        return routes.boundsSoon(LogId.all(topic.topicId(), topic.partitions()), turnId);
    }

    /** Checks all partitions before it moves any. */
    CompletionStage<List<Moved>> reset(GroupAccess access, GroupReset reset, long deadlineNanos) {
        TopicRecord topic = access.topic();
        String group = access.group();
        SortedSet<Integer> asked = asked(topic, reset);
        return bounds(topic, access.turnId())
                .thenCompose(bounds -> places(access, reset.target(), asked, bounds)
                        .thenCompose(places -> pool.run(
                                access.user(),
                                GroupReads.key(group, topic),
                                deadlineNanos,
                                () -> reset(access, reset, places, bounds))));
    }

    /**
     * Moves the group back to its offsets before the last reset, wherever it has come to since.
     *
     * @param preview whether only to report the changes
     * @param force whether also while the group has members
     */
    CompletionStage<List<Moved>> undoReset(GroupAccess access, boolean preview, boolean force, long deadlineNanos) {
        TopicRecord topic = access.topic();
        return bounds(topic, access.turnId())
                .thenCompose(bounds -> pool.run(
                        access.user(),
                        GroupReads.key(access.group(), topic),
                        deadlineNanos,
                        () -> undoReset(access, preview, force, bounds)));
    }

    private List<Moved> undoReset(GroupAccess access, boolean preview, boolean force, Map<LogId, LogBounds> bounds)
            throws MetadataException {
        TopicRecord topic = access.topic();
        String group = access.group();
        GroupMembership membership = rows.read(access, Right.ADMINISTER);
        Versioned<LastReset> last = offsets.lastReset(topic, group)
                .orElseThrow(() -> TalosException.refused(
                        ErrorCode.LOCK_VALUE_NOT_EXPECTED, "the group has no reset that could be undone"));
        Map<Integer, CommittedOffset> committed = offsets.list(topic, group);
        List<Moved> moves = new ArrayList<>();
        new TreeMap<>(last.value().before())
                .forEach((partition, before) -> moves.add(moved(
                        topic,
                        partition,
                        next(committed.get(partition)),
                        before == LastReset.NEVER ? OptionalLong.empty() : OptionalLong.of(before + 1),
                        bounds)));
        if (!preview) {
            requireIdle(membership, force);
            move(topic, group, moves, false);
            forget(topic, group, last);
        }
        return moves;
    }

    /** Forgets a reset whose partitions are back. */
    private void forget(TopicRecord topic, String group, Versioned<LastReset> undone) {
        try {
            offsets.forgetReset(topic, group, undone);
        } catch (MetadataException e) {
            throw Failures.partly(e);
        }
    }

    private static void requireIdle(GroupMembership membership, boolean force) {
        if (!force && membership.isWorking()) {
            throw TalosException.refused(
                    ErrorCode.CONSUMER_GROUP_STILL_WORKING,
                    "a member of the group is alive; its commits would undo this");
        }
    }

    private static Moved moved(
            TopicRecord topic, int partition, OptionalLong from, OptionalLong to, Map<LogId, LogBounds> bounds) {
        LogBounds log = bounds.get(new LogId(topic.topicId(), partition));
        return log == null
                ? Moved.of(partition, from, to, 0, Long.MAX_VALUE)
                : Moved.of(partition, from, to, log.start(), log.end());
    }

    /** Returns the place from which the group continues, by partition. */
    private CompletionStage<SortedMap<Integer, Long>> places(
            GroupAccess access, Target target, SortedSet<Integer> asked, Map<LogId, LogBounds> bounds) {
        CompletionStage<SortedMap<Integer, Long>> all = CompletableFuture.completedFuture(new TreeMap<>());
        for (int partition : asked) {
            LogId id = new LogId(access.topic().topicId(), partition);
            LogBounds log = PartitionRoutes.served(bounds, id);
            all = all.thenCombine(place(log, id, target, access.turnId()), (places, to) -> {
                places.put(partition, to);
                return places;
            });
        }
        return all;
    }

    private List<Moved> reset(
            GroupAccess access, GroupReset reset, SortedMap<Integer, Long> places, Map<LogId, LogBounds> bounds)
            throws MetadataException {
        GroupMembership membership = rows.read(access, Right.ADMINISTER);
        if (reset.preview()) {
            return moves(access.topic(), places, offsets.list(access.topic(), access.group()), bounds);
        }
        requireIdle(membership, reset.force());
        List<Moved> moves = noted(access, reset.target(), places, bounds);
        move(access.topic(), access.group(), moves, !areInPlace(moves));
        return moves;
    }

    private static List<Moved> moves(
            TopicRecord topic,
            SortedMap<Integer, Long> places,
            Map<Integer, CommittedOffset> committed,
            Map<LogId, LogBounds> bounds) {
        List<Moved> moves = new ArrayList<>();
        places.forEach((partition, to) ->
                moves.add(moved(topic, partition, next(committed.get(partition)), OptionalLong.of(to), bounds)));
        return moves;
    }

    /**
     * Notes a reset before it moves anything, and returns the offsets that it moves. Writes no note if all partitions
     * are {@linkplain #areInPlace in place}. The offsets are read after the note, which is written only if it is still
     * the same: another server may reset the group, or undo that, at the same time.
     */
    private List<Moved> noted(
            GroupAccess access, Target target, SortedMap<Integer, Long> places, Map<LogId, LogBounds> bounds)
            throws MetadataException {
        TopicRecord topic = access.topic();
        String group = access.group();
        for (int attempt = 0; attempt < GroupRows.MAX_TRIES; attempt++) {
            Optional<Versioned<LastReset>> last = offsets.lastReset(topic, group);
            Map<Integer, CommittedOffset> committed = offsets.list(topic, group);
            if (committed.isEmpty()) {
                requireRoom(access);
            }
            if (!committed.keySet().containsAll(places.keySet())) {
                offsets.requireRoom(); // before the reset is noted
            }
            List<Moved> moves = moves(topic, places, committed, bounds);
            if (areInPlace(moves)) {
                return moves; // nothing to undo: the previous reset stays the last one
            }
            Map<Integer, Long> before = new TreeMap<>();
            places.keySet().forEach(partition -> before.put(partition, offset(committed.get(partition))));
            LastReset reset = new LastReset(access.user(), clock.millis(), target.noted(), before);
            if (offsets.noteReset(topic, group, last, following(last, reset, committed))) {
                return moves;
            }
        }
        throw GroupRows.tooManyTries();
    }

    /** Returns whether each partition is already at its target. */
    private static boolean areInPlace(List<Moved> moves) {
        return moves.stream().allMatch(each -> each.from().equals(each.to()));
    }

    /**
     * Returns the note of a reset. The partitions of a repeated reset may already be at its target, so their origin is
     * unknown.
     */
    private static LastReset following(
            Optional<Versioned<LastReset>> last, LastReset reset, Map<Integer, CommittedOffset> committed) {
        return last.map(each -> each.value()
                        .followedBy(reset, (partition, before) -> isUnused(committed.get(partition), before)))
                .orElse(reset);
    }

    /** Returns whether no member has committed since a reset that found this offset, whether it has moved it or not. */
    private static boolean isUnused(@Nullable CommittedOffset committed, long before) {
        return (committed != null && committed.workerId().equals(RESETTER)) || offset(committed) == before;
    }

    private static long offset(@Nullable CommittedOffset committed) {
        return committed == null ? LastReset.NEVER : committed.offset();
    }

    /** Refuses a further group that is only reset, and has no owner, where there are as many as one user may have. */
    private void requireRoom(GroupAccess access) throws MetadataException {
        TopicRecord topic = access.topic();
        Set<String> owned = new HashSet<>();
        groups.names(topic.topicId(), owned::add);
        if (!access.isOverTopic() && !owned.contains(access.group())) {
            Set<String> others = new HashSet<>(committedRows.groups(topic.topicId()));
            others.removeAll(owned);
            rows.requireRoom(others.size());
        }
    }

    /** @param noted whether the call has already replaced the note of the last reset, so that a failure is not NONE */
    private void move(TopicRecord topic, String group, List<Moved> moves, boolean noted) throws MetadataException {
        boolean stored = noted;
        for (Moved move : moves) {
            try {
                move(topic, group, move);
                stored = true;
            } catch (MetadataException | TalosException e) {
                if (stored) {
                    throw Failures.partly(e);
                }
                throw e;
            }
        }
    }

    private void move(TopicRecord topic, String group, Moved move) throws MetadataException {
        if (move.to().isEmpty()) {
            offsets.remove(topic, group, move.partition());
            return;
        }
        CommittedOffset wanted = new CommittedOffset(move.to().getAsLong() - 1, RESETTER, clock.millis());
        var unused = offsets.change(topic, group, move.partition(), before -> Optional.of(wanted));
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

    private CompletionStage<Long> place(LogBounds log, LogId id, Target target, String turnId) {
        if (target instanceof Target.Time time) {
            return routes.offsetAtTime(id, time.millis(), routes.soon(turnId));
        }
        return CompletableFuture.completedFuture(place(log, id, target));
    }

    private static long place(LogBounds log, LogId id, Target target) {
        if (!(target instanceof Target.Offset place)) {
            return target instanceof Target.Earliest ? log.start() : log.end();
        }
        if (place.offset() < log.start() || place.offset() > log.last()) {
            throw LogFailures.outOfRange(
                    "offset " + place.offset() + " of partition " + id.partition(),
                    place.offset(),
                    log.start(),
                    log.end());
        }
        return place.offset();
    }
}

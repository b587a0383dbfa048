// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.ClusterClock;
import org.talos.server.config.ServiceConfig;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.RememberedGroup;
import org.talos.server.metadata.cache.RememberedGroups;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.service.call.DiskRoom;
import org.talos.thrift.ErrorCode;

/**
 * Reads and changes the stored memberships: each change is one atomic step on the group's row, so two workers never
 * hold a lock, whichever server they ask.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class GroupRows {
    /** An attempt fails only if another change succeeded: more consecutive failures than this have another cause. */
    static final int MAX_TRIES = 100;

    /** A count of groups admits this part of the remaining room, before the groups are counted again. */
    private static final long ADMITTED_PART = 10;

    private static final int MAX_ROOMS = 10_000;

    /** The time for which a full count stays valid. */
    private static final long FULL_MILLIS = 1_000;

    /** Number of a topic's groups at which its owner gets no further one, in limits of other users. */
    private static final long OWNERS_PART = 10;

    private final TopicDirectory directory;
    private final Groups groups;
    private final Bounds bounds;
    private final Duration ttl;
    private final int maxGroups;
    private final DiskRoom disk;
    private final ClusterClock clock;
    private final RememberedGroups remembered;
    private final RowWrites writes;
    private final Cache<Room, Long> admitted = newCache();
    private final Cache<Room, Long> full = newCache(); // when no room was found, ms since 1970

    /**
     * Bounds of the groups on a topic. Immutable.
     *
     * @param ttl after which a worker has expired
     * @param maxGroups of one user
     * @param maxMembers of one group
     */
    public record Bounds(Duration ttl, int maxGroups, int maxMembers) {
        private static final long LEAST_ROW_BYTES = 512L << 10;
        /** A member with the longest id and a user's name takes less, and so do its locks. */
        private static final long ROW_BYTES_OF_A_MEMBER = 512;

        /** Returns the configured bounds. */
        public static Bounds of(ServiceConfig config) {
            return new Bounds(config.memberTtl(), config.maxGroupsPerUser(), config.maxMembersPerGroup());
        }

        /** Returns the largest size of a group's row in bytes: each change writes the whole row. */
        long rowBytes() {
            return Math.max(LEAST_ROW_BYTES, ROW_BYTES_OF_A_MEMBER * maxMembers);
        }
    }

    /**
     * Creates the rows of all groups.
     *
     * @param disk has room for a further group, or that is refused
     * @param writes of each user, or they are refused
     */
    public GroupRows(
            TopicDirectory directory,
            Groups groups,
            Bounds bounds,
            DiskRoom disk,
            ClusterClock clock,
            RememberedGroups remembered,
            RowWrites writes) {
        this.directory = directory;
        this.groups = groups;
        this.bounds = bounds;
        ttl = bounds.ttl();
        maxGroups = bounds.maxGroups();
        this.disk = disk;
        this.clock = clock;
        this.remembered = remembered;
        this.writes = writes;
    }

    /**
     * Reads the current membership, for a caller who has a right on the group.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR: the caller has not
     */
    GroupMembership read(GroupAccess access, Right needed) throws MetadataException {
        GroupMembership membership = read(access.topic(), access.group());
        membership.require(access, needed);
        return membership;
    }

    /** Reads the membership as it is now. */
    GroupMembership read(TopicRecord topic, String group) throws MetadataException {
        return membership(find(topic.topicId(), group, remembered.now()));
    }

    /** Reads a row, and decodes it only if it has changed since the last read. */
    private Optional<Versioned<GroupRecord>> find(String topicId, String group, RememberedGroups.Moment begun)
            throws MetadataException {
        Optional<Versioned<GroupRecord>> row = groups.find(topicId, group, remembered.row(topicId, group));
        if (row.isPresent()) {
            remembered.remember(topicId, group, row.get(), begun);
        } else {
            remembered.forget(topicId, group);
        }
        return row;
    }

    /**
     * Returns the members, each with its locked partitions, as they were at most a second ago.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR: the caller may not see them
     */
    SortedMap<String, List<Integer>> members(GroupAccess access) throws MetadataException {
        Optional<RememberedGroup> known = remembered
                .forMembers(access.topic().topicId(), access.group())
                .filter(group -> isLive(group, clock.millis()) && allows(group, access, Right.READ));
        return known.isPresent()
                ? known.get().members()
                : read(access, Right.READ).members();
    }

    /**
     * Returns whether a renewal of a worker needs no write: by a row that was read lately, the worker is the caller's,
     * has locked exactly the partitions that it names, and keeps them for a whole lease from now. A worker that has
     * released one of them since would not name it.
     */
    boolean isRenewed(GroupAccess access, String worker, Collection<Integer> partitions) {
        return renewal(access, worker, ttl.toMillis(), partitions).isPresent();
    }

    /**
     * Returns whether a rebalance of a member needs no write, and has no partition to give or to take, by a row that
     * was read lately, as for {@link #isRenewed}. A member that has released one of the partitions since would not name
     * it.
     */
    boolean isSettled(GroupAccess access, MemberId id, Collection<Integer> partitions) {
        int count = access.topic().partitions();
        return renewal(access, id.text(), id.leaseMillis(), partitions)
                .filter(group ->
                        GroupBalance.target(group.members(), id.text(), Math.max(count, group.partitionsSeen()))
                                == partitions.size())
                .isPresent();
    }

    /**
     * Returns whether a renewal of a member's lease needs no write, whatever the member holds, by a row that was read
     * lately, as for {@link #isRenewed}.
     */
    boolean isExtended(GroupAccess access, MemberId id) {
        return remembered
                .forRenewal(access.topic().topicId(), access.group())
                .filter(group -> isExtended(group, access, id.text(), id.leaseMillis()))
                .isPresent();
    }

    /**
     * Returns whether the member holds the partition now, by a row that was read or written within the last second. If
     * not, the member may hold it nevertheless: only a read can tell.
     */
    boolean isHolder(GroupAccess access, MemberId id, int partition) {
        return remembered
                .forMembers(access.topic().topicId(), access.group())
                .filter(group -> isLive(group, clock.millis()) && group.holds(id.text(), partition))
                .isPresent();
    }

    private Optional<RememberedGroup> renewal(
            GroupAccess access, String member, long leaseMillis, Collection<Integer> partitions) {
        return remembered
                .forRenewal(access.topic().topicId(), access.group())
                .filter(group -> group.holdsJust(member, partitions))
                .filter(group -> isExtended(group, access, member, leaseMillis));
    }

    /** The time is read here, after it was found to be known precisely enough. */
    private boolean isExtended(RememberedGroup group, GroupAccess access, String member, long leaseMillis) {
        long now = clock.millis();
        boolean isExtended =
                isLive(group, now) && isMember(group, access, member) && group.lasts(member, now + leaseMillis);
        if (isExtended) {
            group.hear(member, now);
        }
        return isExtended;
    }

    /** Returns whether the caller had the right when the row was read. */
    private static boolean allows(RememberedGroup group, GroupAccess access, Right needed) {
        GroupRecord row = group.row().value();
        return access.has(needed, row.owner(), row.grants());
    }

    /** Returns whether the member was the caller's, who might use the group, when the row was read. */
    private static boolean isMember(RememberedGroup group, GroupAccess access, String member) {
        GroupRecord.@Nullable Worker worker = group.row().value().workers().get(member);
        return worker != null
                && worker.user().equals(access.user())
                && !group.row().value().owner().isEmpty()
                && allows(group, access, Right.COMMIT);
    }

    private boolean isLive(RememberedGroup group, long now) {
        return group.isLive(now, GroupMembership.latestEnd(now, ttl));
    }

    /**
     * Changes the membership by a step of a member, which is thereby alive. A step that extends the member's lease does
     * not count for the user's rate of writes: otherwise the member would lose its partitions.
     */
    <A> A renew(GroupAccess access, String member, Function<GroupMembership, A> step) throws MetadataException {
        long now = clock.millis();
        A answer = change(access, step, Optional.of(member));
        remembered.hear(access.topic().topicId(), access.group(), member, now);
        return answer;
    }

    /** Returns whether anything is stored about the group's members. */
    boolean exists(TopicRecord topic, String group) throws MetadataException {
        return groups.find(topic.topicId(), group).isPresent();
    }

    /**
     * Changes the membership in one step, which checks the caller's rights and may run several times; if it throws, the
     * group stays as it was.
     */
    <A> A change(GroupAccess access, Function<GroupMembership, A> step) throws MetadataException {
        return change(access, step, Optional.empty());
    }

    private <A> A change(GroupAccess access, Function<GroupMembership, A> step, Optional<String> renewing)
            throws MetadataException {
        TopicRecord topic = access.topic();
        String group = access.group();
        boolean isCounted = false;
        for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
            RememberedGroups.Moment begun = remembered.now();
            Optional<Versioned<GroupRecord>> row = find(topic.topicId(), group, begun);
            GroupMembership membership = membership(row);
            A answer = step.apply(membership);
            if (isStored(row, membership.toRecord())) {
                requireTopic(topic, group);
                return answer;
            }
            membership.renewHeard(remembered.heard(topic.topicId(), group));
            GroupRecord changed = membership.toRecord();
            requireRoom(access, row, changed);
            if (!isCounted && changed.rowBytes() >= bytes(row) && !extendsLease(row, changed, renewing)) {
                writes.take(access.user(), changed.rowBytes()); // a smaller row releases part of what was counted
                isCounted = true; // a further attempt follows only if this one writes nothing
            }
            if (store(topic.topicId(), group, row, changed, begun)) {
                requireTopic(topic, group);
                return answer;
            }
        }
        throw tooManyTries();
    }

    /** Refuses a row without room: a new one, or one that grows beyond its bound. */
    private void requireRoom(GroupAccess access, Optional<Versioned<GroupRecord>> row, GroupRecord changed)
            throws MetadataException {
        if (row.isEmpty()) {
            disk.require();
            requireRoom(access);
        }
        long bytes = changed.rowBytes();
        if (bytes > bounds.rowBytes() && bytes > bytes(row)) {
            throw TalosException.refused(
                    ErrorCode.QUOTA_EXCEEDED,
                    "the group's members, locks, and grants on this topic take " + kibibytes(bytes)
                            + " of metadata (expected: at most " + kibibytes(bounds.rowBytes())
                            + "): use shorter worker ids, or members in several groups");
        }
    }

    /** Returns whether the member that renews its lease needs the write. Time bounds how often it does. */
    private static boolean extendsLease(
            Optional<Versioned<GroupRecord>> row, GroupRecord changed, Optional<String> renewing) {
        GroupRecord before = row.map(Versioned::value).orElse(GroupRecord.NOBODY);
        return renewing.filter(before.workers()::containsKey)
                .filter(member -> !Objects.equals(
                        before.workers().get(member), changed.workers().get(member)))
                .isPresent();
    }

    private static long bytes(Optional<Versioned<GroupRecord>> row) {
        return row.map(before -> before.value().rowBytes()).orElse(0L);
    }

    private static String kibibytes(long bytes) {
        return (bytes + 1_023) / 1_024 + " KiB";
    }

    /**
     * Refuses a further group of a user who has the maximum: otherwise any user who may get from a topic could fill the
     * metadata. A user who may change the topic has a limit too, as all groups of a topic are listed at once. Two
     * requests at once may create one more, and each server may create as many more as it has admitted ahead.
     *
     * <p>A count reads all groups of the topic. A user who was refused just now is refused again without a count,
     * unless a group of the topic was deleted here since.
     */
    private void requireRoom(GroupAccess access) throws MetadataException {
        String topicId = access.topic().topicId();
        boolean isOverTopic = access.isOverTopic();
        Room room = new Room(topicId, isOverTopic ? "" : access.user());
        if (isAdmitted(room)) {
            return;
        }
        long most = isOverTopic ? OWNERS_PART * maxGroups : maxGroups;
        long found = isFull(room) ? most : count(room, most);
        if (found < most) {
            admitted.put(room, (most - found) / ADMITTED_PART);
        } else if (isOverTopic) {
            throw TalosException.refused(
                    ErrorCode.QUOTA_EXCEEDED,
                    "the topic has " + OWNERS_PART + " times service.maxGroupsPerUser groups already: delete some");
        } else {
            requireRoom(found);
        }
    }

    /** A user's groups on a topic; all groups of the topic if the user is empty. Immutable. */
    private record Room(String topicId, String user) {}

    private static Cache<Room, Long> newCache() {
        return Caffeine.newBuilder()
                .maximumSize(MAX_ROOMS)
                .executor(Runnable::run) // no thread of the JVM's common pool
                .build();
    }

    private boolean isFull(Room room) {
        @Nullable Long since = full.getIfPresent(room);
        return since != null && Math.abs(clock.millis() - since) < FULL_MILLIS;
    }

    /** Counts the groups, and notes if there is no room for more. */
    private long count(Room room, long most) throws MetadataException {
        long found = room.user.isEmpty() ? groups.count(room.topicId) : groups.count(room.topicId, room.user);
        if (found >= most) {
            full.put(room, clock.millis());
        }
        return found;
    }

    /** Takes one of the groups that the last count admitted; returns false if none is left. */
    private boolean isAdmitted(Room room) {
        AtomicBoolean found = new AtomicBoolean();
        admitted.asMap().computeIfPresent(room, (key, left) -> {
            found.set(left > 0);
            return left > 1 ? left - 1 : null;
        });
        return found.get();
    }

    /**
     * Refuses one group more than that.
     *
     * @throws TalosException QUOTA_EXCEEDED
     */
    void requireRoom(long groupsOfOne) {
        if (groupsOfOne >= maxGroups) {
            throw TalosException.refused(
                    ErrorCode.QUOTA_EXCEEDED,
                    "there are " + groupsOfOne + " such groups on the topic already (service.maxGroupsPerUser): delete"
                            + " some, or ask the topic's owner");
        }
    }

    static TalosException tooManyTries() {
        return new TalosException(
                ErrorCode.HBASE_OPERATION_FAILED, Effect.NONE, "others change this all the time; try again later");
    }

    private static boolean isStored(Optional<Versioned<GroupRecord>> row, GroupRecord wanted) {
        return wanted.equals(row.map(Versioned::value).orElse(GroupRecord.NOBODY));
    }

    private boolean store(
            String topicId,
            String group,
            Optional<Versioned<GroupRecord>> row,
            GroupRecord changed,
            RememberedGroups.Moment begun)
            throws MetadataException {
        long before = row.map(Versioned::version).orElse(0L);
        if (changed.equals(GroupRecord.NOBODY)) {
            remembered.forget(topicId, group);
            boolean deleted = groups.delete(topicId, group, before);
            full.asMap().keySet().removeIf(room -> room.topicId.equals(topicId));
            return deleted;
        }
        try {
            OptionalLong version = groups.save(topicId, group, changed, before);
            version.ifPresent(now -> remembered.remember(topicId, group, new Versioned<>(changed, now), begun));
            return version.isPresent();
        } catch (MetadataException e) {
            remembered.forget(topicId, group); // it may have been written
            throw e;
        }
    }

    /** Deletes a row that was written while its topic was being deleted: the sweep may have missed it. */
    private void requireTopic(TopicRecord topic, String group) throws MetadataException {
        if (directory.byId(topic.topicId()).isEmpty()) {
            groups.delete(topic.topicId(), group);
            throw TalosException.refused(ErrorCode.TOPIC_NOT_EXIST, "no topic " + topic.resourceName());
        }
    }

    private GroupMembership membership(Optional<Versioned<GroupRecord>> row) {
        return new GroupMembership(
                row.isPresent() ? row.get().value() : GroupRecord.NOBODY, clock.millis(), ttl, clock::isSure);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.InstantSource;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

/**
 * The members of groups that join over REST. They are stored in the same rows as the SDKs' workers, and their leases
 * are the same locks, so no partition is read by one of each. No call depends on cached state, so any server handles
 * any call.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class GroupMembers {
    private final GroupRows rows;
    private final GroupOffsets offsets;
    private final int maxMembers;
    private final InstantSource clock;

    public GroupMembers(GroupRows rows, GroupOffsets offsets, int maxMembers, InstantSource clock) {
        this.rows = rows;
        this.offsets = offsets;
        this.maxMembers = maxMembers;
        this.clock = clock;
    }

    GroupMember join(GroupAccess access, MemberId id) throws MetadataException {
        List<Integer> partitions = rows.change(access, membership -> {
            membership.use(access, id.text());
            if (!membership.join(id.text(), id.leaseMillis(), maxMembers)) {
                throw TalosException.refused(
                        ErrorCode.TOO_MANY_CONSUMER, "the group has " + maxMembers + " members on this topic already");
            }
            return membership
                    .rebalance(id.text(), access.topic().partitions(), partition -> false)
                    .partitions();
        });
        return new GroupMember(id.text(), id.leaseMillis(), partitions);
    }

    /** Removes a member; may be repeated. */
    void leave(GroupAccess access, MemberId id) throws MetadataException {
        rows.change(access, membership -> {
            membership.requireWorker(access, id.text());
            membership.leave(id.text());
            return true;
        });
    }

    /** Sets or revokes a right on the group. */
    boolean grant(GroupAccess access, String grantee, Optional<Right> right) throws MetadataException {
        return rows.change(access, membership -> {
            if (right.isPresent()) {
                membership.grant(access, grantee, right.get());
            } else {
                membership.revoke(access, grantee);
            }
            return true;
        });
    }

    /** Renews the lease. */
    List<Integer> extend(GroupAccess access, MemberId id) throws MetadataException {
        return rows.renew(access, id.text(), membership -> {
            requireLive(membership, access, id);
            return membership.heldBy(id.text());
        });
    }

    /** Renews the member's lease like {@link #extend}, and locks or unlocks partitions to match its share. */
    GroupMembership.Share rebalance(GroupAccess access, MemberId id, Predicate<Integer> busy) throws MetadataException {
        return rows.renew(access, id.text(), membership -> {
            requireLive(membership, access, id);
            return membership.rebalance(id.text(), access.topic().partitions(), busy);
        });
    }

    /**
     * Renews the member's lease without reading the rows, if a {@link #rebalance} has nothing to do.
     *
     * @param held partitions that the member holds, by the last answer to it
     */
    boolean isSettled(GroupAccess access, MemberId id, List<Integer> held) {
        return rows.isSettled(access, id, held);
    }

    /** The partitions of a member, and the group's commits since no other member holds them. Immutable. */
    record Held(GroupAccess group, GroupMembership.Share share, Map<Integer, CommittedOffset> committed) {
        Held {
            committed = Map.copyOf(committed);
        }

        TopicRecord topic() {
            return group.topic();
        }

        /** Returns the same without the commits of partitions that others hold: many members wait with theirs. */
        Held ofItsOwn() {
            Map<Integer, CommittedOffset> own = new HashMap<>();
            for (int partition : share.partitions()) {
                Optional.ofNullable(committed.get(partition)).ifPresent(offset -> own.put(partition, offset));
            }
            return new Held(group, share, own);
        }
    }

    /**
     * Renews the member's lease and balances.
     *
     * @param positions of partitions with messages in progress: the member's next offset, if that is not the committed
     *     one
     * @param known partitions that it held just now, if these were read: if they are its share, the row is not read
     *     again
     */
    Held held(GroupAccess access, MemberId id, Map<Integer, Long> positions, Optional<List<Integer>> known)
            throws MetadataException {
        int count = access.topic().partitions();
        Optional<List<Integer>> settled = known.filter(
                held -> held.stream().allMatch(partition -> partition < count) && isSettled(access, id, held));
        GroupMembership.Share share = settled.isPresent()
                ? new GroupMembership.Share(settled.get(), List.of())
                : rebalance(access, id, busy(access, positions));
        // Read after the rebalance: the former holder of a partition may have committed until then.
        return new Held(access, share, committed(access));
    }

    /** Partitions with messages in progress: the member reads them at another offset than the committed one. */
    private Predicate<Integer> busy(GroupAccess access, Map<Integer, Long> positions) throws MetadataException {
        if (positions.isEmpty()) {
            return partition -> false;
        }
        Map<Integer, CommittedOffset> committed = committed(access);
        return partition -> {
            @Nullable Long position = positions.get(partition);
            @Nullable CommittedOffset stored = committed.get(partition);
            return position != null && (stored == null || position != next(stored));
        };
    }

    /** Returns the group's committed offsets by partition. */
    private Map<Integer, CommittedOffset> committed(GroupAccess access) throws MetadataException {
        return offsets.list(access.topic(), access.group());
    }

    private static void requireLive(GroupMembership membership, GroupAccess access, MemberId id) {
        membership.use(access, id.text());
        if (!membership.extend(id.text(), id.leaseMillis())) {
            throw MemberId.unknown();
        }
    }

    /**
     * Renews the member's lease without reading the rows, if an {@link #extend} has nothing to do.
     *
     * @return false if only {@code extend} can tell
     */
    boolean isExtended(GroupAccess access, MemberId id) {
        return rows.isExtended(access, id);
    }

    /**
     * The rows that decide about a commit. Immutable.
     *
     * @param held the partitions that the member holds, in order
     * @param committed the offsets as they were before that was read
     */
    record Standing(List<Integer> held, Map<Integer, Versioned<CommittedOffset>> committed) {
        Standing {
            held = List.copyOf(held);
            committed = Map.copyOf(committed);
        }

        private Optional<Versioned<CommittedOffset>> committed(int partition) {
            return Optional.ofNullable(committed.get(partition));
        }

        private boolean holds(int partition) {
            return Collections.binarySearch(held, partition) >= 0;
        }

        /**
         * Refuses a member that does not hold all of the partitions.
         *
         * @throws TalosException LOCK_EXIST: others hold some of them
         */
        void requireHeld(Set<Integer> partitions) {
            List<Integer> lost =
                    partitions.stream().filter(each -> !holds(each)).sorted().toList();
            if (!lost.isEmpty()) {
                throw lost(Effect.NONE, lost);
            }
        }

        private void requireForward(int partition, long asked) {
            long stored = committed(partition).map(row -> next(row.value())).orElse(0L);
            if (holds(partition) && asked < stored) {
                throw TalosException.refused(
                        ErrorCode.LOCK_VALUE_NOT_EXPECTED,
                        "partition " + partition + " is committed up to " + stored + " already; a reset would go back");
            }
        }
    }

    /**
     * Renews the member's lease like {@link #extend}, and reads the rows that decide about a commit. The offsets are
     * read before the locks. A member that takes a partition after its lock was read here changes the offset's row with
     * its first commit, and a write that expects the version read here then fails.
     */
    Standing standing(GroupAccess access, MemberId id, Set<Integer> partitions) throws MetadataException {
        Map<Integer, Versioned<CommittedOffset>> committed = offsets.read(access.topic(), access.group(), partitions);
        return new Standing(extend(access, id), committed);
    }

    /** Reads the rows that decide about the commit, and commits. */
    List<Integer> commit(GroupAccess access, MemberId id, Map<Integer, Long> next) throws MetadataException {
        return commit(access, id, standing(access, id, next.keySet()), next);
    }

    /**
     * Commits the messages that the member has processed, of the partitions that it holds.
     *
     * @param standing read before, at least for these partitions
     * @param next partition to the first offset that it has not processed
     * @return partitions that others hold: nothing was committed for these
     */
    List<Integer> commit(GroupAccess access, MemberId id, Standing standing, Map<Integer, Long> next)
            throws MetadataException {
        next.forEach(standing::requireForward);
        TreeSet<Integer> lost = new TreeSet<>();
        boolean stored = false;
        for (Map.Entry<Integer, Long> each : laterFirst(standing, next)) {
            try {
                boolean done =
                        standing.holds(each.getKey()) && commit(access, id, standing, each.getKey(), each.getValue());
                stored |= done;
                if (!done) {
                    lost.add(each.getKey());
                }
            } catch (MetadataException | TalosException e) {
                if (stored) {
                    throw Failures.partly(e);
                }
                throw e;
            }
        }
        return List.copyOf(lost);
    }

    /** Returns the commits, with first commits in a partition last: only these are refused by a full disk. */
    private static List<Map.Entry<Integer, Long>> laterFirst(Standing standing, Map<Integer, Long> next) {
        return next.entrySet().stream()
                .sorted(Comparator.comparing(
                        each -> standing.committed(each.getKey()).isEmpty()))
                .toList();
    }

    /** Commits all of the offsets of partitions that the member held; fails if others hold any of them by now. */
    void commitAll(GroupAccess access, MemberId id, Standing standing, Map<Integer, Long> next)
            throws MetadataException {
        List<Integer> lost = commit(access, id, standing, next);
        if (!lost.isEmpty()) {
            throw lost(Effect.UNKNOWN, lost);
        }
    }

    private static TalosException lost(Effect effect, List<Integer> partitions) {
        return new TalosException(ErrorCode.LOCK_EXIST, effect, "not this member's any more: partitions " + partitions);
    }

    /**
     * Commits one offset; returns false if another worker holds the partition by now or has moved the offset. Reads
     * nothing as long as the rows are known to be unchanged.
     */
    private boolean commit(GroupAccess access, MemberId id, Standing standing, int partition, long next)
            throws MetadataException {
        CommittedOffset wanted = new CommittedOffset(next - 1, id.text(), clock.millis());
        Optional<Versioned<CommittedOffset>> read = standing.committed(partition);
        if (read.isPresent() && read.get().value().offset() == wanted.offset()) {
            return true;
        }
        return (rows.isHolder(access, id, partition)
                        && offsets.replace(access.topic(), access.group(), partition, read, wanted))
                || commitByRows(access.topic(), access.group(), partition, id, wanted);
    }

    /** Reads the rows again, and commits by them. */
    private boolean commitByRows(TopicRecord topic, String group, int partition, MemberId id, CommittedOffset wanted)
            throws MetadataException {
        Optional<CommittedOffset> before = offsets.find(topic, group, partition);
        if (before.isPresent() && before.get().offset() == wanted.offset()) {
            return true;
        }
        return offsets.change(
                topic,
                group,
                partition,
                stored -> isBehind(stored, wanted) && isHolder(topic, group, partition, id)
                        ? Optional.of(wanted)
                        : Optional.empty());
    }

    /**
     * Commits the ends of all partitions for a group that begins there. So the group gets all later messages, also
     * those in partitions that no member reads yet. A later partition is new to the group from its first message on,
     * and so is one whose end is not known now.
     *
     * <p>The ends were read before the check that no other member has begun the group in the meantime. Otherwise the
     * end of a later partition could be committed behind messages that are for the group.
     *
     * @throws TalosException PARTITION_NOT_SERVING: no end is known, so that the group does not begin
     */
    void beginAtEnds(GroupAccess access, MemberId id, Map<LogId, LogBounds> bounds) throws MetadataException {
        if (!committed(access).isEmpty()) {
            return;
        }
        if (bounds.isEmpty()) {
            throw TalosException.refused(
                    ErrorCode.PARTITION_NOT_SERVING,
                    "partition not serving error: the group begins at the ends of the topic's partitions, and none is"
                            + " served now");
        }
        for (Map.Entry<LogId, LogBounds> log : bounds.entrySet()) {
            begin(
                    access.topic(),
                    access.group(),
                    id,
                    log.getKey().partition(),
                    log.getValue().end());
        }
    }

    /** Commits the begin of a group, unless another member has. */
    private void begin(TopicRecord topic, String group, MemberId id, int partition, long end) throws MetadataException {
        CommittedOffset wanted = new CommittedOffset(end - 1, id.text(), clock.millis());
        offsets.change(topic, group, partition, stored -> stored.isPresent() ? Optional.empty() : Optional.of(wanted));
    }

    private static boolean isBehind(Optional<CommittedOffset> stored, CommittedOffset wanted) {
        return stored.isEmpty() || stored.get().offset() < wanted.offset();
    }

    private boolean isHolder(TopicRecord topic, String group, int partition, MemberId id) throws MetadataException {
        return rows.read(topic, group)
                .holder(partition)
                .filter(id.text()::equals)
                .isPresent();
    }

    /** Returns the first offset that the group has not processed. */
    static long next(CommittedOffset committed) {
        return committed.offset() + 1;
    }
}

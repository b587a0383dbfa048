// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.CommittedOffset;
import org.talos.server.metadata.rows.GroupRecord.Right;
import org.talos.server.metadata.rows.TopicRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.thrift.ErrorCode;

/**
 * The members of groups that join over REST. They stand in the same rows as the SDKs' workers, and their leases are the
 * same locks: no partition is read by one of each. No call depends on what is kept in memory, so any server takes any
 * call.
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

    /** Gives somebody a right on the group in place of what they had, or takes it. */
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

    /** Renews the member's lease like {@link #extend}, and locks or unlocks partitions as its share asks. */
    GroupMembership.Share rebalance(GroupAccess access, MemberId id, Predicate<Integer> busy) throws MetadataException {
        return rows.renew(access, id.text(), membership -> {
            requireLive(membership, access, id);
            return membership.rebalance(id.text(), access.topic().partitions(), busy);
        });
    }

    /**
     * Renews the member's lease without a look at the rows, if a {@link #rebalance} has nothing to do.
     *
     * @param held the partitions that the member holds, by the last answer to it
     */
    boolean isSettled(GroupAccess access, MemberId id, List<Integer> held) {
        return rows.isSettled(access, id, held);
    }

    private static void requireLive(GroupMembership membership, GroupAccess access, MemberId id) {
        membership.use(access, id.text());
        if (!membership.extend(id.text(), id.leaseMillis())) {
            throw MemberId.unknown();
        }
    }

    /**
     * Commits what the member has processed of the partitions that it holds.
     *
     * @param next partition to the first offset that it has not processed
     * @return the partitions that others hold: nothing of these was committed
     */
    List<Integer> commit(GroupAccess access, MemberId id, Map<Integer, Long> next) throws MetadataException {
        List<Integer> held = extend(access, id);
        Map<Integer, CommittedOffset> stored = offsets.list(access.topic(), access.group());
        for (int partition : held) {
            requireForward(partition, stored.get(partition) == null ? 0 : next(stored.get(partition)), next);
        }
        return commitHeld(access, id, held, next);
    }

    /**
     * Renews the lease of a member that holds all of the partitions.
     *
     * @throws TalosException LOCK_EXIST: others hold some of them
     */
    List<Integer> requireHeld(GroupAccess access, MemberId id, Set<Integer> partitions) throws MetadataException {
        List<Integer> held = extend(access, id);
        if (!held.containsAll(partitions)) {
            throw lost(
                    Effect.NONE,
                    partitions.stream()
                            .filter(each -> !held.contains(each))
                            .sorted()
                            .toList());
        }
        return held;
    }

    /** Commits all of the offsets, or none: refused if other members hold any of the partitions. */
    void commitAll(GroupAccess access, MemberId id, Map<Integer, Long> next) throws MetadataException {
        var unused = requireHeld(access, id, next.keySet());
        List<Integer> lost = commit(access, id, next);
        if (!lost.isEmpty()) {
            throw lost(Effect.UNKNOWN, lost);
        }
    }

    private static TalosException lost(Effect effect, List<Integer> partitions) {
        return new TalosException(ErrorCode.LOCK_EXIST, effect, "not this member's any more: partitions " + partitions);
    }

    private List<Integer> commitHeld(GroupAccess access, MemberId id, List<Integer> held, Map<Integer, Long> next)
            throws MetadataException {
        TreeSet<Integer> lost = new TreeSet<>();
        boolean stored = false;
        for (Map.Entry<Integer, Long> each : next.entrySet()) {
            try {
                boolean done = held.contains(each.getKey())
                        && commit(access.topic(), access.group(), id, each.getKey(), each.getValue());
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

    private static void requireForward(int partition, long stored, Map<Integer, Long> next) {
        long asked = next.getOrDefault(partition, stored);
        if (asked < stored) {
            throw TalosException.refused(
                    ErrorCode.LOCK_VALUE_NOT_EXPECTED,
                    "partition " + partition + " is committed up to " + stored + " already; a reset would go back");
        }
    }

    /** Commits one offset; false if another worker holds the partition by now or has moved the offset. */
    private boolean commit(TopicRecord topic, String group, MemberId id, int partition, long next)
            throws MetadataException {
        CommittedOffset wanted = new CommittedOffset(next - 1, id.text(), clock.millis());
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

    /** Commits where a group begins, unless another member has. */
    void begin(TopicRecord topic, String group, MemberId id, int partition, long end) throws MetadataException {
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

    /** The first offset that the group has not processed. */
    static long next(CommittedOffset committed) {
        return committed.offset() + 1;
    }
}

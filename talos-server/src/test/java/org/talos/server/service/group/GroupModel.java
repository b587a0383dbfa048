// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.group.PartitionLock;
import org.talos.server.simulation.MemoryRows;

/**
 * The topic's messages, and what the group has promised about them.
 *
 * <p>Confined: as {@link org.talos.server.simulation.fiber.Fibers}.
 */
final class GroupModel {
    /** Every message put since the group began is processed before an offset behind it is committed or read. */
    static final String NO_SKIP = "no message is skipped";
    /** A commit that is long under way does not undo a later one of the same worker; REST's never go back. */
    static final String NO_OLD_COMMIT = "no commit goes back";
    /** A member that renewed its lease in time stays a member, whatever other servers do. */
    static final String LEASE = "a lease lasts";
    /** A partition passes to another worker only when its lock has ended or was released. */
    static final String ONE_HOLDER = "one member holds a partition";
    /** Once nothing fails any more, all messages are processed, and partitions are shared equally. */
    static final String REST = "the group comes to rest";

    private static final long TOLERANCE_MILLIS = 4_000; // clocks of servers differ

    private final GroupWorld world;
    private final List<Long> ends = new ArrayList<>(); // of partitions, by number
    private final List<Long> processed = new ArrayList<>(); // one past the last message that anybody has processed
    private final List<Long> begins = new ArrayList<>(); // where the group began
    private final Set<Integer> unserved = new TreeSet<>();
    private final Map<Integer, CommittedOffset> committed = new HashMap<>();
    private final Map<Integer, PartitionLock> locks = new HashMap<>();
    private final Groups groups;
    private final Offsets offsets;
    private boolean begun;

    GroupModel(GroupWorld world, int partitions) {
        this.world = world;
        groups = new Groups(world.rows.view(MemoryRows.Faults.NONE));
        offsets = new Offsets(world.rows.view(MemoryRows.Faults.NONE));
        begun = !world.fromLatest;
        for (int number = 0; number < partitions; number++) {
            grow();
        }
        world.rows.onChange((key, before, value) -> {
            checkCommits();
            checkLocks();
        });
    }

    int partitions() {
        return ends.size();
    }

    long end(int partition) {
        return ends.get(partition);
    }

    /** Adds a partition. */
    void grow() {
        ends.add(0L);
        processed.add(0L);
        begins.add(0L);
    }

    void put(int partition, int messages) {
        ends.set(partition, ends.get(partition) + messages);
    }

    void serve(int partition, boolean serves) {
        if (serves) {
            unserved.remove(partition);
        } else {
            unserved.add(partition);
        }
    }

    boolean isServed(int partition) {
        return !unserved.contains(partition);
    }

    /** A fetch of the group has succeeded: what is put from here on is for the group. */
    void fetched() {
        if (!begun && !committed.isEmpty()) {
            begun = true;
            for (int partition = 0; partition < ends.size(); partition++) {
                begins.set(partition, ends.get(partition));
            }
            world.fibers.note("the group has begun at " + begins);
        }
    }

    /** A member processes messages. */
    void process(String member, int partition, long from, long to) {
        if (from > reached(partition)) {
            throw world.fibers.violated(
                    NO_SKIP,
                    member + " reads partition " + partition + " from " + from + ", processed up to "
                            + reached(partition));
        }
        if (to > from) {
            world.fibers.note(member + " processes " + partition + " from " + from + " to " + to);
        }
        processed.set(partition, Math.max(processed.get(partition), to));
    }

    private long reached(int partition) {
        return Math.max(processed.get(partition), begins.get(partition));
    }

    private void checkLocks() {
        Map<Integer, PartitionLock> now = members().orElse(GroupRecord.NOBODY).locks();
        now.forEach((partition, lock) -> {
            @Nullable PartitionLock before = locks.get(partition);
            if (before != null
                    && !before.workerId().equals(lock.workerId())
                    && before.expiresAt() > world.wallMillis() + TOLERANCE_MILLIS) {
                throw world.fibers.violated(ONE_HOLDER, lock + " in place of " + before);
            }
        });
        locks.clear();
        locks.putAll(now);
    }

    private void checkCommits() {
        committedNow().forEach((partition, row) -> {
            CommittedOffset now = row.value();
            @Nullable CommittedOffset before = committed.put(partition, now);
            if (!now.equals(before)) {
                world.fibers.note(
                        "committed " + partition + " up to " + GroupMembers.next(now) + " by " + now.workerId());
                checkCommit(partition, before, now);
            }
        });
    }

    private void checkCommit(int partition, @Nullable CommittedOffset before, CommittedOffset now) {
        if (begun && GroupMembers.next(now) > reached(partition)) {
            throw world.fibers.violated(
                    NO_SKIP,
                    "committed in partition " + partition + ": " + now + ", processed up to " + reached(partition));
        }
        boolean mayGoBack = now.workerId().startsWith("sdk");
        if (before != null
                && now.offset() < before.offset()
                && (!mayGoBack || now.workerId().equals(before.workerId()))) {
            throw world.fibers.violated(NO_OLD_COMMIT, "partition " + partition + ": " + now + " after " + before);
        }
    }

    private SortedMap<Integer, Versioned<CommittedOffset>> committedNow() {
        try {
            return offsets.list(world.topic().topicId(), GroupWorld.GROUP);
        } catch (MetadataException e) {
            throw new IllegalStateException(e); // nothing fails here
        }
    }

    private Optional<GroupRecord> members() {
        try {
            return groups.find(world.topic().topicId(), GroupWorld.GROUP).map(Versioned::value);
        } catch (MetadataException e) {
            throw new IllegalStateException(e); // nothing fails here
        }
    }

    /** The end of a run: everything was processed and committed, and is shared equally. */
    void checkRest(int alive) {
        for (int partition = 0; partition < ends.size(); partition++) {
            long end = ends.get(partition);
            long next = Optional.ofNullable(committed.get(partition))
                    .map(GroupMembers::next)
                    .orElse(0L);
            if (reached(partition) < end || (end > begins.get(partition) && next < end)) {
                throw world.fibers.violated(
                        REST,
                        "partition " + partition + " ends at " + end + ", processed up to " + reached(partition)
                                + ", committed up to " + next);
            }
        }
        checkShares(alive);
    }

    private void checkShares(int alive) {
        Map<String, Integer> shares = new TreeMap<>();
        Set<Integer> held = new TreeSet<>();
        GroupRecord record = members().orElse(GroupRecord.NOBODY);
        record.workers().forEach((worker, row) -> {
            if (row.heartbeat() + GroupServer.TTL.toMillis() > world.wallMillis()) {
                shares.put(worker, 0);
            }
        });
        record.locks().forEach((partition, lock) -> {
            if (shares.containsKey(lock.workerId())) {
                shares.merge(lock.workerId(), 1, Integer::sum);
                held.add(partition);
            }
        });
        int most = shares.values().stream().max(Comparator.naturalOrder()).orElse(0);
        int least = shares.values().stream().min(Comparator.naturalOrder()).orElse(0);
        if (shares.size() != alive || held.size() != ends.size() || most - least > 1) {
            throw world.fibers.violated(
                    REST, alive + " members, " + ends.size() + " partitions, held " + held + " by " + shares);
        }
    }
}

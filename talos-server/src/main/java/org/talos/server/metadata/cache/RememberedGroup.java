// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.PartitionLock;

/**
 * A group's row as it was read or written lately. A lease and a lock of the row last at least as long as it says,
 * whatever has been written since, unless somebody has released them in their member's name. So the row answers a
 * renewal for which they last long enough.
 *
 * <p>Thread-safe.
 */
public final class RememberedGroup {
    private static final int BYTES = 1_000;
    private static final int BYTES_OF_AN_ENTRY = 500; // a worker, a lock, or a grant, as stored and in each view of it

    private final Versioned<GroupRecord> row;
    private volatile RememberedGroups.Moment read;
    private final Map<String, Long> ends = new HashMap<>(); // when a member's lease or the first of its locks ends
    private final SortedMap<String, List<Integer>> members;
    private final long firstEnd; // of all leases and locks
    private final long lastEnd;
    private final int partitionsSeen;
    private final Map<String, Long> heard; // member to its last heartbeat, ms since 1970; some are stored

    /**
     * A row.
     *
     * @param before the group as remembered until now; null if it is unknown
     * @param read when its reading or writing began
     */
    RememberedGroup(
            Versioned<GroupRecord> row,
            @Nullable RememberedGroup before,
            long ttlMillis,
            RememberedGroups.Moment read) {
        this.row = row;
        this.read = read;
        heard = before == null ? new ConcurrentHashMap<>() : before.heard;
        GroupRecord stored = row.value();
        heard.keySet().retainAll(stored.workers().keySet());
        SortedMap<String, List<Integer>> held = new TreeMap<>();
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (Map.Entry<String, GroupRecord.Worker> worker : stored.workers().entrySet()) {
            long end = worker.getValue().heartbeat() + ttlMillis;
            ends.put(worker.getKey(), end);
            held.put(worker.getKey(), new ArrayList<>());
            first = Math.min(first, end);
            last = Math.max(last, end);
        }
        for (Map.Entry<Integer, PartitionLock> lock : new TreeMap<>(stored.locks()).entrySet()) {
            long end = lock.getValue().expiresAt();
            String worker = lock.getValue().workerId();
            held.computeIfAbsent(worker, id -> new ArrayList<>()).add(lock.getKey());
            ends.merge(worker, end, Math::min);
            first = Math.min(first, stored.workers().containsKey(worker) ? end : Long.MIN_VALUE);
            last = Math.max(last, end);
        }
        held.replaceAll((id, partitions) -> List.copyOf(partitions));
        members = Collections.unmodifiableSortedMap(held);
        firstEnd = first;
        lastEnd = last;
        partitionsSeen = stored.locks().keySet().stream()
                .mapToInt(partition -> partition + 1)
                .max()
                .orElse(0);
    }

    /** The row. */
    public Versioned<GroupRecord> row() {
        return row;
    }

    /** The row was found to be the same. */
    void readAgain(RememberedGroups.Moment begun) {
        read = begun;
    }

    /** Returns when the last reading or writing of the row began. */
    RememberedGroups.Moment read() {
        return read;
    }

    /** About the heap that it takes. */
    int bytes() {
        GroupRecord stored = row.value();
        long characters = stored.owner().length();
        for (Map.Entry<String, GroupRecord.Worker> worker : stored.workers().entrySet()) {
            characters += worker.getKey().length() + worker.getValue().user().length();
        }
        for (PartitionLock lock : stored.locks().values()) {
            characters += lock.workerId().length();
        }
        for (String grantee : stored.grants().keySet()) {
            characters += grantee.length();
        }
        long entries = (long) stored.workers().size()
                + stored.locks().size()
                + stored.grants().size();
        return (int) Math.min(Integer.MAX_VALUE, BYTES + BYTES_OF_AN_ENTRY * entries + 2 * characters);
    }

    /**
     * Returns whether nothing of the row has ended, and no lease ends later than leases can.
     *
     * @param latest when the last lease that was written just now may end
     */
    public boolean isLive(long nowMillis, long latest) {
        return nowMillis < firstEnd && lastEnd <= latest;
    }

    /** Returns whether the lease of a member and all its locks last until then at least, ms since 1970. */
    public boolean lasts(String member, long until) {
        return ends.getOrDefault(member, Long.MIN_VALUE) >= until;
    }

    /** Returns whether a member has locked these partitions and no others. */
    public boolean holdsJust(String member, Collection<Integer> partitions) {
        return held(member).equals(List.copyOf(new TreeSet<>(partitions)));
    }

    /** Returns whether a member has locked a partition. */
    public boolean holds(String member, int partition) {
        return Collections.binarySearch(held(member), partition) >= 0;
    }

    private List<Integer> held(String member) {
        return members.getOrDefault(member, List.of());
    }

    /** The members, each with the partitions that it has locked. Immutable. */
    public SortedMap<String, List<Integer>> members() {
        return members;
    }

    /** Returns the lowest possible number of the topic's partitions, by the locked ones. */
    public int partitionsSeen() {
        return partitionsSeen;
    }

    /** Notes that a member has shown that it is alive. */
    public void hear(String member, long nowMillis) {
        heard.put(member, nowMillis);
    }

    /** The members that have shown that they are alive, and when, ms since 1970. */
    Map<String, Long> heard() {
        return Map.copyOf(heard);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Permissions;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.GroupRecord.Right;
import org.talos.server.metadata.rows.group.PartitionLock;
import org.talos.server.partition.serving.Failures;

/**
 * The rules of a consumer group at one moment: its owner, its members, and the readers of its partitions. Expired
 * entries are left out. Each request of a worker counts as a heartbeat, so no lock outlives its worker.
 *
 * <p>Confined: to one try of one call.
 */
final class GroupMembership {
    /**
     * A lease is written longer by this part: renewals within that time find that it lasts long enough. So a dead
     * member expires after at most one and a half of its leases.
     */
    private static final int SPARE_PART = 2;
    /** Far below the difference of clocks that servers consider possible, including those of earlier versions. */
    private static final long MOST_SPARE_MILLIS = 30_000;
    /** Clocks of servers that serve together differ by less. */
    private static final long MOST_SKEW_MILLIS = 60_000;

    /** Grants of one group. */
    private static final int MAX_GRANTS = 100;

    private final Map<String, Long> workers = new HashMap<>();
    private final Map<String, String> users = new HashMap<>(); // of workers, including some former ones
    private final Map<String, Right> grants;
    private final Map<Integer, PartitionLock> locks = new HashMap<>();
    private final Map<String, Long> ahead = new HashMap<>(); // heartbeats that are later than is believed, as stored
    private final long nowMillis;
    private final long ttlMillis;
    private String owner;

    /**
     * Creates the group at a moment.
     *
     * @param isNowSure called if a heartbeat is too far ahead of now: returns whether that is certainly wrong. If not,
     *     the heartbeat counts as new, and is stored as it was: this server may be behind, and must not end others'
     *     leases
     */
    GroupMembership(GroupRecord stored, long nowMillis, Duration ttl, BooleanSupplier isNowSure) {
        this.nowMillis = nowMillis;
        this.ttlMillis = ttl.toMillis();
        owner = stored.owner();
        grants = new HashMap<>(stored.grants());
        stored.workers().forEach((id, worker) -> {
            if (worker.heartbeat() + ttlMillis > nowMillis) {
                long believed = plausible(id, worker.heartbeat());
                if (believed != worker.heartbeat() && !isNowSure.getAsBoolean()) {
                    ahead.put(id, worker.heartbeat());
                }
                workers.put(id, believed);
                users.put(id, worker.user());
            }
        });
        stored.locks().forEach((partition, lock) -> {
            if (lock.expiresAt() > nowMillis && workers.containsKey(lock.workerId())) {
                long ends = ahead.containsKey(lock.workerId())
                        ? lock.expiresAt()
                        : Math.min(lock.expiresAt(), endOf(lock.workerId()));
                locks.put(partition, new PartitionLock(lock.workerId(), ends));
            }
        });
    }

    /**
     * Bounds a heartbeat from a server whose clock was far ahead: it would keep a dead worker's partitions locked for
     * that long. The heartbeat counts as new.
     */
    private long plausible(String worker, long heartbeat) {
        long latest = nowMillis + withSpare(leaseMillis(worker)) - ttlMillis;
        return heartbeat > latest + MOST_SKEW_MILLIS ? latest : heartbeat;
    }

    /**
     * Refuses a caller without a right on the group.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR
     */
    void require(GroupAccess access, Right needed) {
        if (!allows(access, needed)) {
            throw access.denied(
                    "is another's: its right " + needed + " is needed, which its owner or the topic's gives");
        }
    }

    /** Returns whether the caller has a right on the group. */
    boolean allows(GroupAccess access, Right needed) {
        return access.has(needed, owner, grants);
    }

    /**
     * Refuses a caller who may not act as the worker. The worker's user may, with the right to commit. If it is not a
     * member, any caller with that right may.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR
     */
    void requireWorker(GroupAccess access, String worker) {
        require(access, Right.COMMIT);
        String user = users.getOrDefault(worker, "");
        if (!user.isEmpty() && !user.equals(access.user())) {
            throw access.denied("has a member of that id which is another user's");
        }
    }

    /**
     * Marks the worker as the caller's, who uses the group. A group without an owner becomes the caller's, unless it
     * has other users' members: these continue together as they did before groups had owners.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR
     */
    void use(GroupAccess access, String worker) {
        requireWorker(access, worker);
        users.put(worker, access.user());
        if (owner.isEmpty() && hasNoOthers(access)) {
            owner = access.user();
        }
    }

    /** Returns whether all members belong to the caller, or to users who share the caller's groups. */
    private boolean hasNoOthers(GroupAccess access) {
        return workers.keySet().stream()
                .map(worker -> users.getOrDefault(worker, ""))
                .allMatch(user -> !user.isEmpty() && access.isWith(user));
    }

    /**
     * Sets a right. A group without an owner becomes the caller's. If it has other users' members, which do not expect
     * that, only the topic's owner may do it.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR
     */
    void grant(GroupAccess access, String grantee, Right right) {
        require(access, Right.ADMINISTER);
        if (owner.isEmpty()) {
            if (!access.isOverTopic() && !hasNoOthers(access)) {
                throw access.denied("is nobody's and has members of others: the topic's owner may give rights on it");
            }
            owner = access.user();
        }
        Permissions.requireChangeable(owner, grantee);
        grants.put(grantee, right);
        if (grants.size() > MAX_GRANTS) {
            throw Failures.invalid("number of grants: " + grants.size() + " (expected: 0.." + MAX_GRANTS + ")");
        }
    }

    /** Revokes a right; may be repeated. The user's members last until they expire. */
    void revoke(GroupAccess access, String grantee) {
        require(access, Right.ADMINISTER);
        Permissions.requireChangeable(owner, grantee);
        grants.remove(grantee);
    }

    /** Forgets the group's owner, unless it has members. */
    void dissolve() {
        if (workers.isEmpty()) {
            owner = "";
            grants.clear();
        }
    }

    /** Returns the owner of the group; empty if it has none. */
    Optional<String> owner() {
        return owner.isEmpty() ? Optional.empty() : Optional.of(owner);
    }

    /** Returns the rights of users other than the owner. */
    SortedMap<String, Right> grants() {
        return new TreeMap<>(grants);
    }

    /** The requested partitions that the worker holds now, and those that another does. Immutable. */
    record Locked(List<Integer> held, List<Integer> foreign) {
        Locked {
            held = List.copyOf(held);
            foreign = List.copyOf(foreign);
        }
    }

    /** Returns whether the worker is a member or there is room for it. */
    boolean hasRoomFor(String worker, int maxWorkers) {
        return workers.containsKey(worker) || workers.size() < maxWorkers;
    }

    /** Adds or refreshes the worker; returns false if the group is full. */
    boolean register(String worker, int maxWorkers) {
        boolean room = hasRoomFor(worker, maxWorkers);
        if (room) {
            heartbeat(worker);
        }
        return room;
    }

    /**
     * Adds a member that expires at the end of its lease unless it renews it, or continues the existing one of this
     * name with its partitions; returns false if the group is full.
     */
    boolean join(String member, long leaseMillis, int maxWorkers) {
        boolean room = hasRoomFor(member, maxWorkers);
        if (room) {
            renewUntil(member, nowMillis + withSpare(leaseMillis));
        }
        return room;
    }

    /** Renews a lease with the locks that last as long as it did. */
    private void renewUntil(String member, long ends) {
        long before = endOf(member);
        workers.put(member, ends - ttlMillis);
        locks.replaceAll((partition, lock) -> lock.workerId().equals(member) && lock.expiresAt() >= before
                ? new PartitionLock(member, Math.max(ends, lock.expiresAt()))
                : lock);
    }

    /** Renews a lease for its whole time from now. Most renewals find it long enough, and need no write. */
    private void renewFor(String member, long leaseMillis) {
        if (endOf(member) < nowMillis + leaseMillis) {
            renewUntil(member, nowMillis + withSpare(leaseMillis));
        }
    }

    private static long withSpare(long leaseMillis) {
        return leaseMillis + Math.min(MOST_SPARE_MILLIS, leaseMillis / SPARE_PART);
    }

    private long leaseMillis(String member) {
        return MemberId.leaseMillis(member, ttlMillis);
    }

    /** Returns the latest possible end of a lease that is written now, by a clock that may be ahead, ms since 1970. */
    static long latestEnd(long nowMillis, Duration ttl) {
        return nowMillis + withSpare(ttl.toMillis()) + MOST_SKEW_MILLIS;
    }

    /**
     * Renews the leases of members that have sent a heartbeat since theirs were written: one write covers all.
     *
     * @param heard member to its last heartbeat, ms since 1970; former members stay out. A time in the future comes
     *     from a clock that was ahead, and renews nothing
     */
    void renewHeard(Map<String, Long> heard) {
        heard.forEach((member, millis) -> {
            long ends = millis + withSpare(leaseMillis(member));
            if (workers.containsKey(member) && millis <= nowMillis && ends > endOf(member)) {
                renewUntil(member, ends);
            }
        });
    }

    /**
     * Renews the member's lease and all its locks.
     *
     * @return whether it is a member; an expired one has lost its partitions and must join again
     */
    boolean extend(String member, long leaseMillis) {
        boolean isMember = workers.containsKey(member);
        if (isMember) {
            renewFor(member, leaseMillis);
        }
        return isMember;
    }

    /** Removes the member and releases its partitions. */
    void leave(String member) {
        workers.remove(member);
        locks.values().removeIf(lock -> lock.workerId().equals(member));
    }

    /**
     * The partitions that a member reads from now on, and those of them to release after its next commit. Immutable.
     */
    record Share(List<Integer> partitions, List<Integer> revoking) {
        Share {
            partitions = List.copyOf(partitions);
            revoking = List.copyOf(revoking);
        }
    }

    /**
     * Locks the free partitions that the member's share lacks, or releases those beyond it.
     *
     * @param partitionCount as this server knows it; another may already know more, and have locked them
     * @param busy partitions with messages that it has not committed: it keeps them until it has
     */
    Share rebalance(String member, int partitionCount, Predicate<Integer> busy) {
        int seen = locks.keySet().stream()
                .mapToInt(partition -> partition + 1)
                .max()
                .orElse(0);
        int target = GroupBalance.target(members(), member, Math.max(partitionCount, seen));
        List<Integer> held = new ArrayList<>(heldBy(member));
        for (int partition = 0; partition < partitionCount && held.size() < target; partition++) {
            if (!locks.containsKey(partition)) {
                locks.put(partition, new PartitionLock(member, endOf(member)));
                held.add(partition);
            }
        }
        List<Integer> revoking = surplus(held, held.size() - target, busy);
        held.removeIf(partition -> partition >= partitionCount); // they stay its own
        Collections.sort(held);
        return new Share(held, revoking);
    }

    /** Releases the newest partitions that are not busy; busy ones beyond the share are returned as revoking. */
    private List<Integer> surplus(List<Integer> held, int surplus, Predicate<Integer> busy) {
        List<Integer> free = held.stream()
                .filter(busy.negate())
                .sorted(Comparator.reverseOrder())
                .limit(Math.max(0, surplus))
                .toList();
        held.removeAll(free);
        locks.keySet().removeAll(free);
        return held.stream()
                .filter(busy)
                .sorted(Comparator.reverseOrder())
                .limit(Math.max(0, surplus - free.size()))
                .sorted()
                .toList();
    }

    /** Returns the partitions of the worker, in order. */
    List<Integer> heldBy(String worker) {
        return members().getOrDefault(worker, List.of());
    }

    /** Returns when the member expires without a heartbeat, ms since 1970. */
    long endOf(String member) {
        return workers.getOrDefault(member, 0L) + ttlMillis;
    }

    /** Returns the stored expiry of the member, which this server need not trust. */
    private long storedEndOf(String member) {
        return Math.max(workers.getOrDefault(member, 0L), ahead.getOrDefault(member, 0L)) + ttlMillis;
    }

    /** Locks the free partitions, and renews those that the worker already holds. */
    Locked lock(String worker, List<Integer> partitions) {
        heartbeat(worker);
        List<Integer> held = new ArrayList<>();
        List<Integer> foreign = new ArrayList<>();
        for (int partition : partitions) {
            if (isForeign(partition, worker)) {
                foreign.add(partition);
            } else {
                locks.put(partition, new PartitionLock(worker, storedEndOf(worker)));
                held.add(partition);
            }
        }
        return new Locked(held, foreign);
    }

    /**
     * Releases those of the partitions that the worker holds. The public SDKs have no call for the end of a worker.
     * They release everything only at its end, or before their next heartbeat, which makes them members again. So a
     * worker that releases its last lock is no longer a member. Otherwise its share would stay unread until it expires.
     *
     * @param stays whether the worker remains a member without a lock
     */
    void unlock(String worker, List<Integer> partitions, boolean stays) {
        boolean released = false;
        for (int partition : partitions) {
            @Nullable PartitionLock lock = locks.get(partition);
            if (lock != null && lock.workerId().equals(worker)) {
                locks.remove(partition);
                released = true;
            }
        }
        if (released && !stays && heldBy(worker).isEmpty()) {
            workers.remove(worker);
        }
    }

    /**
     * The answer to a renewal. Immutable.
     *
     * @param member whether the heartbeat counts
     * @param lost partitions that it named and does not hold
     * @param foreign those of them that other workers hold
     */
    record Renewed(boolean member, List<Integer> lost, List<Integer> foreign) {
        Renewed {
            lost = List.copyOf(lost);
            foreign = List.copyOf(foreign);
        }
    }

    /**
     * Handles a heartbeat with all partitions that the worker reads. A worker that has expired becomes a member again,
     * since it never registers a second time. It gets an expired lock back if no other worker took it, since then no
     * other has read the partition.
     *
     * @param partitionCount partitions from here on do not exist and are lost
     */
    Renewed renew(String worker, List<Integer> partitions, int partitionCount) {
        Set<Integer> lost = new LinkedHashSet<>(partitions);
        List<Integer> existing = lost.stream()
                .filter(partition -> partition >= 0 && partition < partitionCount)
                .toList();
        letEnd(worker, lost);
        Locked locked = lock(worker, existing);
        locked.held().forEach(lost::remove);
        return new Renewed(true, List.copyOf(lost), locked.foreign());
    }

    /** Lets locks that a worker no longer names end as they would, also if its lease is renewed in the meantime. */
    private void letEnd(String worker, Set<Integer> named) {
        if (ahead.containsKey(worker)) {
            return; // this server may be behind, and does not know when they end
        }
        long ends = endOf(worker);
        long latest = Math.min(ends - 1, nowMillis + leaseMillis(worker));
        locks.replaceAll((partition, lock) ->
                lock.workerId().equals(worker) && lock.expiresAt() >= ends && !named.contains(partition)
                        ? new PartitionLock(worker, latest)
                        : lock);
    }

    /** Returns the members, each with its partitions: an empty list if it has none. */
    SortedMap<String, List<Integer>> members() {
        SortedMap<String, List<Integer>> members = new TreeMap<>();
        workers.keySet().forEach(worker -> members.put(worker, new ArrayList<>()));
        new TreeMap<>(locks)
                .forEach((partition, lock) -> members.computeIfAbsent(lock.workerId(), worker -> new ArrayList<>())
                        .add(partition));
        return members;
    }

    /** Returns the holder of the partition. */
    Optional<String> holder(int partition) {
        return Optional.ofNullable(locks.get(partition)).map(PartitionLock::workerId);
    }

    /** Returns whether another worker reads the partition. */
    boolean isForeign(int partition, String worker) {
        @Nullable PartitionLock lock = locks.get(partition);
        return lock != null && !lock.workerId().equals(worker);
    }

    /** Returns whether any member is alive. */
    boolean isWorking() {
        return !workers.isEmpty();
    }

    /** Returns the record to store. */
    GroupRecord toRecord() {
        Map<String, GroupRecord.Worker> stored = new HashMap<>();
        workers.forEach((worker, heartbeat) -> stored.put(
                worker,
                new GroupRecord.Worker(
                        Math.max(heartbeat, ahead.getOrDefault(worker, heartbeat)), users.getOrDefault(worker, ""))));
        return new GroupRecord(owner, grants, stored, locks);
    }

    private void heartbeat(String worker) {
        renewFor(worker, leaseMillis(worker));
    }
}

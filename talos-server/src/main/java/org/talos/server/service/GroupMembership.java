// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.talos.server.metadata.GroupRecord;
import org.talos.server.metadata.PartitionLock;

/**
 * The rules of a consumer group at one moment: who is a member, who may read which partition. Whatever has expired at
 * that moment is not there. Each sign of life of a worker counts as a heartbeat, so no lock outlives its worker.
 *
 * <p>Confined: to one try of one call.
 */
final class GroupMembership {
    private final Map<String, Long> workers = new HashMap<>();
    private final Map<Integer, PartitionLock> locks = new HashMap<>();
    private final long nowMillis;
    private final long ttlMillis;

    GroupMembership(GroupRecord stored, long nowMillis, Duration ttl) {
        this.nowMillis = nowMillis;
        this.ttlMillis = ttl.toMillis();
        stored.workers().forEach((worker, heartbeat) -> {
            if (heartbeat + ttlMillis > nowMillis) {
                workers.put(worker, heartbeat);
            }
        });
        stored.locks().forEach((partition, lock) -> {
            if (lock.expiresAt() > nowMillis && workers.containsKey(lock.workerId())) {
                locks.put(partition, lock);
            }
        });
    }

    /** Which of the partitions asked for the worker holds now, and which another does. Immutable. */
    record Locked(List<Integer> held, List<Integer> foreign) {
        Locked {
            held = List.copyOf(held);
            foreign = List.copyOf(foreign);
        }
    }

    /** Whether the worker is a member or there is room for it. */
    boolean hasRoomFor(String worker, int maxWorkers) {
        return workers.containsKey(worker) || workers.size() < maxWorkers;
    }

    /** Adds or refreshes the worker; false if the group is full. */
    boolean register(String worker, int maxWorkers) {
        boolean room = hasRoomFor(worker, maxWorkers);
        if (room) {
            beat(worker);
        }
        return room;
    }

    /** Takes what is free, extends what the worker has already. */
    Locked lock(String worker, List<Integer> partitions) {
        beat(worker);
        List<Integer> held = new ArrayList<>();
        List<Integer> foreign = new ArrayList<>();
        for (int partition : partitions) {
            if (isForeign(partition, worker)) {
                foreign.add(partition);
            } else {
                locks.put(partition, new PartitionLock(worker, nowMillis + ttlMillis));
                held.add(partition);
            }
        }
        return new Locked(held, foreign);
    }

    /** Frees what the worker holds of these. */
    void unlock(String worker, List<Integer> partitions) {
        for (int partition : partitions) {
            @Nullable PartitionLock lock = locks.get(partition);
            if (lock != null && lock.workerId().equals(worker)) {
                locks.remove(partition);
            }
        }
    }

    /**
     * A heartbeat with all that the worker reads. A worker that has expired is a member again, since it never registers
     * a second time; a lock that has expired is its own again if nobody took it, since then nobody else has read.
     *
     * @param partitionCount partitions from here on do not exist and are lost
     * @return the partitions that the worker has lost
     */
    List<Integer> renew(String worker, List<Integer> partitions, int partitionCount) {
        List<Integer> existing = partitions.stream()
                .filter(partition -> partition >= 0 && partition < partitionCount)
                .toList();
        Locked locked = lock(worker, existing);
        return partitions.stream()
                .filter(partition -> !locked.held().contains(partition))
                .toList();
    }

    /** The members, each with what it reads: an empty list if nothing. */
    SortedMap<String, List<Integer>> members() {
        SortedMap<String, List<Integer>> members = new TreeMap<>();
        workers.keySet().forEach(worker -> members.put(worker, new ArrayList<>()));
        new TreeMap<>(locks)
                .forEach((partition, lock) -> members.computeIfAbsent(lock.workerId(), worker -> new ArrayList<>())
                        .add(partition));
        return members;
    }

    /** Who reads the partition. */
    Optional<String> holder(int partition) {
        return Optional.ofNullable(locks.get(partition)).map(PartitionLock::workerId);
    }

    /** Whether another worker reads the partition. */
    boolean isForeign(int partition, String worker) {
        @Nullable PartitionLock lock = locks.get(partition);
        return lock != null && !lock.workerId().equals(worker);
    }

    /** Whether any member is alive. */
    boolean isWorking() {
        return !workers.isEmpty();
    }

    /** What is to be stored. */
    GroupRecord toRecord() {
        return new GroupRecord(workers, locks);
    }

    private void beat(String worker) {
        workers.put(worker, nowMillis);
    }
}

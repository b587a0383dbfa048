// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Computes which server owns which partition: consistent hashing with bounded loads (Mirrokni and others, 2016), where
 * load is the sum of the partitions' weights. Moves only what must move; the same input gives the same result anywhere.
 *
 * <p>Confined: one round of the leader.
 */
final class Assignment {
    /** A server's load is at most this multiple of the mean, or the mean plus one partition. */
    static final double BOUND = 1.05;

    private static final int POINTS = 64; // of each server on the ring

    private final List<String> servers;
    private final Weights weights;
    private final NavigableMap<Long, String> ring = new TreeMap<>();
    private final SortedMap<String, List<String>> owners = new TreeMap<>();
    private final Map<String, Double> loads = new HashMap<>(); // of the servers that may be given partitions
    private final TreeSet<String> changed = new TreeSet<>();

    /**
     * Starts from the present owners.
     *
     * @param servers the servers that may be given partitions; at least one
     * @param topics owners of each topic's partitions
     */
    Assignment(Collection<String> servers, Map<String, List<String>> topics, Weights weights) {
        this.servers = List.copyOf(new TreeSet<>(servers));
        this.weights = weights;
        if (this.servers.isEmpty()) {
            throw new IllegalArgumentException("servers: none (expected: at least one)");
        }
        for (String server : this.servers) {
            loads.put(server, 0.0);
            for (int point = 0; point < POINTS; point++) {
                ring.put(hash(server + "#" + point), server);
            }
        }
        topics.forEach((topic, each) -> owners.put(topic, new ArrayList<>(each)));
        owners.forEach((topic, each) -> {
            for (int partition = 0; partition < each.size(); partition++) {
                add(each.get(partition), weights.of(topic, partition));
            }
        });
    }

    /** The weight of each partition, relative to others. */
    @FunctionalInterface
    interface Weights {
        /** Every partition weighs the same. */
        Weights EQUAL = (topicId, partition) -> 1.0;

        /** The partition's weight, more than 0. */
        double of(String topicId, int partition);
    }

    /** A partition and its weight. Immutable. */
    private record WeightedPartition(String topic, int partition, double weight) {}

    /** Gives at most {@code most} partitions whose owner does not stay to other servers; returns how many it gave. */
    int place(Predicate<String> stays, int most) {
        List<WeightedPartition> unowned = candidates(owner -> !stays.test(owner));
        unowned.sort(heaviestFirst());
        List<WeightedPartition> now = unowned.subList(0, Math.min(most, unowned.size()));
        double waiting = unowned.stream()
                .filter(candidate -> !loads.containsKey(owner(candidate)))
                .mapToDouble(WeightedPartition::weight)
                .sum();
        double bound = BOUND * (total() + waiting) / servers.size();
        for (WeightedPartition candidate : now) {
            give(candidate, next(candidate, bound));
        }
        return now.size();
    }

    /**
     * Moves partitions from the most to the least loaded server until all are within the bound or no move improves it;
     * makes at most {@code most} moves and returns how many it made.
     */
    int level(int most) {
        int moves = 0;
        double mean = total() / servers.size();
        while (moves < most) {
            String fullest = Collections.max(servers, byLoad());
            String emptiest = Collections.min(servers, byLoad());
            double gap = load(fullest) - load(emptiest);
            if (load(fullest) <= mean * BOUND && load(emptiest) >= mean * (2 - BOUND)) {
                return moves;
            }
            // Moving the whole gap would only swap the two servers' loads; moving half of it evens them out.
            WeightedPartition best = candidates(fullest::equals).stream()
                    .filter(candidate -> candidate.weight < gap)
                    .min(Comparator.<WeightedPartition>comparingDouble(
                                    candidate -> Math.abs(gap / 2 - candidate.weight))
                            .thenComparing(heaviestFirst()))
                    .orElse(null);
            if (best == null) {
                return moves;
            }
            give(best, emptiest);
            moves++;
        }
        return moves;
    }

    /** Moves one partition to one server. */
    void move(String topic, int partition, String server) {
        give(new WeightedPartition(topic, partition, weights.of(topic, partition)), server);
    }

    /** The topics whose owners have changed, with their new owners. */
    SortedMap<String, List<String>> changes() {
        SortedMap<String, List<String>> changes = new TreeMap<>();
        changed.forEach(topic -> changes.put(topic, List.copyOf(owners.getOrDefault(topic, List.of()))));
        return changes;
    }

    double load(String server) {
        return loads.getOrDefault(server, 0.0);
    }

    private String next(WeightedPartition candidate, double bound) {
        long start = hash(candidate.topic + "/" + candidate.partition);
        String before = owner(candidate);
        for (SortedMap<Long, String> part : List.of(ring.tailMap(start), ring.headMap(start))) {
            for (String server : part.values()) {
                if (load(server) + candidate.weight <= bound && !server.equals(before)) {
                    return server;
                }
            }
        }
        return Collections.min(servers, byLoad());
    }

    private void give(WeightedPartition candidate, String server) {
        List<String> topic = owners.getOrDefault(candidate.topic, List.of());
        String before = topic.set(candidate.partition, server);
        if (!before.equals(server)) {
            add(before, -candidate.weight);
            add(server, candidate.weight);
            changed.add(candidate.topic);
        }
    }

    private void add(String server, double weight) {
        loads.computeIfPresent(server, (name, load) -> load + weight);
    }

    private List<WeightedPartition> candidates(Predicate<String> owned) {
        List<WeightedPartition> candidates = new ArrayList<>();
        owners.forEach((topic, each) -> {
            for (int partition = 0; partition < each.size(); partition++) {
                if (owned.test(each.get(partition))) {
                    candidates.add(new WeightedPartition(topic, partition, weights.of(topic, partition)));
                }
            }
        });
        return candidates;
    }

    private String owner(WeightedPartition candidate) {
        return owners.getOrDefault(candidate.topic, List.of()).get(candidate.partition);
    }

    private double total() {
        return loads.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    private Comparator<String> byLoad() {
        return Comparator.<String>comparingDouble(this::load).thenComparing(Comparator.naturalOrder());
    }

    private static Comparator<WeightedPartition> heaviestFirst() {
        return Comparator.comparingDouble(WeightedPartition::weight)
                .reversed()
                .thenComparing(WeightedPartition::topic)
                .thenComparingInt(WeightedPartition::partition);
    }

    /** FNV-1a with MurmurHash3's finalizer: ids that differ in one digit hash far apart. */
    private static long hash(String text) {
        long hash = 0xcbf29ce484222325L;
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xff)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}

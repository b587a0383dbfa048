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
 * Which server is to own which partition: consistent hashing with bounded load (Mirrokni and others, 2016), where load
 * is what partitions weigh. Moves only what must move, so the same input has the same outcome whoever computes it.
 *
 * <p>Confined: one plan of the leader.
 */
final class Assignment {
    /** A server gets at most so many times the mean of all, or one partition more than the mean. */
    static final double BOUND = 1.05;

    private static final int POINTS = 64; // of a server on the ring

    private final List<String> servers;
    private final Weights weights;
    private final NavigableMap<Long, String> ring = new TreeMap<>();
    private final SortedMap<String, List<String>> owners = new TreeMap<>();
    private final Map<String, Double> loads = new HashMap<>(); // of those that may be given partitions
    private final TreeSet<String> changed = new TreeSet<>();

    /**
     * What is owned now.
     *
     * @param servers those that may be given partitions; at least one
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

    /** What each partition weighs against others. */
    @FunctionalInterface
    interface Weights {
        /** All the same. */
        Weights EQUAL = (topicId, partition) -> 1.0;

        /** More than 0. */
        double of(String topicId, int partition);
    }

    /** Immutable. */
    private record Piece(String topic, int partition, double weight) {}

    /** Gives partitions whose owner does not stay to others, at most so many; how many it gave. */
    int place(Predicate<String> stays, int most) {
        List<Piece> homeless = pieces(owner -> !stays.test(owner));
        homeless.sort(heaviestFirst());
        List<Piece> now = homeless.subList(0, Math.min(most, homeless.size()));
        double waiting = homeless.stream()
                .filter(piece -> !loads.containsKey(owner(piece)))
                .mapToDouble(Piece::weight)
                .sum();
        double bound = BOUND * (total() + waiting) / servers.size();
        for (Piece piece : now) {
            give(piece, next(piece, bound));
        }
        return now.size();
    }

    /**
     * Takes from who has too much and gives to who has too little, until all are within the bound or no move makes it
     * better; at most so many moves. How many it made.
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
            // What weighs as much as the gap would only turn it round; what weighs half of it closes it.
            Piece best = pieces(fullest::equals).stream()
                    .filter(piece -> piece.weight < gap)
                    .min(Comparator.<Piece>comparingDouble(piece -> Math.abs(gap / 2 - piece.weight))
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

    /** Gives one partition to one server. */
    void move(String topic, int partition, String server) {
        give(new Piece(topic, partition, weights.of(topic, partition)), server);
    }

    /** Topics whose owners are others now, with their new owners. */
    SortedMap<String, List<String>> changes() {
        SortedMap<String, List<String>> changes = new TreeMap<>();
        changed.forEach(topic -> changes.put(topic, List.copyOf(owners.getOrDefault(topic, List.of()))));
        return changes;
    }

    double load(String server) {
        return loads.getOrDefault(server, 0.0);
    }

    private String next(Piece piece, double bound) {
        long start = hash(piece.topic + "/" + piece.partition);
        String before = owner(piece);
        for (SortedMap<Long, String> part : List.of(ring.tailMap(start), ring.headMap(start))) {
            for (String server : part.values()) {
                if (load(server) + piece.weight <= bound && !server.equals(before)) {
                    return server;
                }
            }
        }
        return Collections.min(servers, byLoad());
    }

    private void give(Piece piece, String server) {
        List<String> topic = owners.getOrDefault(piece.topic, List.of());
        String before = topic.set(piece.partition, server);
        if (!before.equals(server)) {
            add(before, -piece.weight);
            add(server, piece.weight);
            changed.add(piece.topic);
        }
    }

    private void add(String server, double weight) {
        loads.computeIfPresent(server, (name, load) -> load + weight);
    }

    private List<Piece> pieces(Predicate<String> owned) {
        List<Piece> pieces = new ArrayList<>();
        owners.forEach((topic, each) -> {
            for (int partition = 0; partition < each.size(); partition++) {
                if (owned.test(each.get(partition))) {
                    pieces.add(new Piece(topic, partition, weights.of(topic, partition)));
                }
            }
        });
        return pieces;
    }

    private String owner(Piece piece) {
        return owners.getOrDefault(piece.topic, List.of()).get(piece.partition);
    }

    private double total() {
        return loads.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    private Comparator<String> byLoad() {
        return Comparator.<String>comparingDouble(this::load).thenComparing(Comparator.naturalOrder());
    }

    private static Comparator<Piece> heaviestFirst() {
        return Comparator.comparingDouble(Piece::weight)
                .reversed()
                .thenComparing(Piece::topic)
                .thenComparingInt(Piece::partition);
    }

    /** FNV-1a with the end of MurmurHash3: names that differ in a digit land far apart. */
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

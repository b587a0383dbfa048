// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.talos.server.cluster.PartitionId;

/**
 * The owners of partitions: the stored ones, and the planned ones on top of them. Computes them by consistent hashing
 * with bounded loads (Mirrokni and others, 2016), where load is the sum of the partitions' weights. Moves as few
 * partitions as possible; the same input gives the same result on any server.
 *
 * <p>Kept from round to round: a topic costs something when it changes, and all partitions are looked at only when some
 * must be chosen. Owners are numbers in arrays, so that such a look at a million partitions takes milliseconds.
 *
 * <p>Confined: the rounds of one leader.
 */
public final class Assignment {
    /** A server's load is at most this multiple of the mean, or the mean plus one partition. */
    static final double BOUND = 1.05;

    private static final int NOBODY = 0; // index of the empty id
    private static final int MOVED = -1; // in a list of candidates

    private final Map<String, Integer> indexOf = new HashMap<>();
    private final List<String> ids = new ArrayList<>(); // by index; one that is gone keeps its own
    private final NavigableMap<String, int[]> planned = new TreeMap<>(); // by topic: index of each partition's owner
    private final NavigableMap<String, int[]> stored = new TreeMap<>(); // of the topics whose plan differs, or did
    private double[] loads = new double[16]; // by index
    private int[] counts = new int[16];
    private HashRing ring = new HashRing(List.of());
    private List<String> servers = List.of(); // that may be given partitions, ordered
    private Set<String> eligible = Set.of(); // the same
    private Weights weights = Weights.EQUAL;

    /** No topic yet, and no server that may be given partitions. */
    public Assignment() {
        index(""); // NOBODY
    }

    /** The weight of each partition, relative to others. */
    @FunctionalInterface
    public interface Weights {
        /** Every partition weighs the same. */
        Weights EQUAL = (topicId, partition) -> 1.0;

        /** The partition's weight, more than 0. */
        double of(String topicId, int partition);
    }

    /** How many partitions may be given away, and taken, at once. */
    public interface Room {
        /** Room for everything. */
        Room ENDLESS = new Room() {
            @Override
            public boolean isFree(String giver, String taker) {
                return true;
            }

            @Override
            public boolean take(Move move) {
                return true;
            }
        };

        /** Returns whether there may be room for such a move. An empty id stands for any server. */
        boolean isFree(String giver, String taker);

        /** Takes room for the move; false if there is none. */
        boolean take(Move move);
    }

    /** A partition that may be given to another server. Immutable. */
    private record Candidate(String topic, int partition, double weight) {
        static final Comparator<Candidate> HEAVIEST_FIRST = Comparator.comparingDouble(Candidate::weight)
                .reversed()
                .thenComparing(Candidate::topic)
                .thenComparingInt(Candidate::partition);
    }

    /** Sets the stored owners of a topic; its planned owners are forgotten. */
    public void set(String topic, List<String> owners) {
        remove(topic);
        int[] indexes = new int[owners.size()];
        for (int partition = 0; partition < indexes.length; partition++) {
            indexes[partition] = index(owners.get(partition));
        }
        planned.put(topic, indexes);
        count(topic, indexes, 1);
    }

    /** Forgets a topic. */
    public void remove(String topic) {
        stored.remove(topic);
        int[] before = planned.remove(topic);
        if (before != null) {
            count(topic, before, -1);
        }
    }

    /** Plans that a topic has at least this number of partitions; further ones have no owner yet. */
    public void grow(String topic, int partitions) {
        int[] before = planned.getOrDefault(topic, new int[0]);
        if (before.length < partitions) {
            stored.putIfAbsent(topic, before);
            int[] grown = Arrays.copyOf(before, partitions);
            planned.put(topic, grown);
            for (int partition = before.length; partition < partitions; partition++) {
                add(NOBODY, weights.of(topic, partition), 1);
            }
        }
    }

    /** Sets the servers that may be given partitions. */
    public void servers(Collection<String> those) {
        List<String> now = List.copyOf(new TreeSet<>(those));
        if (now.equals(servers)) {
            return;
        }
        for (String server : now) {
            index(server);
        }
        servers = now;
        eligible = Set.copyOf(now);
        ring = new HashRing(now);
    }

    /** Sets the partitions' weights, and weighs all of them again. */
    public void weigh(Weights now) {
        weights = now;
        Arrays.fill(loads, 0);
        Arrays.fill(counts, 0);
        planned.forEach((topic, owners) -> count(topic, owners, 1));
    }

    /**
     * Gives every partition whose owner does not stay to another server, of so many topics; false if there are more.
     * Without servers it gives none.
     *
     * @param stays is asked about each owner; a partition without one is always given
     */
    public boolean place(Predicate<String> stays, int topics) {
        boolean[] away = owners(owner -> owner.isEmpty() || !stays.test(owner));
        List<Candidate> candidates = candidates(away, topics);
        give(candidates, coming(away), Room.ENDLESS);
        return candidates.isEmpty() || candidates(away, 1).isEmpty();
    }

    /** Plans moves of partitions that these servers own to others, as far as there is room; returns them. */
    public List<Move> leave(Set<String> drained, Room room) {
        boolean[] all = owners(drained::contains);
        boolean[] giving = owners(owner -> drained.contains(owner) && room.isFree(owner, ""));
        return give(candidates(giving, Integer.MAX_VALUE), coming(all), room);
    }

    /** Which of the owners that have a partition are asked for, by index. */
    private boolean[] owners(Predicate<String> asked) {
        boolean[] owners = new boolean[ids.size()];
        for (int owner = 0; owner < owners.length; owner++) {
            owners[owner] = counts[owner] > 0 && asked.test(ids.get(owner));
        }
        return owners;
    }

    /** Load that comes to the servers from such owners. */
    private double coming(boolean[] owners) {
        double coming = 0;
        for (int owner = 0; owner < owners.length; owner++) {
            coming += owners[owner] && !eligible.contains(ids.get(owner)) ? loads[owner] : 0;
        }
        return coming;
    }

    /** The partitions of these owners in so many topics, heaviest first. Looks at none if none of them has any. */
    private List<Candidate> candidates(boolean[] asked, int topics) {
        List<Candidate> candidates = new ArrayList<>();
        if (servers.isEmpty() || !any(asked)) {
            return candidates;
        }
        int found = 0;
        for (Map.Entry<String, int[]> topic : planned.entrySet()) {
            int before = candidates.size();
            int[] owners = topic.getValue();
            for (int partition = 0; partition < owners.length; partition++) {
                if (asked[owners[partition]]) {
                    String id = topic.getKey();
                    candidates.add(new Candidate(id, partition, weights.of(id, partition)));
                }
            }
            found += candidates.size() > before ? 1 : 0;
            if (found >= topics) {
                break;
            }
        }
        candidates.sort(Candidate.HEAVIEST_FIRST);
        return candidates;
    }

    private static boolean any(boolean[] asked) {
        for (boolean each : asked) {
            if (each) {
                return true;
            }
        }
        return false;
    }

    /** @param coming load of all partitions that go to the servers, now or later */
    private List<Move> give(List<Candidate> candidates, double coming, Room room) {
        double bound = BOUND * (total() + coming) / Math.max(1, servers.size());
        List<Move> moves = new ArrayList<>();
        for (Candidate candidate : candidates) {
            String giver = owner(candidate.topic, candidate.partition);
            if (!room.isFree(giver, "")) {
                continue;
            }
            String taker = next(candidate, giver, bound, room);
            Move move = new Move(new PartitionId(candidate.topic, candidate.partition), giver, taker);
            if (taker.isEmpty()) {
                return moves; // no server can take more
            }
            if (room.take(move)) {
                move(move);
                moves.add(move);
            }
        }
        return moves;
    }

    /** The next server on the ring that has room and is not too full; else the one with the least load. */
    private String next(Candidate candidate, String giver, double bound, Room room) {
        String found = ring.next(
                candidate.topic + "/" + candidate.partition,
                server -> load(server) + candidate.weight <= bound
                        && !server.equals(giver)
                        && room.isFree(giver, server));
        return found.isEmpty()
                ? servers.stream()
                        .filter(server -> room.isFree(giver, server))
                        .min(byLoad())
                        .orElse("")
                : found;
    }

    /**
     * Plans moves from the most to the least loaded server until all are within the bound, no move improves it, or
     * there is no more room; returns them.
     */
    public List<Move> level(Room room) {
        List<Move> moves = new ArrayList<>();
        if (servers.isEmpty()) {
            return moves;
        }
        double mean = total() / servers.size();
        Map<String, Levelling> candidates = new HashMap<>();
        while (true) {
            String fullest = with(room, true).max(byLoad()).orElse("");
            String emptiest = with(room, false).min(byLoad()).orElse("");
            if (fullest.isEmpty()
                    || emptiest.isEmpty()
                    || (load(fullest) <= mean * BOUND && load(emptiest) >= mean * (2 - BOUND))) {
                return moves;
            }
            // Moving the whole gap would only swap the two servers' loads; moving half of it evens them out.
            @Nullable
            Move best = candidates
                    .computeIfAbsent(fullest, Levelling::new)
                    .best(emptiest, load(fullest) - load(emptiest), room);
            if (best == null) {
                return moves;
            }
            move(best);
            moves.add(best);
        }
    }

    private Stream<String> with(Room room, boolean giving) {
        return servers.stream().filter(server -> giving ? room.isFree(server, "") : room.isFree("", server));
    }

    /** One server's partitions while loads are levelled. Confined. */
    private final class Levelling {
        private final String giver;
        private final List<String> topics = new ArrayList<>();
        private final List<int[]> partitions = new ArrayList<>(); // of each topic; MOVED where one has been given

        Levelling(String giver) {
            this.giver = giver;
            int own = index(giver);
            int[] found = new int[0];
            for (Map.Entry<String, int[]> topic : planned.entrySet()) {
                int[] owners = topic.getValue();
                found = found.length < owners.length ? new int[owners.length] : found;
                int number = 0;
                for (int partition = 0; partition < owners.length; partition++) {
                    if (owners[partition] == own) {
                        found[number++] = partition;
                    }
                }
                if (number > 0) {
                    topics.add(topic.getKey());
                    partitions.add(Arrays.copyOf(found, number));
                }
            }
        }

        /** The move that leaves the two servers' loads closest to each other; null if none improves them. */
        @Nullable
        Move best(String taker, double gap, Room room) {
            while (true) {
                Candidate best = best(gap);
                if (best == null) {
                    return null;
                }
                Move move = new Move(new PartitionId(best.topic, best.partition), giver, taker);
                if (room.take(move)) {
                    return move;
                }
            }
        }

        /**
         * Takes the partition out whose weight is closest to half of the gap, the heavier of two; null if there is
         * none.
         */
        private @Nullable Candidate best(double gap) {
            int bestTopic = MOVED;
            int bestAt = 0;
            double bestOff = Double.MAX_VALUE;
            double bestWeight = 0;
            for (int topic = 0; topic < topics.size(); topic++) {
                int[] own = partitions.get(topic);
                for (int at = 0; at < own.length; at++) {
                    double weight = own[at] == MOVED ? gap : weights.of(topics.get(topic), own[at]);
                    double off = Math.abs(gap / 2 - weight);
                    if (weight < gap && (off < bestOff || (off == bestOff && weight > bestWeight))) {
                        bestOff = off;
                        bestWeight = weight;
                        bestTopic = topic;
                        bestAt = at;
                    }
                }
            }
            if (bestTopic == MOVED) {
                return null;
            }
            int[] own = partitions.get(bestTopic);
            int partition = own[bestAt];
            own[bestAt] = MOVED;
            return new Candidate(topics.get(bestTopic), partition, bestWeight);
        }
    }

    /** Plans a move; false if the partition does not exist, or its owner is another one than the move's. */
    public boolean move(Move move) {
        String topic = move.partition().topicId();
        int partition = move.partition().partition();
        int[] owners = planned.get(topic);
        if (owners == null
                || partition >= owners.length
                || !owner(topic, partition).equals(move.from())) {
            return false;
        }
        stored.computeIfAbsent(topic, each -> owners.clone());
        double weight = weights.of(topic, partition);
        add(owners[partition], weight, -1);
        owners[partition] = index(move.to());
        add(owners[partition], weight, 1);
        return true;
    }

    /** Takes planned moves back, the last one first. */
    public void undo(List<Move> moves) {
        for (int last = moves.size() - 1; last >= 0; last--) {
            Move move = moves.get(last);
            move(new Move(move.partition(), move.to(), move.from()));
        }
    }

    /** Forgets plans that are not stored. */
    public void revert() {
        for (String topic : List.copyOf(stored.keySet())) {
            int[] before = stored.getOrDefault(topic, new int[0]);
            List<String> owners = Arrays.stream(before).mapToObj(ids::get).toList();
            if (owners.isEmpty()) {
                remove(topic); // it has no node
            } else {
                set(topic, owners);
            }
        }
    }

    /** The topics whose planned owners differ from the stored ones, with the planned ones. */
    public SortedMap<String, List<String>> changes() {
        SortedMap<String, List<String>> changes = new TreeMap<>();
        stored.forEach((topic, before) -> {
            int[] now = planned.getOrDefault(topic, before);
            if (!Arrays.equals(before, now)) {
                changes.put(topic, Arrays.stream(now).mapToObj(ids::get).toList());
            }
        });
        return changes;
    }

    /** The stored owners of the partitions whose planned owner differs, for each of a topic's changes. */
    public List<Move> changes(String topic) {
        int[] now = planned.getOrDefault(topic, new int[0]);
        int[] before = stored.getOrDefault(topic, now);
        List<Move> moves = new ArrayList<>();
        for (int partition = 0; partition < now.length; partition++) {
            int owner = partition < before.length ? before[partition] : NOBODY;
            if (owner != now[partition]) {
                moves.add(new Move(new PartitionId(topic, partition), ids.get(owner), ids.get(now[partition])));
            }
        }
        return moves;
    }

    /** Marks the plan for the topic as stored. */
    public void markStored(String topic) {
        stored.remove(topic);
    }

    /** Number of the topic's partitions, 0 if it is not known. */
    public int partitions(String topic) {
        return planned.getOrDefault(topic, new int[0]).length;
    }

    /** The partition's owner by the plan; empty if it has none. */
    public String owner(String topic, int partition) {
        int[] owners = planned.getOrDefault(topic, new int[0]);
        return partition < owners.length ? ids.get(owners[partition]) : "";
    }

    /** Servers that own a partition. */
    public Set<String> owners() {
        Set<String> owners = new TreeSet<>();
        for (int owner = NOBODY + 1; owner < ids.size(); owner++) {
            if (counts[owner] > 0) {
                owners.add(ids.get(owner));
            }
        }
        return owners;
    }

    /** Returns the number of partitions that the server owns. */
    public int count(String server) {
        Integer index = indexOf.get(server);
        return index == null ? 0 : counts[index];
    }

    double load(String server) {
        Integer index = indexOf.get(server);
        return index == null ? 0 : loads[index];
    }

    private int index(String server) {
        return indexOf.computeIfAbsent(server, id -> {
            ids.add(id);
            if (ids.size() > loads.length) {
                loads = Arrays.copyOf(loads, 2 * loads.length);
                counts = Arrays.copyOf(counts, 2 * counts.length);
            }
            return ids.size() - 1;
        });
    }

    private void count(String topic, int[] owners, int sign) {
        for (int partition = 0; partition < owners.length; partition++) {
            add(owners[partition], weights.of(topic, partition), sign);
        }
    }

    private void add(int owner, double weight, int sign) {
        loads[owner] += sign * weight;
        counts[owner] += sign;
    }

    private double total() {
        return servers.stream().mapToDouble(this::load).sum();
    }

    private Comparator<String> byLoad() {
        return Comparator.<String>comparingDouble(this::load).thenComparing(Comparator.naturalOrder());
    }
}

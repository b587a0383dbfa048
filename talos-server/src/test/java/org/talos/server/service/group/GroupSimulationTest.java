// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.metadata.rows.GroupRecord;

/**
 * Workers of the SDKs, which balance among themselves, and members that the server balances, in one group, in an order
 * that a seed gives: they come, process, commit, are silent too long, leave and crash.
 */
@Timeout(120)
class GroupSimulationTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyMessageIsProcessedInOrderByOneAtATimeAndTheGroupComesToRest(long seed) {
        Random seeds = new Random(seed);
        for (int run = 0; run < 150; run++) {
            long each = seeds.nextLong();
            new Group(new Random(each), each).run();
        }
    }

    /** The rows of a group, and those who share it. Confined: one run. */
    private static final class Group {
        private final Random random;
        private final String seed;
        private final int partitions;
        private final long[] ends;
        private final long[] processed; // one past the last message that anybody has processed
        private final Map<Integer, Long> committed = new HashMap<>();
        private final List<Actor> actors = new ArrayList<>();
        private GroupRecord row = GroupRecord.NOBODY;
        private long now = 1_000_000;
        private int names;

        Group(Random random, long seed) {
            this.random = random;
            this.seed = "seed " + seed;
            partitions = 1 + random.nextInt(12);
            ends = new long[partitions];
            processed = new long[partitions];
        }

        GroupMembership open() {
            return new GroupMembership(row, now, TTL, () -> true);
        }

        void store(GroupMembership membership) {
            row = membership.toRecord();
        }

        void run() {
            for (int step = 0; step < 300; step++) {
                disturb();
                round();
            }
            while (actors.size() < 2) {
                actors.add(newcomer());
            }
            for (int round = 0; round < 60; round++) {
                round();
            }
            assertRest();
        }

        private void disturb() {
            ends[random.nextInt(partitions)] += random.nextInt(4);
            switch (random.nextInt(30)) {
                case 0, 1 -> {
                    if (actors.size() < 6) {
                        actors.add(newcomer());
                    }
                }
                case 2 -> removeOne(Actor::leave);
                case 3 -> removeOne(actor -> {}); // a crash
                case 4 -> now += TTL.toMillis(); // all are silent: a long pause
                default -> {}
            }
        }

        private void removeOne(Consumer<Actor> farewell) {
            if (!actors.isEmpty()) {
                farewell.accept(actors.remove(random.nextInt(actors.size())));
            }
        }

        private Actor newcomer() {
            String name = "n" + names++;
            return random.nextBoolean() ? new SdkWorker(this, name) : new RestMember(this, name);
        }

        /** Each acts at least once in a third of the TTL, in any order. */
        private void round() {
            List<Actor> order = new ArrayList<>(actors);
            Collections.shuffle(order, random);
            for (Actor actor : order) {
                now += random.nextInt(1_500);
                actor.act();
            }
        }

        /** Processes from a place on; it can only be where the group has come to, or before. */
        long process(String who, int partition, long from) {
            assertThat(from).as("%s: %s skips in %d", seed, who, partition).isLessThanOrEqualTo(processed[partition]);
            assertThat(open().holder(partition)).as("%s: %s", seed, partition).contains(who);
            processed[partition] = Math.max(processed[partition], ends[partition]);
            return ends[partition];
        }

        private void assertRest() {
            Map<String, List<Integer>> members = open().members();
            Set<Integer> held = new TreeSet<>();
            int most = 0;
            int least = partitions;
            for (List<Integer> each : members.values()) {
                held.addAll(each);
                most = Math.max(most, each.size());
                least = Math.min(least, each.size());
            }
            assertThat(members).as(seed).hasSize(actors.size());
            assertThat(held).as(seed).hasSize(partitions);
            assertThat(most - least).as("%s %s", seed, members).isLessThanOrEqualTo(1);
            assertThat(processed).as(seed).isEqualTo(ends);
            for (int partition = 0; partition < partitions; partition++) {
                assertThat(committed.getOrDefault(partition, 0L)).as(seed).isEqualTo(ends[partition]);
            }
        }
    }

    /** One that reads. Confined: one run. */
    private interface Actor {
        void act();

        void leave();
    }

    /** As the SDKs' workers do it. Confined: one run. */
    private static final class SdkWorker implements Actor {
        private final Group group;
        private final String name;
        private final Map<Integer, Long> positions = new TreeMap<>();

        SdkWorker(Group group, String name) {
            this.group = group;
            this.name = name;
            GroupMembership membership = group.open();
            membership.register(name, 100);
            group.store(membership);
        }

        @Override
        public void act() {
            renew();
            positions.replaceAll((partition, from) -> group.process(name, partition, from));
            if (group.random.nextBoolean()) {
                commit();
            }
            balance();
        }

        private void renew() {
            GroupMembership membership = group.open();
            List<Integer> lost = membership
                    .renew(name, List.copyOf(positions.keySet()), group.partitions)
                    .lost();
            group.store(membership);
            positions.keySet().removeAll(lost);
        }

        private void commit() {
            group.committed.putAll(positions);
        }

        private void balance() {
            Map<String, List<Integer>> members = group.open().members();
            int target = target(members);
            if (positions.size() > target) {
                commit();
                List<Integer> surplus = List.copyOf(positions.keySet()).subList(0, positions.size() - target);
                unlock(surplus);
            } else if (positions.size() < target) {
                take(members, target - positions.size());
            }
        }

        /** Worked out again from the protocol's text, not by the server's code. */
        private int target(Map<String, List<Integer>> members) {
            List<Integer> targets = new ArrayList<>();
            int count = members.size();
            for (int i = 0; i < count; i++) {
                targets.add(group.partitions / count);
            }
            for (int i = 0; i < group.partitions % count; i++) {
                targets.set(i, targets.get(i) + 1);
            }
            List<String> sorted = new ArrayList<>(members.keySet());
            sorted.sort(Comparator.<String>comparingInt(
                            each -> -members.getOrDefault(each, List.of()).size())
                    .thenComparing(Comparator.reverseOrder()));
            return targets.get(sorted.indexOf(name));
        }

        private void take(Map<String, List<Integer>> members, int lacking) {
            List<Integer> free = new ArrayList<>();
            for (int partition = 0; partition < group.partitions; partition++) {
                free.add(partition);
            }
            members.values().forEach(free::removeAll);
            Collections.shuffle(free, group.random);
            for (int partition : free.subList(0, Math.min(lacking, free.size()))) {
                GroupMembership membership = group.open();
                if (!membership.lock(name, List.of(partition)).held().isEmpty()) {
                    positions.put(partition, group.committed.getOrDefault(partition, 0L));
                }
                group.store(membership);
            }
        }

        private void unlock(List<Integer> some) {
            GroupMembership membership = group.open();
            membership.unlock(name, some, false);
            group.store(membership);
            positions.keySet().removeAll(some);
        }

        @Override
        public void leave() {
            commit();
            unlock(List.copyOf(positions.keySet()));
        }
    }

    /** As a client of REST does it. Confined: one run. */
    private static final class RestMember implements Actor {
        private final Group group;
        private final String name;
        private final long lease;
        private final boolean readsAhead;
        private final Map<Integer, Long> done = new TreeMap<>();

        RestMember(Group group, String name) {
            this.group = group;
            this.name = name;
            lease = 12_000L + group.random.nextInt(18_000);
            readsAhead = group.random.nextBoolean();
            join();
        }

        private void join() {
            done.clear();
            GroupMembership membership = group.open();
            assertThat(membership.join(name, lease, 100)).isTrue();
            membership.rebalance(name, group.partitions, partition -> false);
            group.store(membership);
        }

        @Override
        public void act() {
            GroupMembership membership = group.open();
            if (!membership.extend(name, lease)) {
                join();
                return;
            }
            boolean commits = !readsAhead || group.random.nextInt(3) == 0;
            if (commits) {
                Set<Integer> held = new HashSet<>(membership.heldBy(name));
                done.keySet().retainAll(held);
                group.committed.putAll(done);
                done.clear();
            }
            GroupMembership.Share share = membership.rebalance(
                    name,
                    group.partitions,
                    partition -> done.containsKey(partition)
                            && !done.get(partition).equals(group.committed.getOrDefault(partition, 0L)));
            group.store(membership);
            for (int partition : share.partitions()) {
                if (!share.revoking().contains(partition)) {
                    long from = done.getOrDefault(partition, group.committed.getOrDefault(partition, 0L));
                    done.put(partition, group.process(name, partition, from));
                }
            }
        }

        @Override
        public void leave() {
            GroupMembership membership = group.open();
            membership.leave(name);
            group.store(membership);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer.group;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The partitions that a member of a group takes or releases in one round, by the rule that all SDKs compute, each for
 * itself, so that they agree without messages between them. A round never does both, and no more than is needed.
 * Immutable.
 *
 * @param <P> names a partition
 * @param take free partitions to lock
 * @param release surplus partitions to unlock, the highest first
 */
public record Balance<P extends Comparable<P>>(List<P> take, List<P> release) {
    /** All members together ask for a topic's members no more often than this. */
    private static final Duration PAUSE_FOR_A_MEMBER = Duration.ofMillis(5);
    /** Idle members ask less often than that, but often enough that a new member does not wait long. */
    private static final Duration IDLE_PAUSE_FOR_A_MEMBER = Duration.ofMillis(50);

    private static final Duration LONGEST_IDLE_PAUSE = Duration.ofSeconds(5);

    /** Returns how long a member waits before it balances again: all members query all members, on each topic. */
    public static Duration pause(Set<String> members, String me, int topics) {
        if (!members.contains(me)) {
            return Duration.ZERO; // the server that was asked does not know of this member yet
        }
        Duration least = PAUSE_FOR_A_MEMBER.multipliedBy((long) members.size() * topics);
        Duration idle = IDLE_PAUSE_FOR_A_MEMBER.multipliedBy(members.size());
        Duration bounded = idle.compareTo(LONGEST_IDLE_PAUSE) < 0 ? idle : LONGEST_IDLE_PAUSE;
        return least.compareTo(bounded) > 0 ? least : bounded;
    }

    /**
     * Returns the balance of one member.
     *
     * @param members live members, each with the partitions that it has locked
     * @param me this member; if it is not among them nothing is done
     * @param partitions all partitions that the group reads
     * @param has partitions that this member reads
     * @param mayTake partitions that it may take; the rest counts for its share nevertheless, as it does for the other
     *     members
     */
    public static <P extends Comparable<P>> Balance<P> of(
            Map<String, List<P>> members, String me, SortedSet<P> partitions, Set<P> has, Predicate<P> mayTake) {
        if (!members.containsKey(me)) {
            return new Balance<P>(List.of(), List.of());
        }
        List<P> gone = has.stream().filter(each -> !partitions.contains(each)).toList();
        if (!gone.isEmpty()) {
            return new Balance<P>(List.of(), gone);
        }
        int target = target(members, me, partitions.size());
        if (has.size() > target) {
            List<P> surplus = has.stream()
                    .sorted(Comparator.reverseOrder())
                    .limit(has.size() - (long) target)
                    .toList();
            return new Balance<P>(List.of(), surplus);
        }
        TreeSet<P> free = new TreeSet<>(partitions);
        members.values().forEach(held -> held.forEach(free::remove));
        free.removeAll(has);
        free.removeIf(mayTake.negate());
        return new Balance<P>(some(new ArrayList<>(free), target - has.size(), me), List.of());
    }

    /**
     * Returns the member's share. Members that have the most get the larger shares, so that the fewest partitions move.
     */
    private static <P> int target(Map<String, List<P>> members, String me, int partitions) {
        List<String> order = new ArrayList<>(members.keySet());
        order.sort(Comparator.<String>comparingInt(
                        each -> members.getOrDefault(each, List.of()).size())
                .thenComparing(Comparator.naturalOrder())
                .reversed());
        int rank = order.indexOf(me);
        int each = partitions / order.size();
        int larger = partitions % order.size();
        return rank < larger ? each + 1 : each;
    }

    /**
     * Returns some of the free partitions. Each member begins at another one, so that two members do not try to lock
     * the same ones.
     */
    private static <P> List<P> some(List<P> free, int count, String me) {
        List<P> some = new ArrayList<>();
        for (int i = 0; i < Math.min(count, free.size()); i++) {
            some.add(free.get(Math.floorMod(me.hashCode() + i, free.size())));
        }
        return some;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The partitions that a member of a group takes or releases in one round, by the rule that all SDKs compute, each for
 * itself, so that they agree without messages between them. A round never does both, and no more than is needed.
 * Immutable.
 *
 * @param take free partitions to lock
 * @param release surplus partitions to unlock, the highest first
 */
record Balance(List<Integer> take, List<Integer> release) {
    private static final Balance NOTHING = new Balance(List.of(), List.of());

    /**
     * The balance of one member.
     *
     * @param members live members, each with the partitions that it has locked
     * @param me this member; if it is not among them nothing is done
     * @param has partitions that this member reads
     */
    static Balance of(Map<String, List<Integer>> members, String me, int partitions, Set<Integer> has) {
        if (!members.containsKey(me)) {
            return NOTHING;
        }
        List<Integer> gone = has.stream().filter(each -> each >= partitions).toList();
        if (!gone.isEmpty()) {
            return new Balance(List.of(), gone);
        }
        int target = target(members, me, partitions);
        if (has.size() > target) {
            List<Integer> surplus = has.stream()
                    .sorted(Comparator.reverseOrder())
                    .limit(has.size() - (long) target)
                    .toList();
            return new Balance(List.of(), surplus);
        }
        TreeSet<Integer> free = new TreeSet<>();
        for (int partition = 0; partition < partitions; partition++) {
            free.add(partition);
        }
        members.values().forEach(held -> held.forEach(free::remove));
        free.removeAll(has);
        return new Balance(some(new ArrayList<>(free), target - has.size(), me), List.of());
    }

    /** The member's share. Members that have most get the larger shares, so that the fewest partitions move. */
    private static int target(Map<String, List<Integer>> members, String me, int partitions) {
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

    /** Some of the free partitions. Each member begins elsewhere, so that two do not try to lock the same ones. */
    private static List<Integer> some(List<Integer> free, int count, String me) {
        List<Integer> some = new ArrayList<>();
        for (int i = 0; i < Math.min(count, free.size()); i++) {
            some.add(free.get(Math.floorMod(me.hashCode() + i, free.size())));
        }
        return some;
    }
}

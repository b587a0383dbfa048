// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a member of a group does about its share: the rule that all SDKs follow, each for itself, so that they agree
 * without talking to each other. In one round a member takes or gives up, never both, and never more than it must.
 *
 * <p>Immutable.
 *
 * @param take free partitions that it lacks
 * @param giveUp partitions that it has too many, the highest first
 */
record Balance(List<Integer> take, List<Integer> giveUp) {
    private static final Balance NOTHING = new Balance(List.of(), List.of());

    /**
     * @param members who is alive, and what the group knows they hold
     * @param me must be among them, or nothing is done
     * @param has what this member reads
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

    /** Those who hold most get the larger shares, so that nobody gives up what another would have to take. */
    private static int target(Map<String, List<Integer>> members, String me, int partitions) {
        List<String> order = new ArrayList<>(members.keySet());
        order.sort(Comparator.<String>comparingInt(
                        each -> members.getOrDefault(each, List.of()).size())
                .thenComparing(Comparator.naturalOrder())
                .reversed());
        int place = order.indexOf(me);
        int each = partitions / order.size();
        int larger = partitions % order.size();
        return place < larger ? each + 1 : each;
    }

    /** Each member begins elsewhere, or two that lack the same number would always ask for the same. */
    private static List<Integer> some(List<Integer> free, int count, String me) {
        List<Integer> some = new ArrayList<>();
        for (int i = 0; i < Math.min(count, free.size()); i++) {
            some.add(free.get(Math.floorMod(me.hashCode() + i, free.size())));
        }
        return some;
    }
}

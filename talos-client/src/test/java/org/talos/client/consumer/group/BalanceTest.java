// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class BalanceTest {
    private static Map<String, List<Integer>> members(Object... pairs) {
        Map<String, List<Integer>> members = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            List<Integer> held = new ArrayList<>();
            ((List<?>) pairs[i + 1]).forEach(each -> held.add((Integer) each));
            members.put((String) pairs[i], held);
        }
        return members;
    }

    private static SortedSet<Integer> all(int partitions) {
        return IntStream.range(0, partitions).boxed().collect(Collectors.toCollection(TreeSet::new));
    }

    private static Balance<Integer> balance(
            Map<String, List<Integer>> members, String me, SortedSet<Integer> partitions, Set<Integer> has) {
        return Balance.of(members, me, partitions, has, each -> true);
    }

    @Test
    void memberThatIsNotRegisteredDoesNothing() {
        Balance<Integer> balance = balance(members("other", List.of(0)), "me", all(4), Set.of(1, 2));

        assertThat(balance.take()).isEmpty();
        assertThat(balance.release()).isEmpty();
    }

    @Test
    void onlyMemberTakesAllFreePartitions() {
        assertThat(balance(members("me", List.of()), "me", all(4), Set.of()).take())
                .containsExactlyInAnyOrder(0, 1, 2, 3);
    }

    @Test
    void memberWithTooManyReleasesTheSurplusOnly() {
        Balance<Integer> balance =
                balance(members("me", List.of(0, 1, 2, 3), "new", List.of()), "me", all(4), Set.of(0, 1, 2, 3));

        assertThat(balance.release()).containsExactly(3, 2);
        assertThat(balance.take()).isEmpty();
    }

    @Test
    void largerSharesStayWithTheMembersThatHaveThem() {
        Map<String, List<Integer>> members = members("a", List.of(0), "b", List.of(1, 2));

        assertThat(balance(members, "b", all(3), Set.of(1, 2)).release()).isEmpty();
        assertThat(balance(members, "a", all(3), Set.of(0)).take()).isEmpty();
    }

    @Test
    void partitionsThatNoLongerExistAreReleasedFirst() {
        Balance<Integer> balance = balance(members("me", List.of(0, 5)), "me", all(2), Set.of(0, 5));

        assertThat(balance.release()).containsExactly(5);
        assertThat(balance.take()).isEmpty();
    }

    /** Else it would be offered these forever, and what is free besides would be read by nobody. */
    @Test
    void partitionThatMayNotBeTakenKeepsNoneFromBeingTaken() {
        Map<String, List<Integer>> members = members("a", List.of(0), "b", List.of(1, 2), "c", List.of());

        for (String me : List.of("a", "c")) {
            Set<Integer> has = Set.copyOf(members.getOrDefault(me, List.of()));
            assertThat(Balance.of(members, me, all(9), has, each -> each < 4).take())
                    .containsExactly(3);
        }
    }

    @Test
    void moreMembersThanPartitionsLeaveSomeIdle() {
        Map<String, List<Integer>> members = members("a", List.of(0), "b", List.of(1), "c", List.of());

        assertThat(balance(members, "c", all(2), Set.of()).take()).isEmpty();
        assertThat(balance(members, "a", all(2), Set.of(0)).release()).isEmpty();
    }

    /** Members come, go and act in any order; when they pause the shares differ by one at most, and none moves. */
    @RepeatedTest(50)
    void groupSettlesWithEqualSharesAndMovesTheFewestPartitions() {
        long seed = Long.getLong("talos.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        int partitions = 1 + random.nextInt(40);
        Map<String, Set<Integer>> holds = new TreeMap<>();
        for (int change = 0; change < 6; change++) {
            if (holds.size() > 1 && random.nextInt(3) == 0) {
                holds.remove(new ArrayList<>(holds.keySet()).get(random.nextInt(holds.size())));
            } else {
                holds.put("m" + random.nextInt(1_000), new HashSet<>());
            }
            int most = moves(holds, partitions);
            int moved = settle(holds, partitions, random);
            assertShared(holds, partitions, seed);
            assertThat(moved).as("seed %d", seed).isLessThanOrEqualTo(most);
            assertThat(settle(holds, partitions, random)).isZero();
        }
    }

    /** The fewest moves that balance the group: free partitions, and the surplus of members above their share. */
    private static int moves(Map<String, Set<Integer>> holds, int partitions) {
        int each = partitions / holds.size();
        int held = holds.values().stream().mapToInt(Set::size).sum();
        int over = holds.values().stream()
                .mapToInt(has -> Math.max(0, has.size() - each))
                .sum();
        return partitions - held + 2 * over;
    }

    private static int settle(Map<String, Set<Integer>> holds, int partitions, SplittableRandom random) {
        int moved = 0;
        for (int round = 0; round < 100 * holds.size(); round++) {
            String me = new ArrayList<>(holds.keySet()).get(random.nextInt(holds.size()));
            Map<String, List<Integer>> members = new HashMap<>();
            holds.forEach((member, has) -> members.put(member, List.copyOf(has)));
            Set<Integer> mine = holds.getOrDefault(me, new HashSet<>());
            Balance<Integer> balance = balance(members, me, all(partitions), Set.copyOf(mine));
            assertThat(balance.take().isEmpty() || balance.release().isEmpty()).isTrue();
            mine.removeAll(balance.release());
            for (int partition : balance.take()) {
                assertThat(holds.values().stream().noneMatch(has -> has.contains(partition)))
                        .isTrue();
                mine.add(partition);
            }
            moved += balance.take().size() + balance.release().size();
        }
        return moved;
    }

    private static void assertShared(Map<String, Set<Integer>> holds, int partitions, long seed) {
        assertThat(holds.values().stream().mapToInt(Set::size).sum())
                .as("seed %d", seed)
                .isEqualTo(partitions);
        int least = holds.values().stream().mapToInt(Set::size).min().orElseThrow();
        int most = holds.values().stream().mapToInt(Set::size).max().orElseThrow();
        assertThat(most - least).as("seed %d", seed).isLessThanOrEqualTo(1);
    }
}

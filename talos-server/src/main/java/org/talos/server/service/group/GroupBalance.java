// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * How many partitions each member of a group is to read. The same rule as that by which the SDKs' workers balance among
 * themselves, or members that the server balances and workers that do it themselves would never come to rest: the
 * partitions in equal shares, and what remains to those who have most, so that as few as possible move.
 *
 * <p>Immutable.
 */
final class GroupBalance {
    private static final Comparator<Map.Entry<String, List<Integer>>> BY_LOAD_THEN_ID = Comparator.comparing(
                    (Map.Entry<String, List<Integer>> member) ->
                            member.getValue().size())
            .thenComparing(Map.Entry::getKey)
            .reversed();

    private GroupBalance() {}

    /**
     * The share of one member.
     *
     * @param members each with the partitions that it holds
     * @param member one of them
     */
    static int target(Map<String, List<Integer>> members, String member, int partitions) {
        List<String> byLoad = members.entrySet().stream()
                .sorted(BY_LOAD_THEN_ID)
                .map(Map.Entry::getKey)
                .toList();
        int place = byLoad.indexOf(member);
        return partitions / byLoad.size() + (place < partitions % byLoad.size() ? 1 : 0);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.List;
import java.util.Map;

/**
 * Computes the number of partitions for each member of a group. It is the rule by which the SDKs' workers balance among
 * themselves; otherwise members that the server balances and workers that balance themselves would never settle.
 * Partitions are shared equally, and the remainder goes to the members with the most partitions, so that as few as
 * possible move.
 *
 * <p>Immutable.
 */
final class GroupBalance {
    private GroupBalance() {}

    /**
     * Returns the share of one member.
     *
     * @param members each with the partitions that it holds
     * @param member one of them
     */
    static int target(Map<String, List<Integer>> members, String member, int partitions) {
        int load = members.getOrDefault(member, List.of()).size();
        long before = members.entrySet().stream()
                .filter(other -> isBefore(other.getValue().size(), other.getKey(), load, member))
                .count();
        return partitions / members.size() + (before < partitions % members.size() ? 1 : 0);
    }

    /** The member with more partitions comes first; of two with the same number, the one with the greater id. */
    private static boolean isBefore(int otherLoad, String other, int load, String member) {
        return otherLoad > load || (otherLoad == load && other.compareTo(member) > 0);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.ArrayList;
import java.util.List;

/**
 * The outcome of a member's commits: partitions in neither list are stored. Immutable.
 *
 * @param lost partitions that others hold: nothing was committed for these
 * @param unserved partitions that no server has now: nothing was committed for these either; it may be once one has
 *     them
 */
public record GroupCommit(List<Integer> lost, List<Integer> unserved) {
    static final GroupCommit NOTHING = new GroupCommit(List.of(), List.of());

    public GroupCommit {
        lost = List.copyOf(lost);
        unserved = List.copyOf(unserved);
    }

    /** Returns all partitions for which nothing was committed. */
    public List<Integer> refused() {
        List<Integer> refused = new ArrayList<>(lost);
        refused.addAll(unserved);
        return refused;
    }
}
